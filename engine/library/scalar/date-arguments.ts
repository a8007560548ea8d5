// What date functions share: which argument types they take, the time zone that counts (an explicit
// last argument, else the type's, else the session's), and local days and seconds of rows.

import type { DataType } from '../../../storage-format/data-type.ts';
import { type TimeZone, timeZone } from '../../values/time-zone.ts';
import { fullColumn } from '../apply-function.ts';
import { epochSeconds, localDays, zoneOf } from '../cast-dates.ts';
import { constantString, illegalType } from '../function-errors.ts';
import { isDateLike } from '../numeric-types.ts';
import type { Argument, ArgumentType, FunctionCall, FunctionContext } from '../scalar-function.ts';

/** Throws 43 unless the argument is a date or time; checks the zone's name, if one is given. */
export function checkDate(
  name: string,
  argument: ArgumentType | undefined,
  zone?: ArgumentType,
): DataType {
  const type = argument?.type ?? { kind: 'Nothing' };
  if (!isDateLike(type)) {
    throw illegalType(name, type, '. Should be Date, DateTime or DateTime64');
  }
  if (zone !== undefined) timeZone(constantString(name, zone, 'time zone'));
  return type;
}

/** The type with the zone of an explicit argument. */
export function zonedType(name: string, type: DataType, zone: ArgumentType | undefined): DataType {
  if (zone === undefined || (type.kind !== 'DateTime' && type.kind !== 'DateTime64')) return type;
  return { ...type, timeZone: constantString(name, zone, 'time zone') };
}

/** A date argument of a call, `rows` rows (constants repeated), read in its zone. */
export interface DateRows {
  readonly type: DataType;
  readonly zone: TimeZone;
  days(): Float64Array;
  seconds(): Float64Array;
}

export function dateRows(call: FunctionCall, at: number, zoneAt: number): DateRows {
  const argument = call.arguments[at]!;
  return rowsOfDate(argument, {
    rows: call.rows,
    context: call.context,
    ...zoneName(call.arguments[zoneAt]),
  });
}

function zoneName(argument: Argument | undefined): { readonly zone?: string } {
  const zone = argument?.column.kind === 'string' ? argument.column.values[0] : undefined;
  return zone === undefined ? {} : { zone };
}

function rowsOfDate(
  argument: Argument,
  options: { readonly rows: number; readonly context: FunctionContext; readonly zone?: string },
): DateRows {
  const { context, zone } = options;
  const bare = argument.type;
  const type =
    zone !== undefined && (bare.kind === 'DateTime' || bare.kind === 'DateTime64')
      ? { ...bare, timeZone: zone }
      : bare;
  const zoned = zone === undefined ? context : { ...context, timeZone: zone };
  const column = fullColumn(argument, options.rows);
  return {
    type,
    zone: zoneOf(type, zoned),
    days: () => localDays(column, type, zoned).slice(),
    seconds: () => epochSeconds(column, type, { to: { kind: 'DateTime' }, context: zoned }),
  };
}
