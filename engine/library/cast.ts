// Values of one type as values of another: CAST, to*() functions, literals into columns, branches
// into their common type. Integers wrap around, floats are cut towards zero, dates clamp to their
// range, as ClickHouse's do; text is parsed whole or refused.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { type Column, columnLength, isNullAt } from '../../storage-format/column.ts';
import {
  type DataType,
  formatType,
  isNullable,
  sameType,
  valueType,
} from '../../storage-format/data-type.ts';
import { columnBuilder } from '../values/column-builder.ts';
import { columnShape, defaultColumn } from '../values/column-shape.ts';
import { valueParser } from '../values/value-parser.ts';
import { valuePrinter } from '../values/value-printer.ts';
import { type CastContext, castDate, castToDate } from './cast-dates.ts';
import { castToEnum } from './cast-enums.ts';
import { castNumbers } from './cast-numbers.ts';
import { nullMask, withNulls, withoutNulls } from './columns/nulls.ts';
import { stripLowCardinality } from './common-type.ts';
import { isDateLike, numericShape } from './numeric-types.ts';

/**
 * The column as type `to`. Throws CANNOT_CONVERT_TYPE (70) where no cast exists, 349 for a NULL
 * into a type without NULL, and the parser's errors for text.
 */
export function castColumn(
  column: Column,
  from: DataType,
  target: { readonly to: DataType; readonly context: CastContext },
): Column {
  const source = stripLowCardinality(from);
  const to = stripLowCardinality(target.to);
  if (sameType(source, to)) return column;
  const nulls = nullMask(column);
  const bareTo = valueType(to);
  if (nulls !== undefined && !isNullable(to) && bareTo.kind !== 'Array') refuseNull(source, to);
  if (valueType(source).kind === 'Nothing') return defaultColumn(to, columnLength(column));
  if (isNullable(to) && valueType(source).kind === 'String' && bareTo.kind !== 'String') {
    return parseColumn(column, { to, context: target.context });
  }
  const bare = castBare(withoutNulls(column), valueType(source), {
    to: bareTo,
    context: target.context,
    ...(nulls === undefined ? {} : { nulls }),
  });
  if (nulls !== undefined) return withNulls(bare, nulls);
  return bare;
}

/**
 * Whether `castColumn` has a way from the one type to the other (values may still fail). Throws 48
 * between UUID and numbers, as ClickHouse does.
 */
export function canCast(from: DataType, to: DataType): boolean {
  const a = valueType(stripLowCardinality(from));
  const b = valueType(stripLowCardinality(to));
  if (sameType(a, b) || a.kind === 'String' || b.kind === 'String' || a.kind === 'Nothing') {
    return true;
  }
  if (a.kind === 'UUID' || b.kind === 'UUID') return refuseUuid(a, b);
  if (a.kind === 'Array' && b.kind === 'Array') return canCast(a.item, b.item);
  if (a.kind === 'Tuple' && b.kind === 'Tuple') {
    return (
      a.fields.length === b.fields.length &&
      a.fields.every((f, i) => canCast(f.type, defined(b.fields[i], 'field').type))
    );
  }
  return columnShape(a) !== 'array' && columnShape(a) !== 'tuple' && isScalar(b);
}

function refuseUuid(a: DataType, b: DataType): false {
  const other = a.kind === 'UUID' ? b : a;
  if (numericShape(other) === undefined && !isDateLike(other)) return false;
  throw new MusterError(
    'NOT_IMPLEMENTED',
    'Conversion between numeric types and UUID is not supported. Probably the passed UUID is unquoted',
  );
}

interface BareTarget {
  readonly to: DataType;
  readonly context: CastContext;
  /** Rows that will be NULL whatever comes out: text under them is not parsed. */
  readonly nulls?: Uint8Array;
}

function castBare(column: Column, from: DataType, target: BareTarget): Column {
  const { to, context } = target;
  if (sameType(from, to)) return column;
  if (to.kind === 'String') return printColumn(column, from, context);
  if (from.kind === 'String') return parseColumn(column, target);
  if (from.kind === 'UUID' || to.kind === 'UUID') refuseUuid(from, to);
  if (from.kind === 'Array' || from.kind === 'Tuple') return castNested(column, from, target);
  if (to.kind === 'Enum8') return castToEnum(column, from, to);
  if (from.kind === 'Enum8') return castBare(column, { kind: 'Int8' }, target);
  if (isDateLike(from)) return castDate(column, from, target);
  if (isDateLike(to)) return castToDate(column, from, target);
  if (isScalar(from) && isScalar(to)) return castNumbers(column, from, to);
  throw cannotConvert(from, to);
}

function isScalar(type: DataType): boolean {
  return (
    numericShape(type) !== undefined ||
    isDateLike(type) ||
    type.kind === 'Enum8' ||
    type.kind === 'Interval'
  );
}

function castNested(column: Column, from: DataType, target: BareTarget): Column {
  const { to, context } = target;
  if (from.kind === 'Array' && to.kind === 'Array' && column.kind === 'array') {
    const items = castColumn(column.items, from.item, { to: to.item, context });
    return { kind: 'array', offsets: column.offsets, items };
  }
  if (from.kind === 'Tuple' && to.kind === 'Tuple' && column.kind === 'tuple') {
    if (from.fields.length !== to.fields.length) throw cannotConvert(from, to);
    const fields = column.fields.map((field, i) =>
      castColumn(field, defined(from.fields[i], 'field').type, {
        to: defined(to.fields[i], 'field').type,
        context,
      }),
    );
    return { kind: 'tuple', length: column.length, fields };
  }
  throw cannotConvert(from, to);
}

function printColumn(column: Column, from: DataType, context: CastContext): Column {
  const print = valuePrinter(from, context);
  const rows = columnLength(column);
  const values = new Array<string>(rows);
  for (let row = 0; row < rows; row++) values[row] = print(column, row);
  return { kind: 'string', values };
}

function parseColumn(column: Column, { to, context, nulls }: BareTarget): Column {
  const rows = columnLength(column);
  const builder = columnBuilder(to, rows);
  const parse = valueParser(to, context);
  for (let row = 0; row < rows; row++) {
    if (nulls?.[row] === 1 || isNullAt(column, row)) builder.appendNull();
    else parse(textAt(column, row), builder);
  }
  return builder.finish();
}

function textAt(column: Column, row: number): string {
  return defined(column.kind === 'string' ? column.values[row] : undefined, 'text to parse');
}

function refuseNull(from: DataType, to: DataType): never {
  throw new MusterError(
    valueType(from).kind === 'Nothing'
      ? 'CANNOT_CONVERT_TYPE'
      : 'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
    `Cannot convert NULL value to non-Nullable type ${formatType(to)}`,
  );
}

function cannotConvert(from: DataType, to: DataType): MusterError {
  return new MusterError(
    'CANNOT_CONVERT_TYPE',
    `Conversion from ${formatType(from)} to ${formatType(to)} is not supported`,
  );
}
