// GROUP BY at the root: blocks of rows in, one relation of groups out. Plain aggregates run in the
// library; sets are gathered as lists of rows to fold, ids of plain rows as lists of ordinals.

import { domainOfIds, noKeys } from '../../storage-format/key-list.ts';
import { assert, defined } from '../../base/assert.ts';
import { consecutive, consecutiveStart, joinedNumbers } from '../../base/consecutive.ts';
import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import { oneGroup } from '../library/aggregate/one-group.ts';
import type { Aggregation } from '../library/aggregate-function.ts';
import { compareRows } from '../library/columns/compare.ts';
import { GroupTable } from '../library/columns/group-table.ts';
import { anyNull, withoutNulls } from '../library/columns/nulls.ts';
import { take } from '../library/columns/take.ts';
import type { AggregateExpression, BoundExpression } from '../plan/bound-expression.ts';
import { createPlainAggregation } from '../plan/function-calls.ts';
import { evaluate, evaluateCondition, evaluateFull } from '../rows/evaluate.ts';
import { absent, fullSet, plain, type Relation, type RelationColumn } from '../rows/relation.ts';
import { GatheredCodes } from '../worker/gathered-codes.ts';
import type { SetEvaluation } from './evaluation.ts';
import { GatheredIds } from './gathered-ids.ts';
import type { SetNodeId } from './set-graph.ts';

interface AggregateShape {
  readonly keys: readonly BoundExpression[];
  readonly aggregates: readonly AggregateExpression[];
  /** Per result column: keys, then aggregates. */
  readonly needed: readonly boolean[];
}

/** One aggregate's state over all groups. */
interface Accumulator {
  add(relation: Relation, groups: Uint32Array): void;
  finish(groupCount: number): RelationColumn;
  bytes(): number;
}

export class GroupBy {
  readonly #shape: AggregateShape;
  readonly #evaluation: SetEvaluation;
  readonly #table: GroupTable;
  readonly #accumulators: readonly (Accumulator | undefined)[];
  /** Once it is finished: a row for each group, whether or not somebody reads them. */
  keys: readonly Column[] = [];

