// A source's column as a column of the table, or of the structure that input() and file() were told:
// cast where the types differ. A NULL for a type without NULL is its default, as ClickHouse's
// insert_null_as_default has it.

import { MusterError } from '../../base/errors.ts';
import {
  type DataType,
  formatType,
  isNullable,
  type NamedType,
  sameType,
  valueType,
} from '../../storage-format/data-type.ts';
import { castColumn } from '../library/cast.ts';
import { nullMask, withoutNulls } from '../library/columns/nulls.ts';
import { takeOrDefault } from '../library/columns/take-or-default.ts';
import { maskIndex, placesIn, take } from '../library/columns/take.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { InsertColumn } from './insert-block.ts';

interface ConversionTarget extends NamedType {
  readonly functions: FunctionContext;
}

/** CANNOT_CONVERT_TYPE (70) where there is no way. */
export function convertColumn(
  given: InsertColumn,
  from: DataType,
  { name, type, functions }: ConversionTarget,
): InsertColumn {
  if (sameType(from, type)) return given;
  if (given.kind === 'ids' || given.kind === 'lists' || type.kind === 'Bitmap') {
    const hint = type.kind === 'Bitmap' ? idHint(from, type.id) : '';
    throw new MusterError(
      'CANNOT_CONVERT_TYPE',
      `Conversion from ${formatType(from)} to ${formatType(type)} is not supported: column ${name}${hint}`,
    );
  }
  const nulls = isNullable(type) ? undefined : nullMask(given);
  const to = { to: type, context: functions };
  if (nulls === undefined) return castColumn(given, from, to);
  const index = maskIndex(nulls.map((isNull) => 1 - isNull));
  const values = castColumn(withoutNulls(take(given, index)), valueType(from), to);
  return takeOrDefault(values, placesIn(index, nulls.length), type);
}

function idHint(from: DataType, id: DataType): string {
  return from.kind === 'Bitmap' ? `; make its ids ${id.kind} first, as in to${id.kind}(id)` : '';
}
