// A scan with what is done with its rows where they lie (plan/placed-steps.ts), from the root's side:
// of tables that are grouped by columns, and of detail rows that are aggregated. Asked of the workers;
// rows of answers as relations, sets as the lists of their ids.

import { assert, defined } from '../../base/assert.ts';
import type { StripeEntry } from '../../catalog/entry.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { domainOfIds } from '../../storage-format/key-list.ts';
import { type Answer, type DictionaryRef, stripeRef } from '../batch/batch.ts';
import { idColumn, idDictionary } from '../ddl/grouping.ts';
import { checkIdsMax } from '../batch/merge-keys.ts';
import { type BoundExpression, contains } from '../plan/bound-expression.ts';
import { codedScan } from '../plan/coded-scan.ts';
import {
  expressionsOf,
  isPlacedScan,
  type Operator,
  type PlanNode,
} from '../plan/physical-plan.ts';
import { mapExpressions, placedNodes } from '../plan/placed-steps.ts';
import { columnBytes } from '../rows/column-bytes.ts';
import { evaluate } from '../rows/evaluate.ts';
import { absent, fullSet, plain, type Relation, type RelationColumn } from '../rows/relation.ts';
import { withoutScalars } from './detail-scan.ts';
import { dictionaryOf, pinnedRef } from './dictionary-refs.ts';
import type { Evaluation } from './evaluation.ts';
import { mustMerge } from './merged-rows.ts';
import type { RowsQuestion } from './question-dispatch.ts';
import { portionOf } from './scan-portions.ts';
import { type ScannedStripes, scannedStripes } from './scanned-stripes.ts';
import { arrayLists } from './set-expressions.ts';
import type { SetNodeId } from './set-graph.ts';

type ScanOperator = Extract<Operator, { op: 'scan' }>;

interface PlacedScanOptions {
  readonly operator: ScanOperator;
  readonly needed: readonly boolean[];
  readonly types: readonly DataType[];
  readonly evaluation: Evaluation;
}

export class PlacedScan {
  readonly #options: PlacedScanOptions;
  readonly #nodes: readonly PlanNode[];
  readonly #scanned: ScannedStripes;
  readonly #dictionaries: ReadonlyMap<number, DictionaryRef>;
  readonly #sets: readonly RootSet[];
  #at = 0;
  #ids = 0;
  #made: RowsQuestion | undefined;

  private constructor(
    options: PlacedScanOptions,
    nodes: readonly PlanNode[],
    read: {
      readonly scanned: ScannedStripes;
      readonly dictionaries: ReadonlyMap<number, DictionaryRef>;
      readonly sets: readonly RootSet[];
    },
  ) {
    this.#options = options;
    this.#nodes = nodes;
    this.#scanned = read.scanned;
    this.#dictionaries = read.dictionaries;
    this.#sets = read.sets;
  }

  /** All that its steps look up must be there. */
  static async open(options: PlacedScanOptions): Promise<PlacedScan> {
    const { operator, needed, evaluation } = options;
    const constant = (one: BoundExpression) => withoutScalars(one, evaluation);
    const steps = (operator.steps ?? []).map((step) => ({
      ...step,
      operator: mapExpressions(step.operator, constant),
    }));
    const { scan, before } = codedScan(withConstantFilter({ ...operator, steps }, constant));
    const nodes = placedNodes(scan, [...new Array<boolean>(before).fill(false), ...needed]);
    const { filter } = operator;
    const pruning = filter === undefined ? operator : { ...operator, filter: constant(filter) };
    const scanned = await scannedStripes(pruning, evaluation.context);
    const dictionaries = new Map<number, DictionaryRef>();
    for (const [i, at] of scan.columns.entries()) {
      const { id, dictionary } = scan.table.schema.columns[at]!;
      if (nodes[0]!.needed[i] !== true || dictionary === undefined) continue;
      dictionaries.set(id, await pinnedRef(scanned.snapshot, dictionary));
    }
    const all = await placeDictionaries(dictionaries, operator, scanned);
    const sets = await rootSets(nodes, scanned, options);
    return new PlacedScan(options, nodes, { scanned, dictionaries: all, sets });
  }

  /** What makes its sets, which stay: all rows at once. After `next`, the same question. */
  get made(): RowsQuestion {
    this.#made ??= this.#question(this.#scanned.stripes);
    return this.#made;
  }

