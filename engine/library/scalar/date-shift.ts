// Dates and times moved by a number of units: addDays, subtractMonths, + INTERVAL. Days, weeks and
// longer units move the local calendar (the time of day stays); shorter ones move the instant.

import { assert } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType, IntervalUnit } from '../../../storage-format/data-type.ts';
import { splitTicks } from '../../values/date-text.ts';
import type { TimeZone } from '../../values/time-zone.ts';
import { fullColumn } from '../apply-function.ts';
import { epochSeconds, localDays, zoneOf } from '../cast-dates.ts';
import { illegalTypes } from '../function-errors.ts';
import { doubles } from '../number-lanes.ts';
import { isDateLike, numericShape } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { addMonths } from './day-fields.ts';

const unitSeconds: Partial<Record<IntervalUnit, number>> = { Second: 1, Minute: 60, Hour: 3600 };
const unitDays: Partial<Record<IntervalUnit, number>> = { Day: 1, Week: 7 };
const unitMonths: Partial<Record<IntervalUnit, number>> = { Month: 1, Quarter: 3, Year: 12 };

const intervalUnits: readonly IntervalUnit[] = [
  'Second',
  'Minute',
  'Hour',
  'Day',
  'Week',
  'Month',
  'Quarter',
  'Year',
];

/** A Date moved by less than a day becomes a DateTime. */
export function shiftedType(name: string, type: DataType, unit: IntervalUnit): DataType {
  if (!isDateLike(type)) throw illegalTypes(name, [type, { kind: 'Interval', unit }]);
  return type.kind === 'Date' && unitSeconds[unit] !== undefined ? { kind: 'DateTime' } : type;
}

interface DateShift {
  readonly date: Argument;
  readonly amount: Argument;
  readonly unit: IntervalUnit;
  readonly sign: 1 | -1;
  readonly returns: DataType;
  readonly rows: number;
  readonly context: FunctionCall['context'];
}

/** `returns` is `shiftedType` of the date's type. Dates wrap around at the ends of their range. */
export function shiftDate(shift: DateShift): Column {
  const { date, returns, rows, context, sign, unit } = shift;
  const amounts = doubles(shift.amount, rows).map((amount) => Math.trunc(amount) * sign);
  const column = fullColumn(date, rows);
  if (returns.kind === 'Date') {
    const days = localDays(column, date.type, context);
    const values = new Uint16Array(rows);
    for (let i = 0; i < rows; i++) values[i] = moveDay(days[i] ?? 0, amounts[i] ?? 0, unit);
    return { kind: 'number', values };
  }
  const zone = zoneOf(returns, context);
  const seconds = epochSeconds(column, date.type, { to: returns, context });
  const moved = seconds.map((second, i) => moveSecond(second, amounts[i] ?? 0, { unit, zone }));
  if (returns.kind === 'DateTime') return { kind: 'number', values: new Uint32Array(moved) };
  assert(
    returns.kind === 'DateTime64' && column.kind === 'wide',
    'times are DateTime or DateTime64',
  );
  const { precision } = returns;
  const scale = 10n ** BigInt(precision);
  const ticks = BigInt64Array.from(
    column.values,
    (t, i) => BigInt(moved[i] ?? 0) * scale + BigInt(splitTicks(t, precision).fraction),
  );
  return { kind: 'wide', values: ticks };
}

function moveDay(day: number, amount: number, unit: IntervalUnit): number {
  const months = unitMonths[unit];
  return months === undefined
    ? day + amount * (unitDays[unit] ?? 0)
    : addMonths(day, amount * months);
}

function moveSecond(
  second: number,
  amount: number,
  by: { readonly unit: IntervalUnit; readonly zone: TimeZone },
): number {
  const length = unitSeconds[by.unit];
  if (length !== undefined) return second + amount * length;
  const local = second + by.zone.offsetAt(second);
  const day = Math.floor(local / 86_400);
  const moved = moveDay(day, amount, by.unit);
  return by.zone.toEpoch(moved * 86_400 + (local - day * 86_400));
}

function adder(unit: IntervalUnit, sign: 1 | -1): ScalarFunction {
  const name = `${sign === 1 ? 'add' : 'subtract'}${unit}s`;
  return {
    name,
    arity: [2, 2],
    returnType: ([date, amount]) => {
      if (numericShape(amount!.type) === undefined) {
        throw illegalTypes(name, [date!.type, amount!.type]);
      }
      return shiftedType(name, date!.type, unit);
    },
    evaluate: (call) => {
      const [date, amount] = call.arguments as readonly [Argument, Argument];
      return shiftDate({ ...call, date, amount, unit, sign });
    },
  };
}

function intervalMaker(unit: IntervalUnit): ScalarFunction {
  const name = `toInterval${unit}`;
  return {
    name,
    arity: [1, 1],
    returnType: ([amount]) => {
      if (numericShape(amount!.type) === undefined) throw illegalTypes(name, [amount!.type]);
      return { kind: 'Interval', unit };
    },
    evaluate: (call) => ({
      kind: 'wide',
      values: BigInt64Array.from(doubles(call.arguments[0]!, call.rows), (amount) =>
        BigInt(Math.trunc(amount)),
      ),
    }),
  };
}

export const dateShiftFunctions: readonly ScalarFunction[] = intervalUnits.flatMap((unit) => [
  adder(unit, 1),
  adder(unit, -1),
  intervalMaker(unit),
]);
