// The moment of the query and dates out of numbers: now, today, makeDate, time zones of values.
// All moments of one query are the same: the clock is read once, at its start.

import type { DataType } from '../../../storage-format/data-type.ts';
import { daysFromCivil } from '../../values/civil-date.ts';
import { timeZone } from '../../values/time-zone.ts';
import { constantInteger, constantString, illegalType } from '../function-errors.ts';
import { doubles } from '../number-lanes.ts';
import { numericShape, string } from '../numeric-types.ts';
import type { FunctionContext, ScalarFunction } from '../scalar-function.ts';
import { checkDate, zonedType } from './date-arguments.ts';

function localDay(context: FunctionContext): number {
  const seconds = Math.floor(context.now / 1000);
  return Math.floor((seconds + timeZone(context.timeZone).offsetAt(seconds)) / 86_400);
}

function dayFunction(name: string, aliases: readonly string[], shift: number): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: aliases.length > 0,
    arity: [0, 0],
    returnType: () => ({ kind: 'Date' }),
    evaluate: (call) => ({
      kind: 'number',
      values: Uint16Array.of(localDay(call.context) + shift),
    }),
  };
}

const now: ScalarFunction = {
  name: 'now',
  aliases: ['current_timestamp'],
  caseInsensitive: true,
  arity: [0, 1],
  returnType: ([zone]) => {
    if (zone === undefined) return { kind: 'DateTime' };
    const name = constantString('now', zone, 'time zone');
    timeZone(name);
    return { kind: 'DateTime', timeZone: name };
  },
  evaluate: (call) => ({
    kind: 'number',
    values: Uint32Array.of(Math.floor(call.context.now / 1000)),
  }),
};

const now64: ScalarFunction = {
  name: 'now64',
  caseInsensitive: true,
  arity: [0, 2],
  returnType: ([precision, zone]) => {
    const digits = precision === undefined ? 3 : constantInteger('now64', precision, 'precision');
    const type: DataType = { kind: 'DateTime64', precision: digits };
    return zonedType('now64', type, zone);
  },
  evaluate: (call) => {
    const precision = call.returns.kind === 'DateTime64' ? call.returns.precision : 3;
    const milliseconds = BigInt(Math.floor(call.context.now));
    const ticks =
      precision >= 3
        ? milliseconds * 10n ** BigInt(precision - 3)
        : milliseconds / 10n ** BigInt(3 - precision);
    return { kind: 'wide', values: BigInt64Array.of(ticks) };
  },
};

const makeDate: ScalarFunction = {
  name: 'makeDate',
  caseInsensitive: true,
  arity: [3, 3],
  returnType: (types) => {
    for (const { type } of types) {
      if (numericShape(type) === undefined) throw illegalType('makeDate', type);
    }
    return { kind: 'Date' };
  },
  evaluate: (call) => {
    const [years, months, days] = call.arguments.map((a) => doubles(a, call.rows).map(Math.trunc));
    const values = new Uint16Array(call.rows);
    for (let i = 0; i < call.rows; i++) {
      const [y, m, d] = [years?.[i] ?? 0, months?.[i] ?? 0, days?.[i] ?? 0];
      const valid = y >= 1970 && y <= 2149 && m >= 1 && m <= 12 && d >= 1 && d <= 31;
      const day = valid ? daysFromCivil(y, m, d) : 0;
      values[i] = day > 65_535 ? 0 : day;
    }
    return { kind: 'number', values };
  },
};

const toTimeZone: ScalarFunction = {
  name: 'toTimeZone',
  aliases: ['toTimezone'],
  arity: [2, 2],
  returnType: ([value, zone]) => {
    const type = checkDate('toTimeZone', value, zone);
    if (type.kind === 'Date') throw illegalType('toTimeZone', type);
    return zonedType('toTimeZone', type, zone);
  },
  evaluate: (call) => call.arguments[0]!.column,
};

export const dateNowFunctions: readonly ScalarFunction[] = [
  now,
  now64,
  dayFunction('today', ['curdate', 'current_date'], 0),
  dayFunction('yesterday', [], -1),
  makeDate,
  toTimeZone,
  {
    name: 'timeZone',
    aliases: ['timezone'],
    arity: [0, 0],
    returnType: () => string,
    evaluate: (call) => ({ kind: 'string', values: [call.context.timeZone] }),
  },
  {
    name: 'timeZoneOf',
    aliases: ['timezoneOf'],
    arity: [1, 1],
    returnType: ([value]) => {
      checkDate('timeZoneOf', value);
      return string;
    },
    evaluate: (call) => {
      const { type } = call.arguments[0]!;
      const named =
        type.kind === 'DateTime' || type.kind === 'DateTime64' ? type.timeZone : undefined;
      const zone = named ?? call.context.timeZone;
      return { kind: 'string', values: new Array<string>(call.rows).fill(zone) };
    },
  },
];