  /** The place in the root's graph of the dictionary of its rows' ids. */
  async idDictionary(): Promise<number> {
    return await graphDictionary(this.#options, this.#scanned);
  }

  /** The next portion; undefined after the last. Rows that may belong together are in one. */
  next(): RowsQuestion | undefined {
    const stripes = this.#portion();
    if (stripes.length === 0) return undefined;
    return this.#options.operator.setsStay === true ? this.made : this.#question(stripes);
  }

  #question(stripes: readonly StripeEntry[]): RowsQuestion {
    const { evaluation, operator } = this.#options;
    const ids = [...this.#dictionaries.keys()];
    const sets = this.#sets;
    const { maxMemoryUsage, maxRowsToGroupBy, maxIdsInResult } = evaluation.limits;
    return {
      namespace: this.#scanned.snapshot.namespace,
      source: {
        groups: Math.max(1, ...[...this.#dictionaries.values()].map(({ groups }) => groups)),
        stripes: stripes.map(stripeRef),
      },
      dictionaries: [...this.#dictionaries.values()],
      ...(sets.length === 0 ? {} : { sets: sets.map(({ of }) => of) }),
      fragment: {
        columns: [],
        answered: 0,
        rowsMax: Number.MAX_SAFE_INTEGER,
        placed: {
          nodes: this.#nodes,
          partitions: stripes.map((stripe) => stripe.partition),
          dictionaries: ids.map((id, i) => [id, i] as const),
          functions: evaluation.functions,
          limits: { maxMemoryUsage, maxRowsToGroupBy, maxIdsInResult },
          ...(operator.setsStay === true ? { stay: evaluation.context.clock.randomId() } : {}),
          ...(sets.length === 0
            ? {}
            : { sets: sets.map(({ of: set, ...one }) => ({ ...one, set })) }),
        },
      },
    };
  }

  relation(answer: Answer): Relation {
    assert(answer.ask === 'rows', 'rows are answered with rows');
    const { needed, types, evaluation, operator } = this.#options;
    let next = 0;
    const columns = types.map((type, i): RelationColumn => {
      if (needed[i] !== true) return absent;
      if (type.kind === 'Bitmap' && operator.setsStay === true) return absent;
      const column = answer.columns[next++];
      if (column === undefined) return absent;
      evaluation.context.progress.readBytes += columnBytes(column);
      if (type.kind !== 'Bitmap') return plain(column);
      const lists = arrayLists(column, domainOfIds(type.id), answer.rows);
      this.#checkIds(lists.ordinals.length);
      return { kind: 'set', node: evaluation.graph.raw(lists), constant: false };
    });
    return { rows: answer.rows, columns };
  }

  #checkIds(more: number): void {
    const { maxIdsInResult } = this.#options.evaluation.limits;
    this.#ids += more;
    if (maxIdsInResult > 0) checkIdsMax(this.#ids, maxIdsInResult);
  }

  /** Rows to be merged, and groups of rows that are whole in a place. */
  #mustBeTogether(): boolean {
    const { stripes } = this.#scanned;
    const { schema } = this.#options.operator.table;
    return (
      mustMerge({ schema, stripes }) ||
      this.#nodes.some(({ operator }) => operator.op === 'aggregate')
    );
  }

  #portion(): readonly StripeEntry[] {
    const { stripes } = this.#scanned;
    const together = this.#dictionaries.size > 0 && this.#mustBeTogether();
    const portion = together ? stripes.slice(this.#at) : portionOf(stripes, this.#at);
    this.#at += portion.length;
    return portion;
  }
}

/** A set of the query's that the rows' steps look up, in the root's graph. */
interface RootSet {
  readonly node: number;
  readonly column: number;
  readonly of: SetNodeId;
}

/** Of the ids of rows. */
async function graphDictionary(
  { operator, evaluation }: PlacedScanOptions,
  { snapshot }: ScannedStripes,
): Promise<number> {
  const { schema } = operator.table;
  const column = defined(schema.columns[idColumn(schema) ?? -1], 'an id column');
  const { id: dictionary } = idDictionary(schema, snapshot);
  return await dictionaryOf({ ...column, dictionary }, snapshot, evaluation.graph);
}

async function rootSets(
  nodes: readonly PlanNode[],
  scanned: ScannedStripes,
  options: PlacedScanOptions,
): Promise<readonly RootSet[]> {
  const found = new Map<string, Extract<BoundExpression, { kind: 'scalar' }>>();
  for (const expression of nodes.flatMap((node) => expressionsOf(node.operator))) {
    contains(expression, (one) => {
      if (one.kind === 'scalar') found.set(`${one.node} ${one.column}`, one);
      return false;
    });
  }
  if (found.size === 0) return [];
  const { evaluation } = options;
  const { graph } = evaluation;
  const place = await graphDictionary(options, scanned);
  return [...found.values()].map((one) => {
    const set = fullSet(evaluate(one, { rows: 1, columns: [] }, evaluation), 1, graph);
    return { node: one.node, column: one.column, of: graph.bound(set, place) };
  });
}

function withConstantFilter(
  scan: ScanOperator,
  constant: (one: BoundExpression) => BoundExpression,
): ScanOperator {
  return scan.filter === undefined ? scan : { ...scan, filter: constant(scan.filter) };
}

/** A dictionary tells the groups that rows lie in, though no set is read. None: they lie anywhere. */
async function placeDictionaries(
  read: ReadonlyMap<number, DictionaryRef>,
  operator: ScanOperator,
  { snapshot }: ScannedStripes,
): Promise<ReadonlyMap<number, DictionaryRef>> {
  const { table } = operator;
  if (operator.byGroup === true) {
    const at = defined(idColumn(table.schema), 'an id column');
    const { id } = idDictionary(table.schema, snapshot);
    return new Map([[table.schema.columns[at]!.id, await pinnedRef(snapshot, id)]]);
  }
  if (read.size > 0 || !isPlacedScan(operator)) return read;
  const column = table.schema.columns.find((one) => one.dictionary !== undefined);
  const { id, dictionary } = defined(column, 'a bitmap column');
  return new Map([[id, await pinnedRef(snapshot, defined(dictionary, 'its dictionary'))]]);
}
