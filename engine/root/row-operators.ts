// Root operators over whole relations: filter, project, array join, sort, limits, distinct, joins.

import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { GroupTable } from '../library/columns/group-table.ts';
import { JoinTable } from '../library/columns/join-table.ts';
import { sortPermutation } from '../library/columns/sort.ts';
import { maskIndex, repeat } from '../library/columns/take.ts';
import { takeOrDefault } from '../library/columns/take-or-default.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import type { Operator, SortKey } from '../plan/physical-plan.ts';
import { evaluate, evaluateCondition, evaluateFull } from '../rows/evaluate.ts';
import {
  absent,
  fullColumn,
  narrowed,
  plain,
  type Relation,
  type RelationColumn,
  takeRows,
} from '../rows/relation.ts';
import { defaultColumn } from '../values/column-shape.ts';
import type { Evaluation, SetEvaluation } from './evaluation.ts';

/** Rows that one join may give; the setting max_rows_in_join changes it. */
const joinedRowsMax = 50_000_000;

/** `needed`: which columns of the result somebody reads. */
interface RowOptions {
  readonly evaluation: SetEvaluation;
  readonly needed: readonly boolean[];
}

export function filterRows(
  input: Relation,
  condition: BoundExpression,
  { evaluation, needed }: RowOptions,
): Relation {
  const { mask, constant } = evaluateCondition(condition, input, evaluation);
  if (constant) {
    return mask[0] === 1 ? input : takeRows(narrowed(input, needed), new Int32Array(0), evaluation);
  }
  const index = maskIndex(mask);
  return index.length === input.rows ? input : takeRows(narrowed(input, needed), index, evaluation);
}

export function projectRows(
  input: Relation,
  columns: readonly BoundExpression[],
  options: RowOptions,
): Relation {
  return {
    rows: input.rows,
    columns: columns.map((column, i) =>
      options.needed[i] === true ? evaluate(column, input, options.evaluation) : absent,
    ),
  };
}

/** Appends the items of the arrays, one row each; arrays of one row must be of one length. */
export function arrayJoinRows(
  input: Relation,
  operator: Extract<Operator, { op: 'array-join' }>,
  { evaluation, needed }: RowOptions,
): Relation {
  const arrays = operator.arrays.map((array) => {
    const column = evaluateFull(array, input, evaluation);
    assert(column.kind === 'array', 'ARRAY JOIN is over arrays');
    return column;
  });
  const first = arrays[0]!;
  checkLengths(arrays, input.rows);
  const { index, filled } = repeatIndex(first.offsets, input.rows, operator.left);
  const repeated = takeRows(narrowed(input, needed), index, evaluation);
  const items = arrays.map((array, i): RelationColumn => {
    const start = array.offsets[0] ?? 0;
    const compact = start === 0 && columnLength(array.items) === array.offsets[input.rows];
    if (filled === undefined && compact) return plain(array.items);
    const chosen = filled ?? sequence(start, index.length);
    return plain(takeOrDefault(array.items, chosen, itemType(operator.arrays[i]!)));
  });
  return { rows: index.length, columns: [...repeated.columns, ...items] };
}

function itemType({ type }: BoundExpression): DataType {
  assert(type.kind === 'Array', 'ARRAY JOIN is over arrays');
  return type.item;
}

function sequence(start: number, length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => start + i);
}

function checkLengths(arrays: readonly Extract<Column, { kind: 'array' }>[], rows: number): void {
  const first = arrays[0]!.offsets;
  for (const array of arrays.slice(1)) {
    for (let row = 0; row < rows; row++) {
      const length = (array.offsets[row + 1] as number) - (array.offsets[row] as number);
      if (length === (first[row + 1] as number) - (first[row] as number)) continue;
      throw new MusterError(
        'SIZES_OF_ARRAYS_DONT_MATCH',
        'Sizes of ARRAY-JOIN-ed arrays do not match',
      );
    }
  }
}

/** Input row of each result row; with `left`, item of each result row too (-1 for an empty array). */
function repeatIndex(
  offsets: Uint32Array,
  rows: number,
  left: boolean,
): { readonly index: Int32Array; readonly filled?: Int32Array } {
  const length = (row: number): number => (offsets[row + 1] as number) - (offsets[row] as number);
  let total = 0;
  for (let row = 0; row < rows; row++) total += left ? Math.max(1, length(row)) : length(row);
  const index = new Int32Array(total);
  const filled = left ? new Int32Array(total) : undefined;
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const count = length(row);
    if (left && count === 0) {
      filled![at] = -1;
      index[at++] = row;
    }
    for (let i = 0; i < count; i++) {
      if (filled !== undefined) filled[at] = (offsets[row] as number) + i;
      index[at++] = row;
    }
  }
  return filled === undefined ? { index } : { index, filled };
}

export function sortRows(
  input: Relation,
  keys: readonly SortKey[],
  { evaluation, needed }: RowOptions,
): Relation {
  const columns = keys.map((key) => ({
    column: evaluateFull(key.value, input, evaluation),
    descending: key.descending,
    nullsFirst: key.nullsFirst,
  }));
  return takeRows(narrowed(input, needed), sortPermutation(columns, input.rows), evaluation);
}

