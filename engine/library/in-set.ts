// x IN (...): a set of constants prepared once, and membership of rows. The constants are converted
// to the type of x; those that it cannot hold exactly match nothing, as in ClickHouse. NULLs in the
// set match nothing; a NULL on the left gives NULL.

import { assert, defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { formatType, isNullable, sameType } from '../../storage-format/data-type.ts';
import { fullColumn } from './apply-function.ts';
import { canCast, castColumn } from './cast.ts';
import { GroupTable } from './columns/group-table.ts';
import { anyNull, nullMask, withNulls, withoutNulls } from './columns/nulls.ts';
import { maskIndex, take } from './columns/take.ts';
import { makeNullable, stripLowCardinality, stripNullable } from './common-type.ts';
import { numericShape, uint8 } from './numeric-types.ts';
import type { Argument, FunctionContext } from './scalar-function.ts';
import { equal, orderRows } from './scalar/order-lanes.ts';

/** The constants: one column per element of the left side. */
interface InConstants {
  readonly types: readonly DataType[];
  readonly columns: readonly Column[];
  readonly rows: number;
}

interface InSet {
  /** UInt8, Nullable where the left side is, LowCardinality likewise. */
  readonly type: DataType;
  /** Distinct constants that can match. */
  readonly size: number;
  evaluate(left: Argument, rows: number, negated?: boolean): Argument;
}

/** `left` is a Tuple where the set has several columns. Throws 53 where types cannot meet. */
export function buildInSet(
  left: DataType,
  constants: InConstants,
  context: FunctionContext,
): InSet {
  const plain = stripLowCardinality(left);
  const bare = stripNullable(plain);
  if (bare.kind === 'Nothing') return nullSet(plain);
  const source = exploded(bare, constants);
  const wanted = elementTypes(bare, source.types.length).map(stripNullable);
  if (wanted.length !== source.types.length) {
    throw new MusterError(
      'TYPE_MISMATCH',
      `Number of columns in the IN set doesn't match: ${wanted.length} at left, ` +
        `${source.types.length} at right`,
    );
  }
  const table = new GroupTable(wanted);
  fillTable(table, wanted, { source, context });
  const type = resultType(left, plain);
  return {
    type,
    size: table.size,
    evaluate: (argument, rows, negated = false) => {
      const column = evaluateIn(table, argument, { rows: argument.constant ? 1 : rows, negated });
      return { type, column, constant: argument.constant };
    },
  };
}

/** NULL IN (...) is NULL. */
function nullSet(type: DataType): InSet {
  const column: Column = { kind: 'number', values: new Uint8Array(1), nulls: Uint8Array.of(1) };
  return { type, size: 0, evaluate: () => ({ type, column, constant: true }) };
}

function resultType(left: DataType, plain: DataType): DataType {
  const result = isNullable(plain) ? makeNullable(uint8) : uint8;
  return left.kind === 'LowCardinality' ? { kind: 'LowCardinality', inner: result } : result;
}

/** A set of tuples as one column per element, where the left side is a tuple. */
function exploded(left: DataType, constants: InConstants): InConstants {
  const [type] = constants.types;
  const [column] = constants.columns;
  const bare = type === undefined ? undefined : stripLowCardinality(type);
  if (left.kind !== 'Tuple' || constants.types.length !== 1 || bare?.kind !== 'Tuple') {
    return constants;
  }
  assert(column?.kind === 'tuple', 'a column of tuples');
  return { types: bare.fields.map((f) => f.type), columns: column.fields, rows: constants.rows };
}

function elementTypes(left: DataType, columns: number): readonly DataType[] {
  if (left.kind === 'Tuple' && columns > 1) return left.fields.map((field) => field.type);
  if (left.kind === 'Tuple' && left.fields.length === 1) return left.fields.map((f) => f.type);
  return [left];
}

function fillTable(
  table: GroupTable,
  wanted: readonly DataType[],
  from: { readonly source: InConstants; readonly context: FunctionContext },
): void {
  const { source, context } = from;
  const usable = new Uint8Array(source.rows).fill(1);
  const nulls = anyNull(source.columns, source.rows);
  if (nulls !== undefined) for (let i = 0; i < usable.length; i++) usable[i] = 1 - (nulls[i] ?? 0);
  const notNull = maskIndex(usable);
  const exact = new Uint8Array(notNull.length).fill(1);
  const columns = wanted.map((to, k) => {
    const column = take(withoutNulls(defined(source.columns[k], 'set column')), notNull);
    const type = stripNullable(stripLowCardinality(defined(source.types[k], 'set type')));
    return convert(column, type, { to, context, exact });
  });
  const index = maskIndex(exact);
  table.add(
    columns.map((column) => take(column, index)),
    index.length,
  );
}

interface Conversion {
  readonly to: DataType;
  readonly context: FunctionContext;
  /** Cleared for rows that the type cannot hold exactly. */
  readonly exact: Uint8Array;
}

function convert(column: Column, from: DataType, conversion: Conversion): Column {
  const { to, context, exact } = conversion;
  if (sameType(from, to)) return column;
  if (from.kind === 'Nothing') return castColumn(column, from, { to, context });
  if (!canCast(from, to)) {
    throw new MusterError(
      'TYPE_MISMATCH',
      `Types of values in the IN set (${formatType(from)}) cannot be converted to ${formatType(to)}`,
    );
  }
  if (to.kind === 'Enum8' && from.kind === 'String') return enumNames(column, conversion);
  const source = numericShape(from)?.float === true ? finiteOnly(column, exact) : column;
  const result = castColumn(source, from, { to, context });
  if (from.kind === 'String' || to.kind === 'String') return result;
  if (numericShape(from) === undefined || numericShape(to) === undefined) return result;
  const order = orderRows(
    { type: from, column: source, constant: false },
    { type: to, column: result, constant: false },
    exact.length,
  );
  for (let i = 0; i < exact.length; i++) if (order[i] !== equal) exact[i] = 0;
  return result;
}

function finiteOnly(column: Column, exact: Uint8Array): Column {
  assert(column.kind === 'number', 'floats are numbers');
  const values = column.values.slice();
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue;
    exact[i] = 0;
    values[i] = 0;
  }
  return { kind: 'number', values };
}

function enumNames(column: Column, conversion: Conversion): Column {
  const { to, exact } = conversion;
  assert(to.kind === 'Enum8' && column.kind === 'string', 'names of an enum');
  const byName = new Map(to.members.map((member) => [member.name, member.value]));
  const values = Int8Array.from(column.values, (name, i) => {
    const value = byName.get(name);
    if (value === undefined) exact[i] = 0;
    return value ?? 0;
  });
  return { kind: 'number', values };
}

function evaluateIn(
  table: GroupTable,
  left: Argument,
  options: { readonly rows: number; readonly negated: boolean },
): Column {
  const { rows, negated } = options;
  const column = fullColumn(left, rows);
  const values = new Uint8Array(rows);
  const isTuple = column.kind === 'tuple' && table.keyCount > 1;
  const columns =
    isTuple || (column.kind === 'tuple' && column.fields.length === 1)
      ? column.fields
      : [withoutNulls(column)];
  const found = table.find(columns, rows);
  const inside = negated ? 0 : 1;
  for (let i = 0; i < rows; i++) values[i] = (found[i] ?? -1) < 0 ? 1 - inside : inside;
  const nulls = nullMask(column);
  if (nulls !== undefined) return withNulls({ kind: 'number', values }, nulls);
  return { kind: 'number', values };
}
