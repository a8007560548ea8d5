// Rows worked off where they lie. Of a table that is grouped by columns the first slice of a group
// reads the group's stripes, merges them if the table is read merged, and runs the fragment's operators
// over them, block by block. Sets stay codes; questions about them are batches of this one slice, and
// only ids that are answered are decoded.

import { assert, defined } from '../../base/assert.ts';
import { type Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { SetVector } from '../../storage-format/set-vector.ts';
import type {
  Answer,
  Batch,
  DictionaryRef,
  Fragment,
  PlacedWork,
  Slice,
  StripeRef,
} from '../batch/batch.ts';
import { shareOf, stripesOf } from '../batch/share.ts';
import { codesEnd } from '../batch/slices.ts';
import { take } from '../library/columns/take.ts';
import type { Operator, PlanNode } from '../plan/physical-plan.ts';
import { GroupBy } from '../root/aggregate.ts';
import type { SetEvaluation } from '../root/evaluation.ts';
import { mergeRows, mustMerge } from '../root/merged-rows.ts';
import { arrayJoinRows, filterRows, projectRows } from '../root/row-operators.ts';
import type { Merging } from '../root/scan-cache.ts';
import { answerColumn, keyColumn, localAnswer, questionOf } from '../root/set-answers.ts';
import { buildBatch, type SetAsk } from '../root/set-batch.ts';
import { evaluateSet } from '../root/set-expressions.ts';
import { SetGraph } from '../root/set-graph.ts';
import { inBlocks } from '../root/table-scan.ts';
import {
  absent,
  fullColumn,
  fullSet,
  plain,
  type Relation,
  type RelationColumn,
} from '../rows/relation.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { checkIdsMax } from '../batch/merge-keys.ts';
import { selectKeys } from '../dictionary/key-selection.ts';
import { type GroupedRows, groupedRows, noGroups } from './grouped-rows.ts';
import { OwnCodes, ownCodes } from './own-codes.ts';
import type { Pacer } from './pacer.ts';
import type { PartObjects } from './part-objects.ts';

type RowsAnswer = Extract<Answer, { readonly ask: 'rows' }>;
type Scan = Extract<Operator, { op: 'scan' }>;
type Ask = Extract<Operator, { op: 'ask' }>;

interface PlacedScope {
  readonly batch: Batch;
  readonly parts: PartObjects;
  readonly pacer: Pacer;
  /** Answers a batch about one slice. */
  answer(batch: Batch, slice: Slice): Promise<readonly Answer[]>;
  /** A node of this batch or of another one, in a slice. */
  sets(batch: Batch, node: number, slice: Slice): Promise<SetVector>;
  /** What a fragment whose sets stay has made of a group: once. */
  groups(fragment: Fragment, group: number): Promise<GroupedRows>;
}

/** Room for the rows of a place in the numbers of all rows. */
const rowsPerPlace = 2 ** 33;

/**
 * Rows numbered by place and then as they come. A place is a group, worked off by its first slice; or,
 * where rows have no group, the share of the stripes that is a slice's own.
 */
export async function placedRows(
  scope: PlacedScope,
  fragment: Fragment & { readonly placed: PlacedWork },
  slice: Slice,
): Promise<RowsAnswer> {
  const { placed } = fragment;
  const { stripes } = defined(scope.batch.sources[fragment.source], 'a source of rows');
  if (placed.dictionaries.length === 0) {
    const share = shareOf(scope.batch, slice);
    const own = stripesOf(stripes, share).map(({ stripe }) => ({ ...stripe, partition: '' }));
    return await new PlacedRun(scope, placed, slice.group).answer(own, share.number);
  }
  if (slice.codes.start > 0) return noRows;
  const { group } = slice;
  if (placed.stay !== undefined) {
    const { rows, columns } = await scope.groups(fragment, group);
    return rows === 0
      ? noRows
      : numbered(
          columns.flatMap((column) => column ?? []),
          rows,
          group,
        );
  }
  const own = stripesOfGroup(stripes, placed, group);
  return await new PlacedRun(scope, placed, group).answer(own, group);
}

export async function placedGroups(
  scope: PlacedScope,
  fragment: Fragment & { readonly placed: PlacedWork },
  group: number,
): Promise<GroupedRows> {
  const { placed, source } = fragment;
  const { stripes } = defined(scope.batch.sources[source], 'a source of rows');
  const own = stripesOfGroup(stripes, placed, group);
  return await new PlacedRun(scope, placed, group).grouped(own);
}

function stripesOfGroup(
  stripes: readonly StripeRef[],
  placed: PlacedWork,
  group: number,
): readonly PlacedStripe[] {
  return stripes.flatMap((stripe, i) =>
    stripe.parts[0]?.groupFirst === group
      ? [{ ...stripe, partition: defined(placed.partitions[i], 'the partition of a stripe') }]
      : [],
  );
}

function numbered(columns: readonly Column[], rows: number, place: number): RowsAnswer {
  const first = place * rowsPerPlace;
  const rowNumbers = Float64Array.from({ length: rows }, (_, i) => first + i);
  return { ask: 'rows', rows, rowNumbers, columns };
}

const noRows: RowsAnswer = {
  ask: 'rows',
  rows: 0,
  rowNumbers: new Float64Array(0),
  columns: [],
};

type PlacedStripe = StripeRef & { readonly partition: string };

class PlacedRun {
  readonly #scope: PlacedScope;
  readonly #work: PlacedWork;
  readonly #slice: Slice;
  readonly #graph = new SetGraph();
  readonly #dictionaries = new Map<number, number>();
  readonly #evaluation: SetEvaluation;
  /** Columns of nodes of the query's plan that are sets. */
  readonly #lookedUp = new Map<number, RelationColumn[]>();
  readonly #ownCodes: OwnCodes;
  #ids = 0;

  constructor(scope: PlacedScope, work: PlacedWork, group: number) {
    this.#scope = scope;
    this.#work = work;
    this.#slice = { group, codes: { start: 0, end: codesEnd } };
    for (const [columnId, place] of work.dictionaries) {
      const ref = defined(scope.batch.dictionaries[place], 'a dictionary');
      const { namespace } = scope.batch;
      const named = { key: String(ref.dictionary), name: String(ref.dictionary), namespace, ref };
      this.#dictionaries.set(columnId, this.#graph.addDictionary(named));
    }
    const [dictionary] = this.#dictionaries.values();
    const [ref] = scope.batch.dictionaries.slice(work.dictionaries[0]?.[1] ?? 0);
    this.#evaluation = {
      functions: work.functions,
      graph: this.#graph,
      limits: work.limits,
      members: new Map(),
      result: (node) => ({ rows: 1, columns: defined(this.#lookedUp.get(node), 'a set') }),
      set: (expression, relation) => evaluateSet(expression, relation, this.#evaluation),
      ...(dictionary === undefined || ref === undefined
        ? {}
        : { codes: { dictionary, end: ref.nextCodes[group] ?? 0 } }),
    };
    const { namespace, queryId, deadline } = scope.batch;
    this.#ownCodes = new OwnCodes({
      evaluation: this.#evaluation,
      header: { namespace, queryId, deadline },
      sets: async (batch, node) => await scope.sets(batch, node, this.#slice),
    });
  }

  async answer(stripes: readonly PlacedStripe[], place: number): Promise<RowsAnswer> {
    const { nodes } = this.#work;
    const last = nodes.length - 1;
    const blocks: (readonly Column[])[] = [];
    let rows = 0;
    if (stripes.length === 0) return noRows;
    await this.#lookUp();
    for await (const block of this.#blocks(last, stripes)) {
      if (block.rows === 0) continue;
      rows += block.rows;
      blocks.push(await this.#answered(block, nodes[last]!));
    }
    if (rows === 0) return noRows;
    const columns = blocks[0]!.map((_, i) => concatColumns(blocks.map((block) => block[i]!)));
    return numbered(columns, rows, place);
  }

  /** The last step is an aggregate, which gives one block. */
  async grouped(stripes: readonly PlacedStripe[]): Promise<GroupedRows> {
    const { nodes } = this.#work;
    const { needed } = nodes[nodes.length - 1]!;
    await this.#lookUp();
    for await (const block of this.#blocks(nodes.length - 1, stripes)) {
      if (block.rows > 0) return groupedRows(block, needed, this.#graph);
    }
    return noGroups;
  }

  async #lookUp(): Promise<void> {
    const { batch } = this.#scope;
    for (const { node, column, set } of this.#work.sets ?? []) {
      const sets = await this.#scope.sets(batch, set, this.#slice);
      const { dictionary } = defined(this.#evaluation.codes, 'rows that hold codes');
      const columns = this.#lookedUp.get(node) ?? [];
      columns[column] = { kind: 'set', node: this.#graph.here(sets, dictionary), constant: true };
      this.#lookedUp.set(node, columns);
    }
  }

  async *#blocks(at: number, stripes: readonly PlacedStripe[]): AsyncGenerator<Relation> {
    const { operator, needed } = this.#work.nodes[at]!;
    const options = { evaluation: this.#evaluation, needed };
    if (operator.op === 'scan') {
      yield* this.#scan(operator, needed, stripes);
      return;
    }
    const input = this.#blocks(at - 1, stripes);
    if (operator.op === 'aggregate') {
      const groups = await this.#groups(operator, needed, input);
      if (groups !== undefined) yield groups;
      return;
    }
    for await (const block of input) {
      const { pacer } = this.#scope;
      if (pacer.due()) await pacer.breathe();
      if (operator.op === 'filter') yield filterRows(block, operator.condition, options);
      else if (operator.op === 'project') yield projectRows(block, operator.columns, options);
      else if (operator.op === 'array-join') yield arrayJoinRows(block, operator, options);
      else {
        assert(operator.op === 'ask', `${operator.op} is not done where rows lie`);
        yield await this.#asked(block, operator, needed);
      }
    }
  }

  /** Without keys there is a group only where there are rows: the root makes the one of no rows. */
  async #groups(
    operator: Extract<Operator, { op: 'aggregate' }>,
    needed: readonly boolean[],
    input: AsyncIterable<Relation>,
  ): Promise<Relation | undefined> {
    const groups = new GroupBy({ ...operator, needed }, this.#evaluation);
    let rows = 0;
    for await (const block of input) {
      rows += block.rows;
      groups.add(block);
    }
    return rows === 0 ? undefined : groups.finish();
  }

  async *#scan(
    scan: Scan,
    needed: readonly boolean[],
    stripes: readonly PlacedStripe[],
  ): AsyncGenerator<Relation> {
    const { schema } = scan.table;
    if (mustMerge({ schema, stripes })) {
      const column = async (at: number) => await this.#scalar(stripes, schema.columns[at]!.id);
      const { functions } = this.#work;
      const merging = await mergeRows({ schema, stripes, functions, column });
      yield* inBlocks(await this.#rows(scan, needed, { stripes, merging }), this.#evaluation);
      return;
    }
    for (const stripe of stripes) {
      const rows = await this.#rows(scan, needed, { stripes: [stripe] });
      yield* inBlocks(rows, this.#evaluation);
    }
  }

  async #rows(
    scan: Scan,
    needed: readonly boolean[],
    { stripes, merging }: { readonly stripes: readonly PlacedStripe[]; readonly merging?: Merging },
  ): Promise<Relation> {
    const length = stripes.reduce((sum, stripe) => sum + stripe.rows, 0);
    const groups = this.#slice.group + 1;
    const source = this.#graph.addSource({ groups, stripes });
    const columns: RelationColumn[] = [];
    for (const [i, at] of scan.columns.entries()) {
      const { id, type } = scan.table.schema.columns[at]!;
      if (needed[i] !== true) columns.push(absent);
      else if (type.kind === 'Bitmap') {
        const dictionary = defined(this.#dictionaries.get(id), 'the dictionary of a column');
        const stored = this.#graph.stored({ source, columnId: id, dictionary, length });
        columns.push({ kind: 'set', node: this.#merged(stored, merging), constant: false });
      } else {
        const whole = await this.#scalar(stripes, id);
        columns.push(plain(merging === undefined ? whole : take(whole, merging.chosen)));
      }
    }
    return { rows: merging?.chosen.length ?? length, columns };
  }

  #merged(stored: number, merging: Merging | undefined): number {
    if (merging === undefined) return stored;
    return merging.lists === undefined
      ? this.#graph.take(stored, merging.chosen)
      : this.#graph.fold('or', stored, merging.lists);
  }

  async #scalar(stripes: readonly StripeRef[], columnId: number): Promise<Column> {
    const { parts } = this.#scope;
    const pieces = await Promise.all(stripes.map((one) => parts.columns(one, [columnId])));
    return concatColumns(pieces.map(([column]) => defined(column, 'a column that was read')));
  }

  /** Appends answers to all questions, asked in one batch. */
  async #asked(block: Relation, { asks }: Ask, needed: readonly boolean[]): Promise<Relation> {
    const first = block.columns.length;
    const flags = await Promise.all(
      asks.map(async (ask, i) => {
        const codes = needed[first + i] === true ? ownCodes(ask) : undefined;
        if (codes === undefined) return undefined;
        return await this.#ownCodes.flags(ask, fullColumn(block.columns[codes]!, block.rows));
      }),
    );
    const questions = asks.map((ask, i) =>
      needed[first + i] === true && flags[i] === undefined
        ? questionOf(ask, block, this.#evaluation)
        : undefined,
    );
    const local = questions.map((one) => one && localAnswer(one, this.#graph));
    const open = questions.flatMap((one, i) => (one && local[i] === undefined ? [one] : []));
    const answers = await this.#answers(open.map(({ ask }) => ask));
    let next = 0;
    const columns = asks.map((ask, i): RelationColumn => {
      const question = questions[i];
      if (question === undefined) return flags[i] ?? absent;
      return answerColumn(ask, question, local[i] ?? answers[next++]!);
    });
    return { rows: block.rows, columns: [...block.columns, ...columns] };
  }

  async #answers(asks: readonly SetAsk[]): Promise<readonly Answer[]> {
    if (asks.length === 0) return [];
    const { namespace, queryId, deadline } = this.#scope.batch;
    const batch = buildBatch(this.#graph, asks, { namespace, queryId, deadline });
    const { group } = this.#slice;
    const dictionaries = batch.dictionaries.map((ref) => hereOnly(ref, group));
    return await this.#scope.answer({ ...batch, dictionaries }, this.#slice);
  }

  /** Columns that the root reads: plain ones whole, sets as arrays of their ids. */
  async #answered(block: Relation, { needed, types }: PlanNode): Promise<readonly Column[]> {
    const columns: Column[] = [];
    for (const [i, column] of block.columns.entries()) {
      if (needed[i] !== true) continue;
      if (column.kind === 'set') {
        columns.push(await this.#idsOf(fullSet(column, block.rows, this.#graph), types[i]!));
      } else columns.push(fullColumn(column, block.rows));
    }
    return columns;
  }

  async #idsOf(of: number, type: DataType): Promise<Column> {
    assert(type.kind === 'Bitmap', 'a set has a bitmap type');
    const { maxIdsInResult } = this.#work.limits;
    const idsMax = maxIdsInResult === 0 ? Number.MAX_SAFE_INTEGER : maxIdsInResult;
    const literal = this.#graph.literalIds(of);
    if (literal !== undefined) return this.#listed(literal, type.id, idsMax);
    const answer = (await this.#answers([{ ask: 'ids', of, idsMax }]))[0]!;
    assert(answer.ask === 'ids', 'ids are answered with ids');
    this.#ids += answer.keys.values.length;
    checkIdsMax(this.#ids, idsMax);
    return { kind: 'array', offsets: answer.offsets, items: keyColumn(answer.keys, type.id) };
  }

  /** Ids that were gathered here: in any order, for a set has none. */
  #listed({ keys, offsets, ordinals }: IdLists, id: DataType, idsMax: number): Column {
    this.#ids += ordinals.length;
    checkIdsMax(this.#ids, idsMax);
    return { kind: 'array', offsets, items: keyColumn(selectKeys(keys, ordinals), id) };
  }
}

/** Literals that meet no stored set belong to this group: there is no other in its questions. */
function hereOnly(ref: DictionaryRef, group: number): DictionaryRef {
  if (ref.dictionary !== 0) return ref;
  const nextCodes = new Array<number>(group + 1).fill(0);
  return { ...ref, groups: group + 1, byColumns: true, nextCodes };
}
