// Evaluates a batch's graph of set columns in one slice: each node once, only the rows that are needed,
// as sets of codes. A slice never drops a row: a row that has nobody here is the empty set.
//
// Leaves come through `LeafSets`, so that this file knows neither parts nor dictionaries.

import { defined } from '../../base/assert.ts';
import { consecutive } from '../../base/consecutive.ts';
import { emptySet, intersects, setFromSorted } from '../../storage-format/bitmap.ts';
import type { CodeSet, CodeSets } from '../../storage-format/set-column.ts';
import {
  cardinalityUnder,
  JoinedSets,
  newCursor,
  type SetCursor,
  SetList,
  setsOf,
  setUnder,
  type SetVector,
  TakenSets,
} from '../../storage-format/set-vector.ts';
import { type Ask, nodeUses, type SetColumn } from '../batch/batch.ts';
import { type DecodedSets, positionsIn } from './decoded-sets.ts';
import { foldCardinality, foldRows, type RowList } from './fold-sets.ts';
import type { Pacer } from './pacer.ts';
import {
  pairCount,
  type PairSide,
  pairSet,
  sharedCounts,
  type SharedMembers,
  sharedMembers,
} from './pair-counts.ts';
import { type Demand, type Rows, type SetGraph, wants } from './set-graph.ts';
import { type CountedTree, countedTree } from './set-trees.ts';
import { treeCount } from './tree-counts.ts';
import { containersOf, type WantedMembers } from './wanted-codes.ts';

export type StoredColumn = Extract<SetColumn, { readonly op: 'stored' }>;
export type GroupedColumn = Extract<SetColumn, { readonly op: 'grouped' }>;
export type RawColumn = Extract<SetColumn, { readonly op: 'raw' }>;
type FoldColumn = Extract<SetColumn, { readonly op: 'fold' }>;
type PairColumn = Extract<SetColumn, { readonly op: 'pair' }>;
type RangeColumn = Extract<SetColumn, { readonly op: 'range' }>;

/** What a slice gets from outside. Rows that are not wanted may be anything. */
export interface LeafSets {
  stored(column: StoredColumn, wanted: WantedMembers): Promise<SetVector>;
  raw(column: RawColumn, rows: Rows): Promise<CodeSets>;
  grouped(column: GroupedColumn): Promise<SetVector>;
  /** Cardinalities from part indexes; undefined where the slice is not a whole group. */
  storedCounts(column: StoredColumn): Promise<Float64Array> | undefined;
  /** Literals that the dictionary doesn't know have codes from here on. */
  nextCode(dictionary: number): number;
  decode(dictionary: number, sets: CodeSets): Promise<DecodedSets>;
}

/** To look at the clock costs more than a row of tiny sets. */
const rowsPerLook = 16;

interface SliceWork {
  readonly graph: SetGraph;
  readonly asks: readonly Ask[];
  readonly demand: Demand;
  readonly leaves: LeafSets;
  readonly pacer: Pacer;
}

