// Which stripes a scan's condition leaves out, from catalog entries alone: bounds of the first key
// column and, where rows are not merged, zones of the others. Any condition is taken; parts of it
// that say nothing about bounds keep every stripe.

import { MusterError } from '../../base/errors.ts';
import type { StripeEntry } from '../../catalog/entry.ts';
import type { ColumnSchema, TableSchema } from '../../catalog/schema.ts';
import { encodeKeyTuple, type KeyValue } from '../../storage-format/key-tuple.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import { type CastContext, castColumn } from '../library/cast.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import type { Operator } from '../plan/physical-plan.ts';
import { type Value, valueAt } from '../values/column-builder.ts';

type ScanOperator = Extract<Operator, { op: 'scan' }>;
type Scan = ScanOperator & { readonly context: CastContext };
type StripeTest = (stripe: StripeEntry) => boolean;

/** A test that may keep too much, never too little; undefined where nothing can be left out. */
export function stripeFilter(operator: ScanOperator, context: CastContext): StripeTest | undefined {
  if (operator.where === undefined) return undefined;
  return testOf(operator.where, { ...operator, context });
}

function testOf(condition: BoundExpression, scan: Scan): StripeTest | undefined {
  if (condition.kind !== 'call') return undefined;
  const { name, arguments: operands } = condition;
  if (name === 'and') {
    const tests = operands.map((one) => testOf(one, scan)).filter((one) => one !== undefined);
    return tests.length === 0 ? undefined : (stripe) => tests.every((test) => test(stripe));
  }
  if (name === 'or') {
    const tests = operands.map((one) => testOf(one, scan));
    if (tests.some((test) => test === undefined)) return undefined;
    return (stripe) => tests.some((test) => test!(stripe));
  }
  return comparisonTest(name, operands, scan);
}

const mirrored: Readonly<Record<string, string>> = {
  equals: 'equals',
  less: 'greater',
  lessOrEquals: 'greaterOrEquals',
  greater: 'less',
  greaterOrEquals: 'lessOrEquals',
};

function comparisonTest(
  name: string,
  operands: readonly BoundExpression[],
  scan: Scan,
): StripeTest | undefined {
  const [a, b] = operands;
  if (a === undefined || b === undefined) return undefined;
  if (a.kind === 'column' && b.kind === 'constant') return boundsTest(name, a, b, scan);
  const other = mirrored[name];
  if (other !== undefined && b.kind === 'column' && a.kind === 'constant') {
    return boundsTest(other, b, a, scan);
  }
  return undefined;
}

type ColumnOperand = Extract<BoundExpression, { kind: 'column' }>;
type ConstantOperand = Extract<BoundExpression, { kind: 'constant' }>;

// oxlint-disable-next-line max-params -- the parts of one comparison, and where its column lies
function boundsTest(
  name: string,
  operand: ColumnOperand,
  constant: ConstantOperand,
  scan: Scan,
): StripeTest | undefined {
  const column = scan.table.schema.columns[scan.columns[operand.index] ?? -1];
  if (column === undefined) return undefined;
  const range = boundsOf(column, scan.table.schema);
  const values = encodedValues(name, column.type, { constant, context: scan.context });
  if (range === undefined || values === undefined) return undefined;
  return (stripe) => {
    const bounds = range(stripe);
    return bounds === undefined || values.some((value) => overlaps(name, bounds, value));
  };
}

interface Bounds {
  readonly min: string;
  readonly max: string;
}

/** Encoded bounds of a column in a stripe; a longer key is cut to compare by its first column. */
function boundsOf(
  column: ColumnSchema,
  schema: TableSchema,
): ((stripe: StripeEntry) => Bounds | undefined) | undefined {
  if (schema.orderBy[0] === column.name) {
    return ({ keyMin: min, keyMax: max }) => (max === '' ? undefined : { min, max });
  }
  if (schema.partitionBy === column.name) {
    return ({ partition }) => ({ min: partition, max: partition });
  }
  const isKey = schema.orderBy.includes(column.name);
  if (schema.engine !== 'MergeTree' && !isKey) return undefined;
  return (stripe) => stripe.zones.find((zone) => zone.columnId === column.id);
}

/** Bounds are of whole keys: a value's encoding is a prefix of the keys that begin with it. */
function overlaps(name: string, { min, max }: Bounds, value: string): boolean {
  const reachesDown = min.slice(0, value.length) <= value;
  const reachesUp = max.slice(0, value.length) >= value;
  if (name === 'equals' || name === '_in') return reachesDown && reachesUp;
  return name === 'less' || name === 'lessOrEquals' ? reachesDown : reachesUp;
}

/** Constants as key tuples of one column; undefined where they could compare otherwise. */
function encodedValues(
  name: string,
  type: DataType,
  given: { readonly constant: ConstantOperand; readonly context: CastContext },
): readonly string[] | undefined {
  if (!(name in mirrored) && name !== '_in') return undefined;
  const plain = valueType(type);
  const constant = asTime(given.constant, plain, given.context);
  const values = constantValues(name, constant);
  const from =
    name === '_in' && constant.type.kind === 'Array' ? constant.type.item : constant.type;
  const fitted = values.map((value) => fit(value, valueType(from), plain));
  if (fitted.some((value) => value === undefined)) return undefined;
  return fitted.map((value) =>
    Buffer.from(encodeKeyTuple([value as KeyValue], [plain])).toString('latin1'),
  );
}

/** Text beside a date is that date; what is no date is left to the comparison itself. */
function asTime(constant: ConstantOperand, to: DataType, context: CastContext): ConstantOperand {
  const isTime = to.kind === 'Date' || to.kind === 'DateTime';
  if (!isTime || constant.type.kind !== 'String') return constant;
  try {
    const value = castColumn(constant.value, constant.type, { to, context });
    return { kind: 'constant', type: to, value };
  } catch (error) {
    if (error instanceof MusterError) return constant;
    throw error;
  }
}

function constantValues(name: string, constant: ConstantOperand): readonly Value[] {
  const value = valueAt(constant.value, 0);
  return name === '_in' && Array.isArray(value) ? value : [value];
}

const exactTypes = /^(U?Int(8|16|32|64)|String|Date|DateTime)$/;

/** Only values of the column's own kind: a String beside a Date is left to the filter. */
function fit(value: Value, from: DataType, to: DataType): Value | undefined {
  if (value === null || !exactTypes.test(to.kind)) return undefined;
  if (from.kind === to.kind) return value;
  if (!/Int/.test(from.kind) || !/Int/.test(to.kind)) return undefined;
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return fitsInteger(BigInt(value), to.kind)
    ? to.kind.endsWith('64')
      ? BigInt(value)
      : Number(value)
    : undefined;
}

function fitsInteger(value: bigint, kind: string): boolean {
  const bits = Number(/\d+/.exec(kind)?.[0] ?? '64');
  return kind.startsWith('U')
    ? BigInt.asUintN(bits, value) === value
    : BigInt.asIntN(bits, value) === value;
}
