// toUInt8 .. toString: conversions by name, with their OrNull, OrZero and OrDefault kin, and CAST.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';
import { columnBuilder } from '../../values/column-builder.ts';
import { timeZone } from '../../values/time-zone.ts';
import { valueParser } from '../../values/value-parser.ts';
import { canCast, castColumn } from '../cast.ts';
import { makeNullable } from '../common-type.ts';
import { constantInteger, constantString, illegalType } from '../function-errors.ts';
import { isDateLike, isInteger, numericShape, string } from '../numeric-types.ts';
import type { ArgumentType, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { zonedType } from './date-arguments.ts';
import { unixTimestampOfDates } from './date-parts.ts';

interface Target {
  /** After `to`: `UInt8`, `DateTime64`. */
  readonly name: string;
  readonly type: DataType;
  /** Which argument is the time zone; absent: takes none. */
  readonly zoneAt?: number;
  readonly precisionAt?: number;
}

const targets: readonly Target[] = [
  ...(['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64'] as const).map(
    (kind) => ({ name: kind, type: { kind } }),
  ),
  { name: 'Float32', type: { kind: 'Float32' } },
  { name: 'Float64', type: { kind: 'Float64' } },
  { name: 'UUID', type: { kind: 'UUID' } },
  { name: 'Date', type: { kind: 'Date' }, zoneAt: 1 },
  { name: 'DateTime', type: { kind: 'DateTime' }, zoneAt: 1 },
  { name: 'DateTime64', type: { kind: 'DateTime64', precision: 3 }, precisionAt: 1, zoneAt: 2 },
];

/** The result's type: precision and zone from constants, the zone of a time kept. */
function targetType(name: string, target: Target, types: readonly ArgumentType[]): DataType {
  let { type } = target;
  if (type.kind === 'DateTime64' && types[1] !== undefined) {
    const precision = constantInteger(name, types[1], 'precision');
    if (precision < 0 || precision > 9) {
      throw new MusterError('ARGUMENT_OUT_OF_BOUND', `Scale ${precision} is out of bounds`);
    }
    type = { kind: 'DateTime64', precision };
  }
  const zone = target.zoneAt === undefined ? undefined : types[target.zoneAt];
  if (zone !== undefined) {
    timeZone(constantString(name, zone, 'time zone'));
    return zonedType(name, type, zone);
  }
  const source = types[0]?.type;
  const named =
    source?.kind === 'DateTime' || source?.kind === 'DateTime64' ? source.timeZone : undefined;
  return named !== undefined && (type.kind === 'DateTime' || type.kind === 'DateTime64')
    ? { ...type, timeZone: named }
    : type;
}

function arityOf(target: Target): readonly [number, number] {
  if (target.precisionAt !== undefined) return [2, 3];
  return target.zoneAt === undefined ? [1, 1] : [1, 2];
}

/** An explicit zone rules how numbers and texts become local days. */
function castContext(call: FunctionCall, zoneAt: number | undefined): { timeZone: string } {
  const zone = zoneAt === undefined ? undefined : call.arguments[zoneAt]?.column;
  const name = zone?.kind === 'string' ? zone.values[0] : undefined;
  return { timeZone: name ?? call.context.timeZone };
}

/** A time's type with another zone than its own. */
function inZone(type: DataType, zone: string): DataType {
  return type.kind === 'DateTime' || type.kind === 'DateTime64'
    ? { ...type, timeZone: zone }
    : type;
}

function converter(target: Target): ScalarFunction {
  const name = `to${target.name}`;
  return {
    name,
    caseInsensitive: isDateLike(target.type),
    arity: arityOf(target),
    returnType: (types) => {
      const source = types[0]!.type;
      if (source.kind === 'Array' || source.kind === 'Tuple' || !canCast(source, target.type)) {
        throw illegalType(name, source);
      }
      return targetType(name, target, types);
    },
    evaluate: (call) => {
      const { column, type } = call.arguments[0]!;
      const zone = target.zoneAt === undefined ? undefined : call.arguments[target.zoneAt];
      const context = castContext(call, target.zoneAt);
      const from = zone === undefined ? type : inZone(type, context.timeZone);
      return castColumn(column, from, { to: call.returns, context });
    },
  };
}

type Otherwise = 'Null' | 'Zero' | 'Default';

/** Text that does not parse gives NULL, zero or the last argument. Integers must fit, here. */
function lenient(target: Target, otherwise: Otherwise): ScalarFunction {
  const name = `to${target.name}Or${otherwise}`;
  const [least, most] = arityOf(target);
  return {
    name,
    arity: otherwise === 'Default' ? [least, most + 1] : [least, most],
    returnType: (types) => {
      const source = types[0]!.type;
      if (source.kind !== 'String') {
        throw illegalType(
          name,
          source,
          `. Conversion functions with postfix 'OrZero' or 'OrNull' should take String argument`,
        );
      }
      const type = otherwise === 'Default' ? target.type : targetType(name, target, types);
      return otherwise === 'Null' ? makeNullable(type) : type;
    },
    evaluate: (call) => evaluateLenient(call, target, otherwise),
  };
}

function evaluateLenient(call: FunctionCall, target: Target, otherwise: Otherwise): Column {
  const { column } = call.arguments[0]!;
  if (column.kind !== 'string') throw new Error('assertion failed: text to convert');
  const bare = call.returns.kind === 'Nullable' ? call.returns.inner : call.returns;
  const parse = valueParser(bare, castContext(call, target.zoneAt));
  const builder = columnBuilder(call.returns, call.rows);
  const fallback = otherwise === 'Default' ? call.arguments[1] : undefined;
  const fallbackColumn =
    fallback === undefined
      ? undefined
      : castColumn(fallback.column, fallback.type, { to: call.returns, context: call.context });
  for (let row = 0; row < call.rows; row++) {
    const text = column.values[row] ?? '';
    if (fits(bare, text)) {
      try {
        parse(text, builder);
        continue;
      } catch (error) {
        if (!(error instanceof MusterError)) throw error;
      }
    }
    if (fallbackColumn !== undefined)
      builder.appendFrom(fallbackColumn, fallback?.constant ? 0 : row);
    else builder.appendNull();
  }
  return builder.finish();
}

/** A quick test before the parser's exceptions, and the range check of integers. */
function fits(type: DataType, text: string): boolean {
  const shape = numericShape(type);
  if (shape === undefined || !isInteger(type)) return text !== '' || type.kind === 'String';
  if (!/^[+-]?\d+$/.test(text)) return false;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  const bits = BigInt(shape.bytes * 8);
  return shape.signed
    ? BigInt.asIntN(Number(bits), value) === value
    : BigInt.asUintN(Number(bits), value) === value;
}

const toText: ScalarFunction = {
  name: 'toString',
  arity: [1, 2],
  returnType: ([value, zone]) => {
    if (zone !== undefined) {
      if (!isDateLike(value!.type)) throw illegalType('toString', value!.type);
      timeZone(constantString('toString', zone, 'time zone'));
    }
    return string;
  },
  evaluate: (call) => {
    const { column, type } = call.arguments[0]!;
    const zone = castContext(call, 1);
    const shown = call.arguments[1] === undefined ? type : inZone(type, zone.timeZone);
    return castColumn(column, shown, { to: string, context: zone });
  },
};

const toBool: ScalarFunction = {
  name: 'toBool',
  arity: [1, 1],
  returnType: ([a]) => {
    if (!canCast(a!.type, { kind: 'Bool' })) throw illegalType('toBool', a!.type);
    return { kind: 'Bool' };
  },
  evaluate: (call) => {
    const { column, type } = call.arguments[0]!;
    return castColumn(column, type, { to: { kind: 'Bool' }, context: call.context });
  },
};

const cast: ScalarFunction = {
  name: 'CAST',
  aliases: ['_CAST'],
  caseInsensitive: true,
  arity: [2, 2],
  nulls: 'custom',
  lowCardinality: false,
  returnType: ([value, type]) => {
    const to = parseType(constantString('CAST', type, 'type'));
    if (!canCast(value!.type, to)) throw illegalType('CAST', value!.type);
    return to;
  },
  evaluate: (call) => {
    const { column, type } = call.arguments[0]!;
    return castColumn(column, type, { to: call.returns, context: call.context });
  },
};

const toUnixTimestamp: ScalarFunction = {
  name: 'toUnixTimestamp',
  arity: [1, 2],
  returnType: ([value]) => {
    if (!canCast(value!.type, { kind: 'DateTime' }))
      throw illegalType('toUnixTimestamp', value!.type);
    return { kind: 'UInt32' };
  },
  evaluate: (call) => {
    const { column, type } = call.arguments[0]!;
    if (isDateLike(type)) {
      // The midnight of a Date is the session's, whatever zone is named.
      const taken =
        type.kind === 'Date' ? { ...call, arguments: call.arguments.slice(0, 1) } : call;
      return unixTimestampOfDates(taken);
    }
    const to: DataType = { kind: type.kind === 'String' ? 'DateTime' : 'UInt32' };
    return castColumn(column, type, { to, context: castContext(call, 1) });
  },
};

const fromUnixTimestamp: ScalarFunction = {
  name: 'fromUnixTimestamp',
  aliases: ['FROM_UNIXTIME'],
  caseInsensitive: true,
  arity: [1, 1],
  returnType: ([value]) => {
    if (!isInteger(value!.type)) throw illegalType('fromUnixTimestamp', value!.type);
    return { kind: 'DateTime' };
  },
  evaluate: (call) => {
    const { column, type } = call.arguments[0]!;
    return castColumn(column, type, { to: { kind: 'UInt32' }, context: call.context });
  },
};

const subsecondUnits = [
  ['Milli', 3],
  ['Micro', 6],
  ['Nano', 9],
] as const;

const subsecondFunctions: readonly ScalarFunction[] = subsecondUnits.flatMap(
  ([unit, precision]) => [
    {
      name: `toUnixTimestamp64${unit}`,
      arity: [1, 1] as const,
      returnType: ([value]: readonly ArgumentType[]) => {
        if (value!.type.kind !== 'DateTime64') {
          throw illegalType(`toUnixTimestamp64${unit}`, value!.type);
        }
        return { kind: 'Int64' as const };
      },
      evaluate: (call: FunctionCall) => {
        const { column, type } = call.arguments[0]!;
        const to: DataType = { kind: 'DateTime64', precision };
        return castColumn(column, type, { to, context: call.context });
      },
    },
    {
      name: `fromUnixTimestamp64${unit}`,
      arity: [1, 2] as const,
      returnType: ([value, zone]: readonly ArgumentType[]) => {
        if (!isInteger(value!.type)) throw illegalType(`fromUnixTimestamp64${unit}`, value!.type);
        return zonedType(unit, { kind: 'DateTime64', precision }, zone);
      },
      evaluate: (call: FunctionCall) => {
        const { column, type } = call.arguments[0]!;
        return castColumn(column, type, { to: { kind: 'Int64' }, context: call.context });
      },
    },
  ],
);

/** Makes LowCardinality of a type; values stay as they are. */
const toLowCardinality: ScalarFunction = {
  name: 'toLowCardinality',
  arity: [1, 1],
  nulls: 'custom',
  lowCardinality: false,
  returnType: ([a]) =>
    a!.type.kind === 'LowCardinality' ? a!.type : { kind: 'LowCardinality', inner: a!.type },
  evaluate: (call) => call.arguments[0]!.column,
};

export const conversionFunctions: readonly ScalarFunction[] = [
  ...targets.map(converter),
  ...targets.flatMap((target) =>
    (['Null', 'Zero', 'Default'] as const).map((otherwise) => lenient(target, otherwise)),
  ),
  toText,
  toBool,
  cast,
  toUnixTimestamp,
  fromUnixTimestamp,
  ...subsecondFunctions,
  toLowCardinality,
];
