// Runs a physical plan: for each stage the root's nodes, then all questions of the next stage in one
// batch. Nodes on the way from a source to an aggregate are streamed: their rows are never held.

import { assert, defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import type { Answer } from '../batch/batch.ts';
import { asTheyAre } from '../batch/late-lists.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';
import type { GroupTable } from '../library/columns/group-table.ts';
import {
  expressionsOf,
  isAsking,
  isWorkerScan,
  type NodeId,
  type Plan,
  type PlanNode,
} from '../plan/physical-plan.ts';
import { referredNodes } from '../plan/plan-builder.ts';
import { checkRunning, type QueryContext } from '../query-context.ts';
import { relationBytes } from '../rows/column-bytes.ts';
import {
  absent,
  concatRelations,
  fullSet,
  type Relation,
  sliceRelation,
} from '../rows/relation.ts';
import { Pacer } from '../worker/pacer.ts';
import { GroupBy, memoryExceeded } from './aggregate.ts';
import { emptyRelation } from './empty-relation.ts';
import type { Evaluation } from './evaluation.ts';
import { answerQuestions, type RowsQuestion } from './question-dispatch.ts';
import {
  arrayJoinRows,
  distinctRows,
  filterRows,
  joinRows,
  limitByRows,
  nullRow,
  projectRows,
  singleRow,
  sortRows,
} from './row-operators.ts';
import { answerColumn, answerLists, type Question, questionOf } from './set-answers.ts';
import { withGroupedSets } from './grouped-sets.ts';
import { PlacedScan } from './placed-scan.ts';
import { openRowsScan, type RowsScan } from './rows-scan.ts';
import { evaluateSet } from './set-expressions.ts';
import { SetGraph } from './set-graph.ts';
import { sourceBlocks } from './sources.ts';
import { streamedNodes } from './streamed-nodes.ts';
import { inBlocks, readTable } from './table-scan.ts';

export class PlanRun {
  readonly #plan: Plan;
  readonly #context: QueryContext;
  readonly #results = new Map<NodeId, Relation>();
  /** Of the stage at hand, each entered before the nodes that read it start. */
  readonly #running = new Map<NodeId, Promise<Relation>>();
  /** Detail rows whose first portion was asked for with the questions of their stage. */
  readonly #opened = new Map<NodeId, OpenedScan>();
  readonly #making = new Map<NodeId, PlacedScan>();
  readonly #streamed: readonly boolean[];
  readonly #evaluation: Evaluation;
  readonly #pacer: Pacer;

  constructor(plan: Plan, context: QueryContext, taker?: 'insert') {
    const { clock, deadline, signal } = context;
    this.#pacer = new Pacer(clock, deadline, signal);
    this.#plan = plan;
    this.#context = context;
    this.#streamed = streamedNodes(plan);
    this.#evaluation = {
      context,
      limits: context.settings,
      functions: context.functions,
      graph: new SetGraph(),
      takenByInsert: taker === 'insert',
      members: new Map<number, GroupTable>(),
      result: (node) => this.#result(node),
      set: (expression, relation) => evaluateSet(expression, relation, this.#evaluation),
    };
  }

  get graph(): SetGraph {
    return this.#evaluation.graph;
  }

  /** Runs everything; the answer as one relation. */
  async run(): Promise<Relation> {
    await this.#runStages();
    return await this.#relation(this.#plan.output);
  }

  /** Runs what the output needs; the answer as it comes. */
  async *stream(): AsyncGenerator<Relation> {
    await this.#runStages();
    if (this.#streamed[this.#plan.output]) yield* this.#blocks(this.#plan.output);
    else yield this.#result(this.#plan.output);
  }

  /** The sets of a relation as lists of ids, by position of their column. */
  async gatherSets(relation: Relation): Promise<ReadonlyMap<number, InsertColumn>> {
    const idsMax = this.#context.settings.maxIdsInResult || Number.MAX_SAFE_INTEGER;
    const gathered = new Map<number, InsertColumn>();
    const asked: { readonly column: number; readonly question: Question }[] = [];
    relation.columns.forEach((column, i) => {
      if (column.kind !== 'set') return;
      const of = fullSet(column, relation.rows, this.graph);
      const ids = this.graph.literalIds(of);
      const question = { ask: { ask: 'ids', of, idsMax }, constant: false } as const;
      if (ids === undefined) asked.push({ column: i, question });
      else gathered.set(i, asTheyAre(ids));
    });
    const answers = await answerQuestions(
      asked.map(({ question }) => question),
      this.graph,
      this.#context,
    );
    for (const { column, question } of asked) {
      gathered.set(column, { kind: 'ids', ids: answerLists(answers.get(question)!) });
    }
    return gathered;
  }

  async #runStages(): Promise<void> {
    const { nodes, stages } = this.#plan;
    for (let stage = 0; stage <= stages; stage++) {
      checkRunning(this.#context);
      this.#context.cost.stage = stage;
      this.#context.trace?.enter(stage);
      if (stage > 0) await this.#ask(stage);
      nodes.forEach((node, id) => {
        const waits = node.stage === stage && node.used && !this.#results.has(id);
        if (waits && !this.#streamed[id]) this.#running.set(id, this.#start(id));
      });
      await Promise.all(this.#running.values());
      this.#running.clear();
    }
  }

  /** Nodes of a stage run side by side as far as they can: their scans wait for the store together. */
  async #start(id: NodeId): Promise<Relation> {
    const node = this.#node(id);
    await this.#referred(node);
    const relation = await this.#runNode(id, node);
    this.#keep(id, relation);
    return relation;
  }

  /** Scalars and sets of IN that a node's expressions look up. */
  async #referred(node: PlanNode): Promise<void> {
    for (const expression of expressionsOf(node.operator)) {
      for (const id of referredNodes(expression)) await this.#running.get(id);
    }
  }

  #keep(id: NodeId, relation: Relation): void {
    this.#results.set(id, relation);
    this.#context.trace?.rows(id, relation.rows);
  }

  #node(id: NodeId): PlanNode {
    return defined(this.#plan.nodes[id], `plan node ${id}`);
  }

  #result(id: NodeId): Relation {
    return defined(this.#results.get(id), `result of plan node ${id}`);
  }

  /** A node's rows, gathered where they are streamed. */
  async #relation(id: NodeId): Promise<Relation> {
    const known = this.#results.get(id) ?? (await this.#running.get(id));
    if (known !== undefined) return known;
    const { operator, needed } = this.#node(id);
    const evaluation = this.#evaluation;
    if (operator.op === 'scan' && !isWorkerScan(operator)) {
      return await readTable({ operator, needed, evaluation });
    }
    return await this.#gathered(id, this.#blocks(id));
  }

  async #gathered(id: NodeId, streamed: AsyncIterable<Relation>): Promise<Relation> {
    const blocks: Relation[] = [];
    let bytes = 0;
    for await (const block of streamed) {
      bytes += relationBytes(block);
      const { maxMemoryUsage } = this.#context.settings;
      if (bytes > maxMemoryUsage) throw memoryExceeded(bytes, maxMemoryUsage);
      blocks.push(block);
    }
    return blocks.length === 0
      ? emptyRelation(this.#node(id), this.graph)
      : concatRelations(blocks, this.graph);
  }

  async *#blocks(id: NodeId): AsyncGenerator<Relation> {
    const known = this.#results.get(id) ?? (await this.#running.get(id));
    if (known !== undefined) {
      yield known;
      return;
    }
    const { trace } = this.#context;
    const blocks = this.#ownBlocks(id);
    yield* trace === undefined ? blocks : trace.counted(id, blocks);
  }

  async *#ownBlocks(id: NodeId): AsyncGenerator<Relation> {
    await this.#referred(this.#node(id));
    const { operator, needed } = this.#node(id);
    const evaluation = this.#evaluation;
    switch (operator.op) {
      case 'filter':
        for await (const block of this.#blocks(operator.input)) {
          yield filterRows(block, operator.condition, { evaluation, needed });
        }
        return;
      case 'project':
        for await (const block of this.#blocks(operator.input)) {
          yield projectRows(block, operator.columns, { evaluation, needed });
        }
        return;
      case 'array-join':
        for await (const block of this.#blocks(operator.input)) {
          yield arrayJoinRows(block, operator, { evaluation, needed });
        }
        return;
      default: {
        const blocks = isWorkerScan(operator)
          ? this.#detailBlocks(id)
          : sourceBlocks(operator, { needed, evaluation });
        for await (const block of blocks) {
          if (this.#pacer.due()) await this.#pacer.breathe();
          checkRunning(this.#context);
          yield block;
        }
      }
    }
  }

  /** Portion by portion: each is asked for when the one before was worked off. */
  async *#detailBlocks(id: NodeId): AsyncGenerator<Relation> {
    const { scan, first } = defined(this.#opened.get(id), `detail rows of plan node ${id}`);
    this.#opened.delete(id);
    let answer = first;
    while (answer !== undefined) {
      yield* inBlocks(scan.relation(answer), this.#evaluation);
      const question = scan.next();
      if (question === undefined) return;
      const answers = await answerQuestions([question], this.graph, this.#context);
      answer = answers.get(question);
    }
  }

  async #runNode(id: NodeId, node: PlanNode): Promise<Relation> {
    const { operator, needed, types } = node;
    const evaluation = this.#evaluation;
    const options = { evaluation, needed };
    switch (operator.op) {
      case 'scan':
        return isWorkerScan(operator)
          ? await this.#gathered(id, this.#ownBlocks(id))
          : await readTable({ operator, needed, evaluation });
      case 'one-row':
        return { rows: 1, columns: [] };
      case 'filter':
        return filterRows(await this.#relation(operator.input), operator.condition, options);
      case 'project':
        return projectRows(await this.#relation(operator.input), operator.columns, options);
      case 'array-join':
        return arrayJoinRows(await this.#relation(operator.input), operator, options);
      case 'aggregate': {
        const groups = new GroupBy({ ...operator, needed }, evaluation);
        for await (const block of this.#blocks(operator.input)) groups.add(block);
        const from = { groups, made: this.#making.get(operator.input), graph: this.graph };
        return await withGroupedSets({ ...operator, needed }, from);
      }
      case 'join': {
        const left = await this.#relation(operator.left);
        const right = await this.#relation(operator.right);
        const rightTypes = this.#node(operator.right).types;
        return joinRows(operator, { left, right, rightTypes }, options);
      }
      case 'sort':
        return sortRows(await this.#relation(operator.input), operator.keys, options);
      case 'limit':
        return await this.#limit(operator.input, operator.offset, operator.limit);
      case 'limit-by':
        return limitByRows(await this.#relation(operator.input), operator, options);
      case 'distinct': {
        const { columns } = operator;
        return distinctRows(await this.#relation(operator.input), { columns, types, evaluation });
      }
      case 'union':
        return concatRelations(
          await Promise.all(operator.inputs.map((input) => this.#relation(input))),
          this.graph,
        );
      case 'single-row':
        return singleRow(await this.#relation(operator.input), types[0]!, nullRow(types[0]!));
      case 'ask':
        return this.#withoutAnswers(await this.#relation(operator.input), operator.asks.length);
      default:
        throw new MusterError('LOGICAL_ERROR', `${operator.op} is streamed`);
    }
  }

  /** Of an `ask` node whose answers nobody reads. */
  #withoutAnswers(input: Relation, asks: number): Relation {
    return {
      rows: input.rows,
      columns: [...input.columns, ...Array.from({ length: asks }, () => absent)],
    };
  }

  /** Stops a streamed input as soon as there are rows enough. */
  async #limit(input: NodeId, offset: number, limit: number | undefined): Promise<Relation> {
    const end = offset + (limit ?? Number.MAX_SAFE_INTEGER);
    const kept: Relation[] = [];
    let seen = 0;
    for await (const block of this.#blocks(input)) {
      if (seen + block.rows > offset) {
        const wanted = { start: Math.max(0, offset - seen), end: Math.max(0, end - seen) };
        kept.push(sliceRelation(block, wanted, this.graph));
      }
      seen += block.rows;
      if (seen >= end) break;
    }
    return kept.length === 0
      ? sliceRelation(await this.#emptyLike(input), { start: 0, end: 0 }, this.graph)
      : concatRelations(kept, this.graph);
  }

  async #emptyLike(input: NodeId): Promise<Relation> {
    return (
      this.#results.get(input) ??
      (await this.#running.get(input)) ??
      emptyRelation(this.#node(input), this.graph)
    );
  }

  /** Scans of detail rows that begin in this stage, each with the question for its first rows. */
  async #openScans(stage: number) {
    const opened = new Map<NodeId, { scan: RowsScan; question: RowsQuestion | undefined }>();
    for (const [id, { operator, needed, types, ...node }] of this.#plan.nodes.entries()) {
      if (!isWorkerScan(operator) || !node.used || node.stage !== stage) continue;
      const scan = await openRowsScan({ operator, needed, types, evaluation: this.#evaluation });
      if (operator.setsStay === true && scan instanceof PlacedScan) this.#making.set(id, scan);
      opened.set(id, { scan, question: scan.next() });
    }
    return opened;
  }

  /** Answers all questions of the stage with one dispatch, or none if no worker is needed. */
  async #ask(stage: number): Promise<void> {
    const asking = this.#plan.nodes.flatMap((node, id) =>
      node.operator.op === 'ask' && node.stage === stage && node.used && isAsking(node) ? [id] : [],
    );
    const questions = new Map<NodeId, readonly (Question | undefined)[]>();
    const inputs = new Map<NodeId, Relation>();
    for (const id of asking) {
      const { operator, needed } = this.#node(id);
      assert(operator.op === 'ask', 'asking nodes ask');
      const input = await this.#relation(operator.input);
      inputs.set(id, input);
      questions.set(
        id,
        operator.asks.map((ask, i) =>
          needed[input.columns.length + i] ? questionOf(ask, input, this.#evaluation) : undefined,
        ),
      );
    }
    const all = [...questions.values()].flat().filter((one) => one !== undefined);
    const scans = await this.#openScans(stage);
    const rows = [...scans.values()].flatMap(({ question }) => question ?? []);
    const answers = await answerQuestions([...all, ...rows], this.graph, this.#context);
    for (const [id, { scan, question }] of scans) {
      this.#opened.set(id, { scan, first: question && answers.get(question) });
    }
    for (const id of asking) {
      const input = inputs.get(id)!;
      const { operator } = this.#node(id);
      assert(operator.op === 'ask', 'asking nodes ask');
      const columns = questions
        .get(id)!
        .map((question, i) =>
          question === undefined
            ? absent
            : answerColumn(operator.asks[i]!, question, answers.get(question)!),
        );
      this.#keep(id, { rows: input.rows, columns: [...input.columns, ...columns] });
    }
  }
}

interface OpenedScan {
  readonly scan: RowsScan;
  readonly first: Answer | undefined;
}