export class SetEvaluator {
  readonly #work: SliceWork;
  readonly #vectors = new Map<number, Promise<SetVector>>();
  readonly #shared: {
    readonly a: number;
    readonly b: number;
    readonly rows: Rows;
    readonly members: Promise<SharedMembers | undefined>;
  }[] = [];
  #uses: readonly number[] | undefined;

  constructor(work: SliceWork) {
    this.#work = work;
  }

  /** All rows of a node, an object each: for few of them. Ask only for nodes in demand. */
  async sets(node: number): Promise<CodeSets> {
    return setsOf(await this.vector(node));
  }

  /** All rows of a node; those that no ask needs may be anything. Ask only for nodes in demand. */
  vector(node: number): Promise<SetVector> {
    const known = this.#vectors.get(node);
    if (known !== undefined) return known;
    const made = this.#evaluate(node);
    this.#vectors.set(node, made);
    return made;
  }

  /** Cardinality of each row of a node. */
  async counts(node: number): Promise<Float64Array> {
    const column = this.#column(node);
    const { demand } = this.#work;
    if (column.op === 'take') return takeNumbers(await this.counts(column.of), column.index);
    if (column.op === 'concat') {
      return concatNumbers(await Promise.all(column.of.map((part) => this.counts(part))));
    }
    if (column.op === 'pair') {
      const tree = demand.sets[node] === undefined ? this.#treeOf(node) : undefined;
      if (tree !== undefined) return await this.#treeCounts(tree, demand.counts[node]);
      return await this.#pairCounts(column, demand.counts[node]);
    }
    if (column.op === 'stored') {
      const indexed = this.#work.leaves.storedCounts(column);
      if (indexed !== undefined) return await indexed;
    }
    if (column.op === 'fold' && demand.sets[node] === undefined) {
      return await this.#foldCounts(column, demand.counts[node]);
    }
    const vector = await this.vector(node);
    const cursor = newCursor();
    const counts = new Float64Array(vector.length);
    for (let r = 0; r < counts.length; r++) {
      vector.locate(r, cursor);
      counts[r] = cardinalityUnder(cursor);
    }
    return counts;
  }

  /** 1 for each row of a node that has a member here. */
  async flags(node: number): Promise<Uint8Array> {
    const column = this.#column(node);
    if (column.op !== 'pair' || column.how !== 'and') {
      return Uint8Array.from(await this.counts(node), (count) => (count > 0 ? 1 : 0));
    }
    const out = new Uint8Array(this.#rows(node));
    if ((await this.#isBare(column.a)) || (await this.#isBare(column.b))) return out;
    await this.#eachPair(column, this.#work.demand.counts[node], (a, b, r) => {
      out[r] = intersects(setUnder(a), setUnder(b)) ? 1 : 0;
    });
    return out;
  }

  /** Whether a literal has nobody in this slice: then what is asked about it needn't be read. */
  async #isBare(node: number): Promise<boolean> {
    const column = this.#column(node);
    if (column.op === 'take') return await this.#isBare(column.of);
    if (column.op !== 'raw') return false;
    const cursor = newCursor();
    const vector = await this.vector(node);
    for (let r = 0; r < vector.length; r++) {
      vector.locate(r, cursor);
      if (cardinalityUnder(cursor) > 0) return false;
    }
    return true;
  }

  async #evaluate(node: number): Promise<SetVector> {
    const column = this.#column(node);
    const rows = this.#work.demand.sets[node];
    switch (column.op) {
      case 'stored':
        return await this.#stored(node, column);
      case 'raw':
        return new SetList(await this.#work.leaves.raw(column, rows));
      case 'here':
        return column.sets;
      case 'grouped':
        return await this.#work.leaves.grouped(column);
      case 'take':
        return new TakenSets(await this.vector(column.of), column.index);
      case 'concat':
        return new JoinedSets(await Promise.all(column.of.map((part) => this.vector(part))));
      case 'fold':
        return new SetList(await this.#fold(column, rows));
      case 'pair':
        return new SetList(await this.#pair(column, rows));
      case 'range':
        return new SetList(await this.#range(column, this.#work.graph.dictionaries[node] ?? 0));
    }
  }

  /** Where it meets literals of a few ids alone, no more is read than where their codes lie. */
  async #stored(node: number, column: StoredColumn): Promise<SetVector> {
    const { demand, leaves } = this.#work;
    const rows = demand.sets[node];
    const literals = demand.literals[node];
    if (literals === undefined) return await leaves.stored(column, { rows });
    const vectors = await Promise.all([...literals].map((literal) => this.vector(literal)));
    return await leaves.stored(column, {
      rows,
      within: containersOf(vectors, leaves.nextCode(column.dictionary)),
    });
  }

  async #fold(column: FoldColumn, rows: Rows): Promise<CodeSets> {
    const out = new Array<CodeSet>(column.offsets.length - 1).fill(emptySet);
    await this.#eachFold(column, rows, (list, r) => {
      out[r] = foldRows(column.how, list);
    });
    return out;
  }

  async #foldCounts(column: FoldColumn, rows: Rows): Promise<Float64Array> {
    const out = new Float64Array(column.offsets.length - 1);
    await this.#eachFold(column, rows, (list, r) => {
      out[r] = foldCardinality(column.how, list);
    });
    return out;
  }

  async #eachFold(
    column: FoldColumn,
    rows: Rows,
    use: (list: RowList, r: number) => void,
  ): Promise<void> {
    const of = await this.vector(column.of);
    const { offsets, index } = column;
    for (let r = 0; r + 1 < offsets.length; r++) {
      const start = offsets[r] as number;
      const end = offsets[r + 1] as number;
      if (start < end && wants(rows, r)) use({ of, index, start, end }, r);
      const look = end - start > rowsPerLook || r % rowsPerLook === 0;
      if (look && this.#work.pacer.due()) await this.#work.pacer.breathe();
    }
  }

  async #pair(column: PairColumn, rows: Rows): Promise<CodeSets> {
    const out = new Array<CodeSet>(this.#rows(column.a)).fill(emptySet);
    await this.#eachPair(column, rows, (a, b, r) => {
      out[r] = pairSet(column.how, setUnder(a), setUnder(b));
    });
    return out;
  }

  async #pairCounts(column: PairColumn, rows: Rows): Promise<Float64Array> {
    const shared = await this.#sharedMembers(column, rows);
    if (shared !== undefined) return sharedCounts(column.how, shared);
    const out = new Float64Array(this.#rows(column.a));
    await this.#eachPair(column, rows, (a, b, r) => {
      out[r] = pairCount(column.how, setUnder(a), setUnder(b));
    });
    return out;
  }

  /** Several operators over the same pairs of rows count what these share once. */
  async #sharedMembers({ a, b }: PairColumn, rows: Rows): Promise<SharedMembers | undefined> {
    const same = this.#shared.find((one) => one.a === a && one.b === b && one.rows === rows);
    if (same !== undefined) return await same.members;
    const sides = Promise.all([this.#side(a), this.#side(b)]);
    const members = sides.then((both) => sharedMembers(both, rows, this.#work.pacer));
    this.#shared.push({ a, b, rows, members });
    return await members;
  }

  async #side(node: number): Promise<PairSide> {
    const column = this.#column(node);
    if (column.op === 'take') return { of: await this.vector(column.of), index: column.index };
    const of = await this.vector(node);
    return { of, index: consecutive(0, of.length) };
  }

  #treeOf(node: number): CountedTree | undefined {
    const { graph, asks } = this.#work;
    this.#uses ??= nodeUses(graph.columns, asks);
    return countedTree(graph.columns, this.#uses, node);
  }

  async #treeCounts({ leaves, tree }: CountedTree, rows: Rows): Promise<Float64Array> {
    const vectors = await Promise.all(leaves.map((leaf) => this.vector(leaf)));
    const cursor = newCursor();
    const out = new Float64Array(vectors[0]?.length ?? 0);
    for (let r = 0; r < out.length; r++) {
      if (wants(rows, r)) {
        const sets = vectors.map((vector) => {
          vector.locate(r, cursor);
          return setUnder(cursor);
        });
        out[r] = treeCount(tree, sets);
      }
      const look = r % rowsPerLook === 0;
      if (look && this.#work.pacer.due()) await this.#work.pacer.breathe();
    }
    return out;
  }

  async #eachPair(
    column: PairColumn,
    rows: Rows,
    use: (a: SetCursor, b: SetCursor, r: number) => void,
  ): Promise<void> {
    const [a, b] = await Promise.all([this.vector(column.a), this.vector(column.b)]);
    const [first, second] = [newCursor(), newCursor()];
    for (let r = 0; r < a.length; r++) {
      if (wants(rows, r)) {
        a.locate(r, first);
        b.locate(r, second);
        use(first, second, r);
      }
      const look = r % rowsPerLook === 0;
      if (look && this.#work.pacer.due()) await this.#work.pacer.breathe();
    }
  }

  async #range(column: RangeColumn, dictionary: number): Promise<CodeSets> {
    const of = await this.sets(column.of);
    const decoded = await this.#work.leaves.decode(dictionary, of);
    const values = decoded.integers();
    return of.map((set, r) => {
      const { codes, positions } = positionsIn(decoded, set);
      const from = column.from[r] as bigint;
      const to = column.to[r] as bigint;
      const kept = codes.filter((_, i) => {
        const id = values[positions === undefined ? i : (positions[i] as number)] as bigint;
        return from <= id && id < to;
      });
      return setFromSorted(kept);
    });
  }

  #rows(node: number): number {
    return defined(this.#work.graph.lengths[node], `length of node ${node}`);
  }

  #column(node: number): SetColumn {
    return defined(this.#work.graph.columns[node], `node ${node}`);
  }
}

function takeNumbers(of: Float64Array, index: Int32Array): Float64Array {
  return Float64Array.from(index, (row) => (row < 0 ? 0 : (of[row] as number)));
}

function concatNumbers(parts: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