export function limitByRows(
  input: Relation,
  operator: Extract<Operator, { op: 'limit-by' }>,
  { evaluation, needed }: RowOptions,
): Relation {
  const groups = groupNumbers(operator.by, input, evaluation);
  const seen = new Map<number, number>();
  const mask = new Uint8Array(input.rows);
  for (let row = 0; row < input.rows; row++) {
    const group = groups[row] as number;
    const before = seen.get(group) ?? 0;
    seen.set(group, before + 1);
    mask[row] = before >= operator.offset && before < operator.offset + operator.limit ? 1 : 0;
  }
  return takeRows(narrowed(input, needed), maskIndex(mask), evaluation);
}

export function distinctRows(
  input: Relation,
  options: {
    readonly columns: number;
    readonly types: readonly BoundExpression['type'][];
    readonly evaluation: SetEvaluation;
  },
): Relation {
  const expressions = options.types
    .slice(0, options.columns)
    .map((type, index): BoundExpression => ({ kind: 'column', type, index }));
  const groups = groupNumbers(expressions, input, options.evaluation);
  const mask = new Uint8Array(input.rows);
  let next = 0;
  for (let row = 0; row < input.rows; row++) {
    if (groups[row] !== next) continue;
    mask[row] = 1;
    next++;
  }
  return takeRows(input, maskIndex(mask), options.evaluation);
}

function groupNumbers(
  by: readonly BoundExpression[],
  input: Relation,
  evaluation: SetEvaluation,
): Uint32Array {
  const table = new GroupTable(by.map((one) => one.type));
  const columns = by.map((one) => evaluateFull(one, input, evaluation));
  return table.add(columns, input.rows);
}

export function joinRows(
  operator: Extract<Operator, { op: 'join' }>,
  sides: {
    readonly left: Relation;
    readonly right: Relation;
    readonly rightTypes: readonly DataType[];
  },
  { evaluation, needed }: RowOptions & { readonly evaluation: Evaluation },
): Relation {
  const { left, right, rightTypes } = sides;
  const pairs =
    operator.how === 'cross'
      ? crossPairs(left, right, evaluation)
      : keyPairs(operator, sides, evaluation);
  checkJoined(pairs.probe.length, evaluation);
  const { graph } = evaluation;
  const missTypes = operator.how === 'left' ? rightTypes : undefined;
  const options = { graph, missingIsNull: operator.missesAreNull, missTypes };
  const fromLeft = takeRows(narrowed(left, needed), pairs.probe, evaluation);
  const fromRight = takeRows(
    narrowed(right, needed.slice(left.columns.length)),
    pairs.build,
    options,
  );
  return { rows: pairs.probe.length, columns: [...fromLeft.columns, ...fromRight.columns] };
}

function keyPairs(
  operator: Extract<Operator, { op: 'join' }>,
  { left, right }: { readonly left: Relation; readonly right: Relation },
  evaluation: Evaluation,
) {
  const types = operator.rightKeys.map((key) => key.type);
  const buildKeys = operator.rightKeys.map((key) => evaluateFull(key, right, evaluation));
  const probeKeys = operator.leftKeys.map((key) => evaluateFull(key, left, evaluation));
  const table = new JoinTable(types, buildKeys, right.rows);
  return table.match(probeKeys, left.rows, operator.how === 'left');
}

function crossPairs(left: Relation, right: Relation, evaluation: Evaluation) {
  checkJoined(left.rows * right.rows, evaluation);
  const probe = new Int32Array(left.rows * right.rows);
  const build = new Int32Array(probe.length);
  let at = 0;
  for (let a = 0; a < left.rows; a++) {
    for (let b = 0; b < right.rows; b++) {
      probe[at] = a;
      build[at++] = b;
    }
  }
  return { probe, build };
}

function checkJoined(rows: number, evaluation: Evaluation): void {
  const rowsMax = evaluation.context.settings.maxRowsInJoin || joinedRowsMax;
  if (rows <= rowsMax) return;
  throw new MusterError(
    'TOO_MANY_ROWS',
    `Limit for rows of a JOIN exceeded: ${rows} rows, maximum: ${rowsMax} (setting max_rows_in_join)`,
  );
}

/** What a scalar subquery without rows gives, or stands in for it where it is an error. */
export function nullRow(type: DataType): Column {
  if (type.kind === 'Bitmap') return { kind: 'string', values: [''] };
  return defaultColumn(type, 1);
}

/** The one row of a scalar subquery. */
export function singleRow(
  input: Relation,
  type: BoundExpression['type'],
  nullColumn: Column,
): Relation {
  if (input.rows > 1) {
    throw new MusterError(
      'INCORRECT_RESULT_OF_SCALAR_SUBQUERY',
      `Scalar subquery returned more than one row (${input.rows})`,
    );
  }
  if (input.rows === 1) {
    const column = input.columns[0]!;
    if (column.kind !== 'plain')
      return { rows: 1, columns: [{ ...column, constant: true } as RelationColumn] };
    return { rows: 1, columns: [{ ...column, column: fullColumn(column, 1), constant: true }] };
  }
  if (type.kind === 'Bitmap') {
    throw new MusterError(
      'INCORRECT_RESULT_OF_SCALAR_SUBQUERY',
      'Scalar subquery returned empty result of type AggregateFunction(groupBitmap) which cannot be Nullable',
    );
  }
  return { rows: 1, columns: [{ kind: 'plain', column: repeat(nullColumn, 1), constant: true }] };
}