  constructor(shape: AggregateShape, evaluation: SetEvaluation) {
    this.#shape = shape;
    this.#evaluation = evaluation;
    this.#table = new GroupTable(shape.keys.map((key) => key.type));
    this.#accumulators = shape.aggregates.map((aggregate, i) =>
      shape.needed[shape.keys.length + i] === true
        ? createAccumulator(aggregate, evaluation)
        : undefined,
    );
  }

  /** Throws MEMORY_LIMIT_EXCEEDED (241) and TOO_MANY_ROWS (158). */
  add(relation: Relation): void {
    const { rows } = relation;
    if (rows === 0) return;
    const { keys } = this.#shape;
    const columns = keys.map((key) => evaluateFull(key, relation, this.#evaluation));
    const groups = keys.length === 0 ? oneGroup(rows) : this.#table.add(columns, rows);
    for (const accumulator of this.#accumulators) accumulator?.add(relation, groups);
    this.#checkLimits();
  }

  finish(): Relation {
    const { keys, needed } = this.#shape;
    const groupCount = keys.length === 0 ? 1 : this.#table.size;
    const keyColumns = keys.length === 0 ? [] : this.#table.keys();
    this.keys = keyColumns;
    const columns: RelationColumn[] = keyColumns.map((column, i) =>
      needed[i] === true ? plain(column) : absent,
    );
    for (const accumulator of this.#accumulators) {
      columns.push(accumulator?.finish(groupCount) ?? absent);
    }
    return { rows: groupCount, columns };
  }

  #checkLimits(): void {
    const { maxMemoryUsage, maxRowsToGroupBy } = this.#evaluation.limits;
    let bytes = this.#table.bytes();
    for (const accumulator of this.#accumulators) bytes += accumulator?.bytes() ?? 0;
    if (bytes > maxMemoryUsage) throw memoryExceeded(bytes, maxMemoryUsage);
    if (maxRowsToGroupBy > 0 && this.#table.size > maxRowsToGroupBy) {
      throw new MusterError(
        'TOO_MANY_ROWS',
        `Limit for rows to GROUP BY exceeded: has ${this.#table.size} rows, maximum: ${maxRowsToGroupBy} (setting max_rows_to_group_by)`,
      );
    }
  }
}

export function memoryExceeded(bytes: number, bytesMax: number): MusterError {
  return new MusterError(
    'MEMORY_LIMIT_EXCEEDED',
    `Memory limit exceeded: the query would use ${bytes} bytes, maximum: ${bytesMax} (setting max_memory_usage)`,
  );
}

/** None for sets that are not made here. */
function createAccumulator(
  aggregate: AggregateExpression,
  evaluation: SetEvaluation,
): Accumulator | undefined {
  switch (aggregate.call.what) {
    case 'plain':
      return new PlainAccumulator(aggregate, evaluation);
    case 'intern':
      return new InternAccumulator(aggregate, evaluation);
    case 'codes':
      return new CodeAccumulator(aggregate, evaluation);
    case 'grouped':
      return undefined;
    case 'fold':
    case 'pick':
      return new SetAccumulator(aggregate, evaluation);
  }
}

/** Row numbers that the condition keeps; undefined: all. */
function keptRows(
  aggregate: AggregateExpression,
  relation: Relation,
  evaluation: SetEvaluation,
): Int32Array | undefined {
  if (aggregate.condition === undefined) return undefined;
  const { mask, constant } = evaluateCondition(aggregate.condition, relation, evaluation);
  if (constant) return mask[0] === 1 ? undefined : new Int32Array(0);
  return rowsWhere(mask, 1);
}

function rowsWhere(mask: Uint8Array, wanted: 0 | 1): Int32Array {
  const rows = new Int32Array(mask.length);
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (Number(mask[i] !== 0) === wanted) rows[count++] = i;
  return rows.subarray(0, count);
}

function groupsOf(groups: Uint32Array, rows: Int32Array): Uint32Array {
  const out = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = groups[rows[i] as number] as number;
  return out;
}

class PlainAccumulator implements Accumulator {
  readonly #aggregate: AggregateExpression;
  readonly #evaluation: SetEvaluation;
  readonly #aggregation: Aggregation;

  constructor(aggregate: AggregateExpression, evaluation: SetEvaluation) {
    this.#aggregate = aggregate;
    this.#evaluation = evaluation;
    this.#aggregation = createPlainAggregation(aggregate);
  }

  add(relation: Relation, groups: Uint32Array): void {
    const kept = keptRows(this.#aggregate, relation, this.#evaluation);
    const columns = this.#aggregate.call.arguments.map((one) =>
      evaluateFull(one, relation, this.#evaluation),
    );
    if (kept === undefined) this.#aggregation.add(columns, groups);
    else {
      this.#aggregation.add(
        columns.map((column) => take(column, kept)),
        groupsOf(groups, kept),
      );
    }
  }

  finish(groupCount: number): RelationColumn {
    return plain(this.#aggregation.finish(groupCount));
  }

  bytes(): number {
    return this.#aggregation.bytes();
  }
}

/** groupBitmapState over plain rows: NULL ids are left out. */
class InternAccumulator implements Accumulator {
  readonly #aggregate: AggregateExpression;
  readonly #evaluation: SetEvaluation;
  readonly #ids: GatheredIds;

  constructor(aggregate: AggregateExpression, evaluation: SetEvaluation) {
    this.#aggregate = aggregate;
    this.#evaluation = evaluation;
    const { type } = aggregate;
    const domain = type.kind === 'Bitmap' ? domainOfIds(type.id) : 'integer';
    this.#ids = new GatheredIds(domain, evaluation.takenByInsert === true);
  }

  add(relation: Relation, allGroups: Uint32Array): void {
    let kept = keptRows(this.#aggregate, relation, this.#evaluation);
    const operand = this.#aggregate.call.arguments[0];
    let column = evaluateFull(operand, relation, this.#evaluation);
    if (kept !== undefined) column = take(column, kept);
    let groups = kept === undefined ? allGroups : groupsOf(allGroups, kept);
    const nulls = anyNull([column], groups.length);
    if (nulls !== undefined) {
      kept = rowsWhere(nulls, 0);
      column = withoutNulls(take(column, kept));
      groups = groupsOf(groups, kept);
    }
    this.#ids.add(column, groups);
  }

  finish(groupCount: number): RelationColumn {
    const node = this.#evaluation.graph.raw(this.#ids.finish(groupCount));
    return { kind: 'set', node, constant: false };
  }

  bytes(): number {
    return this.#ids.bytes;
  }
}

/** groupBitmapState over ids of rows that hold their codes. */
class CodeAccumulator implements Accumulator {
  readonly #aggregate: AggregateExpression;
  readonly #evaluation: SetEvaluation;
  readonly #dictionary: number;
  readonly #gathered: GatheredCodes;

  constructor(aggregate: AggregateExpression, evaluation: SetEvaluation) {
    const { dictionary, end } = defined(evaluation.codes, 'rows that hold codes');
    this.#aggregate = aggregate;
    this.#evaluation = evaluation;
    this.#dictionary = dictionary;
    this.#gathered = new GatheredCodes(end);
  }

  add(relation: Relation, allGroups: Uint32Array): void {
    const kept = keptRows(this.#aggregate, relation, this.#evaluation);
    const { call } = this.#aggregate;
    assert(call.what === 'codes', 'codes are gathered');
    const all = evaluateFull(call.arguments[0], relation, this.#evaluation);
    const codes = kept === undefined ? all : take(all, kept);
    assert(codes.kind === 'number', 'codes are numbers');
    this.#gathered.add(kept === undefined ? allGroups : groupsOf(allGroups, kept), codes.values);
  }

  finish(groupCount: number): RelationColumn {
    const node = this.#evaluation.graph.here(this.#gathered.finish(groupCount), this.#dictionary);
    return { kind: 'set', node, constant: false };
  }

  bytes(): number {
    return this.#gathered.bytes();
  }
}

/** Folds of sets, and any/argMax of sets: which rows of which group, in order of rows. */
class SetAccumulator implements Accumulator {
  readonly #aggregate: AggregateExpression;
  readonly #evaluation: SetEvaluation;
  readonly #sets: SetNodeId[] = [];
  readonly #groups: Uint32Array[] = [];
  readonly #orders: Column[] = [];
  #rows = 0;

  constructor(aggregate: AggregateExpression, evaluation: SetEvaluation) {
    this.#aggregate = aggregate;
    this.#evaluation = evaluation;
  }

  add(relation: Relation, groups: Uint32Array): void {
    const { graph } = this.#evaluation;
    const kept = keptRows(this.#aggregate, relation, this.#evaluation);
    const [set, order] = this.#aggregate.call.arguments;
    let node = fullSet(evaluate(set, relation, this.#evaluation), relation.rows, graph);
    if (kept !== undefined) node = graph.take(node, kept);
    this.#sets.push(node);
    this.#groups.push(kept === undefined ? groups : groupsOf(groups, kept));
    this.#rows += kept?.length ?? relation.rows;
    if (order === undefined) return;
    const column = evaluateFull(order, relation, this.#evaluation);
    this.#orders.push(kept === undefined ? column : take(column, kept));
  }

  finish(groupCount: number): RelationColumn {
    const node = this.#sets.length === 0 ? this.#emptySets(groupCount) : this.#finish(groupCount);
    return { kind: 'set', node, constant: false };
  }

  bytes(): number {
    return 8 * this.#rows;
  }

  #finish(groupCount: number): SetNodeId {
    const { graph } = this.#evaluation;
    const all = graph.concat(this.#sets);
    const groups = joined(this.#groups);
    const { call } = this.#aggregate;
    if (call.what === 'fold') return graph.fold(call.how, all, groupLists(groups, groupCount));
    assert(call.what === 'pick', 'aggregates over sets fold or pick');
    return graph.take(all, this.#picked(call.how, groups, groupCount));
  }

  #picked(
    how: 'any' | 'anyLast' | 'argMin' | 'argMax',
    groups: Uint32Array,
    groupCount: number,
  ): Int32Array {
    const picked = new Int32Array(groupCount).fill(-1);
    const order = this.#orders.length === 0 ? undefined : concatColumns(this.#orders);
    for (let row = 0; row < groups.length; row++) {
      const group = groups[row] as number;
      const best = picked[group] as number;
      if (best < 0 || how === 'anyLast') picked[group] = row;
      else if (order !== undefined) {
        const sign = compareRows(order, order, { a: row, b: best });
        if (how === 'argMax' ? sign > 0 : sign < 0) picked[group] = row;
      }
    }
    return picked;
  }

  #emptySets(groupCount: number): SetNodeId {
    const { type } = this.#aggregate;
    const keys = noKeys(type.kind === 'Bitmap' ? domainOfIds(type.id) : 'integer');
    const offsets = new Uint32Array(groupCount + 1);
    return this.#evaluation.graph.raw({ keys, offsets, ordinals: new Uint32Array(0) });
  }
}

/** Blocks that follow each other stay what they are: numbers that do. */
function joined(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0]!;
  const views = parts.map((part) => new Int32Array(part.buffer, part.byteOffset, part.length));
  const all = joinedNumbers(views);
  return new Uint32Array(all.buffer, all.byteOffset, all.length);
}

/** Rows by group, in order of rows within a group: a counting sort. */
function groupLists(
  groups: Uint32Array,
  groupCount: number,
): { readonly offsets: Uint32Array; readonly index: Int32Array } {
  if (groupCount === 1) return oneList(groups.length);
  if (groups.length === groupCount && consecutiveStart(groups) === 0) return listsOfOne(groupCount);
  const offsets = new Uint32Array(groupCount + 1);
  for (let i = 0; i < groups.length; i++) {
    const next = (groups[i] as number) + 1;
    offsets[next] = (offsets[next] as number) + 1;
  }
  for (let g = 0; g < groupCount; g++) {
    offsets[g + 1] = (offsets[g + 1] as number) + (offsets[g] as number);
  }
  const at = offsets.slice();
  const index = new Int32Array(groups.length);
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] as number;
    const place = at[group] as number;
    index[place] = i;
    at[group] = place + 1;
  }
  return { offsets, index };
}

function oneList(rows: number): { readonly offsets: Uint32Array; readonly index: Int32Array } {
  return { offsets: Uint32Array.of(0, rows), index: consecutive(0, rows) };
}

/** Row i is list i. */
function listsOfOne(rows: number): { readonly offsets: Uint32Array; readonly index: Int32Array } {
  const ends = consecutive(0, rows + 1);
  const offsets = new Uint32Array(ends.buffer, ends.byteOffset, ends.length);
  return { offsets, index: consecutive(0, rows) };
}
