// A batch as it is sent: the same answers from fewer and simpler nodes. Pure data in, pure data out.
//
// - Rows taken of rows taken, parts joined that are of one node, and folds of such rows become one step.
// - A node that is there twice is there once, scans of the same stripes are one; what no ask needs is gone.
// - Stored sets that are there again and again, as after a join, are rows of a vector that has each once.
// - Row-wise pairs are of distinct rows: a matrix of a few sets computes each pair once, and where order
//   is no matter each unordered pair.
// - A row-wise chain of one operator is one fold, which may start with its smallest set and end early.

import { defined } from '../../base/assert.ts';
import { consecutive, consecutiveStart, joinedNumbers } from '../../base/consecutive.ts';
import {
  type Ask,
  type Batch,
  type FoldHow,
  nodeUses,
  operandsOf,
  type SetColumn,
} from './batch.ts';
import { type DistinctPairs, distinctPairs } from './distinct-pairs.ts';
import { overFirstSources } from './equal-sources.ts';
import { NodeNames } from './node-names.ts';
import { placesOf, RepeatedRows } from './repeated-rows.ts';

type Of<Op extends SetColumn['op']> = Extract<SetColumn, { readonly op: Op }>;

export function simplifyBatch(batch: Batch): Batch {
  if (batch.sets.length === 0) return batch;
  const known = simplified.get(batch);
  if (known !== undefined) return known;
  const columns = overFirstSources(batch);
  const simplifier = new Simplifier(nodeUses(batch.sets, batch.asks), new RepeatedRows(columns));
  const places: number[] = [];
  for (const column of columns) {
    places.push(simplifier.add(moved(column, places)));
  }
  const asks = batch.asks.map((ask) => movedAsk(ask, places));
  const simple = { ...batch, ...withoutUnused(simplifier.columns, asks) };
  simplified.set(batch, simple);
  return simple;
}

/** How it is cut and what is sent are two questions. */
const simplified = new WeakMap<Batch, Batch>();

/** A fold's lists of rows must not outweigh what they save. */
const chainEntriesMax = 2 ** 20;

class Simplifier {
  readonly columns: SetColumn[] = [];
  readonly #lengths: number[] = [];
  readonly #names = new NodeNames();
  /** Of each node that is still to be added, how often it is used. */
  readonly #uses: readonly number[];
  readonly #repeated: RepeatedRows;
  readonly #pairsOf = new Map<string, DistinctPairs>();
  #added = 0;
  /** Uses of each place, and what it combines row by row where it is a chain of one operator. */
  readonly #usesOfPlace: number[] = [];
  readonly #chains = new Map<number, { readonly how: FoldHow; readonly of: readonly number[] }>();

  constructor(uses: readonly number[], repeated: RepeatedRows) {
    this.#uses = uses;
    this.#repeated = repeated;
  }

  /** Where the column is now; its operands are places. */
  add(column: SetColumn): number {
    const place = this.#simplified(column);
    const uses = this.#uses[this.#added++] ?? 0;
    this.#usesOfPlace[place] = (this.#usesOfPlace[place] ?? 0) + uses;
    return place;
  }

  #simplified(column: SetColumn): number {
    switch (column.op) {
      case 'stored':
        return this.#stored(column);
      case 'take':
        return this.#take(column);
      case 'concat':
        return this.#concat(column);
      case 'fold':
        return this.#fold(column);
      case 'pair':
        return this.#pair(column);
      default:
        return this.#place(column);
    }
  }

  #stored(column: Of<'stored'>): number {
    const distinct = this.#repeated.of(column);
    if (distinct === undefined) return this.#place(column);
    const of = this.#place({ ...column, rows: distinct.rows });
    return this.#take({ op: 'take', of, index: placesOf(column.rows, distinct) });
  }

  #take({ of, index }: Of<'take'>): number {
    const below = this.#column(of);
    if (below.op === 'take') return this.#take({ ...below, index: composed(index, below.index) });
    if (isIdentity(index, this.#length(of))) return of;
    return this.#place({ op: 'take', of, index });
  }

  #concat({ of }: Of<'concat'>): number {
    const [first] = of;
    if (first === undefined) return this.#place({ op: 'concat', of });
    const bases = of.map((part) => this.#base(part));
    const [base] = bases;
    if (bases.some((one) => one !== base)) {
      return this.#place(
        storedTogether(of.map((part) => this.#column(part))) ?? { op: 'concat', of },
      );
    }
    if (of.length === 1) return first;
    const index = joinedNumbers(of.map((part) => this.#rows(part)));
    return this.#take({ op: 'take', of: defined(base, 'a base'), index });
  }

  #fold(column: Of<'fold'>): number {
    const { of, offsets, index } = column;
    const below = this.#column(of);
    if (below.op === 'take') {
      return this.#fold({ ...column, of: below.of, index: composed(index, below.index) });
    }
    const single = singleRows(offsets, index);
    return single === undefined
      ? this.#place(column)
      : this.#take({ op: 'take', of, index: single });
  }

  #pair(column: Of<'pair'>): number {
    const { how, a, b } = column;
    const [baseOfA, baseOfB] = [this.#base(a), this.#base(b)];
    if (this.#length(a) > Math.max(this.#length(baseOfA), this.#length(baseOfB))) {
      const { first, second, index } = this.#distinctPairs(a, b, how === 'andnot');
      if (first.length < index.length) {
        const left = this.#take({ op: 'take', of: baseOfA, index: first });
        const right = this.#take({ op: 'take', of: baseOfB, index: second });
        return this.#take({ op: 'take', of: this.#pair({ ...column, a: left, b: right }), index });
      }
    }
    if (how === 'andnot') return this.#place(column);
    const links = [...this.#links(how, a), ...this.#links(how, b)].sort((x, y) => x - y);
    const isChain = links.length > 2 && links.length * this.#length(a) <= chainEntriesMax;
    const [x = a, y = b] = isChain ? [] : [a, b].sort((one, other) => one - other);
    const place = isChain
      ? this.#chain(how, links, this.#length(a))
      : this.#place({ op: 'pair', how, a: x, b: y });
    this.#chains.set(place, { how, of: isChain ? links : [x, y] });
    return place;
  }

  /** Several operators may be over the same two columns. */
  #distinctPairs(a: number, b: number, isOrdered: boolean): DistinctPairs {
    const name = `${a} ${b} ${isOrdered}`;
    const side = (node: number) => {
      const base = this.#base(node);
      return { base, length: this.#length(base), rows: this.#rows(node) };
    };
    const found = this.#pairsOf.get(name) ?? distinctPairs({ a: side(a), b: side(b), isOrdered });
    this.#pairsOf.set(name, found);
    return found;
  }

  /** What a node combines by the same operator, if nobody else needs the node itself. */
  #links(how: FoldHow, node: number): readonly number[] {
    const chain = this.#chains.get(node);
    return chain?.how === how && this.#usesOfPlace[node] === 1 ? chain.of : [node];
  }

  /** Row r folds row r of each. */
  #chain(how: FoldHow, of: readonly number[], rows: number): number {
    const offsets = new Uint32Array(rows + 1);
    const index = new Int32Array(rows * of.length);
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < of.length; k++) index[r * of.length + k] = k * rows + r;
      offsets[r + 1] = (r + 1) * of.length;
    }
    return this.#fold({ op: 'fold', how, of: this.#concat({ op: 'concat', of }), offsets, index });
  }

  /** The node that a node's rows are rows of. */
  #base(node: number): number {
    const column = this.#column(node);
    return column.op === 'take' ? column.of : node;
  }

  /** Rows of the base. */
  #rows(node: number): Int32Array {
    const column = this.#column(node);
    return column.op === 'take' ? column.index : consecutive(0, this.#length(node));
  }

  #place(column: SetColumn): number {
    const known = this.#names.find(column, this.columns);
    if (known !== undefined) return known;
    this.#lengths.push(rowsOf(column, this.#lengths));
    return this.#names.add(column, this.columns.push(column) - 1);
  }

  #column(node: number): SetColumn {
    return defined(this.columns[node], `node ${node}`);
  }

  #length(node: number): number {
    return defined(this.#lengths[node], `length of node ${node}`);
  }
}

/** Portions of one scan as one column; undefined where they are something else. */
function storedTogether(parts: readonly SetColumn[]): SetColumn | undefined {
  const stored = parts.flatMap((part) => (part.op === 'stored' ? [part] : []));
  const [first] = stored;
  if (first === undefined || stored.length < parts.length) return undefined;
  const isSame = (one: Of<'stored'>) =>
    one.source === first.source &&
    one.columnId === first.columnId &&
    one.dictionary === first.dictionary;
  return stored.every(isSame)
    ? { ...first, rows: joinedNumbers(stored.map(({ rows }) => rows)) }
    : undefined;
}

function composed(index: Int32Array, below: Int32Array): Int32Array {
  const rows = new Int32Array(index.length);
  for (let i = 0; i < rows.length; i++) {
    const row = index[i] as number;
    rows[i] = row < 0 ? -1 : (below[row] as number);
  }
  return rows;
}

function isIdentity(index: Int32Array, length: number): boolean {
  if (index.length !== length) return false;
  if (consecutiveStart(index) === 0) return true;
  for (let i = 0; i < length; i++) if (index[i] !== i) return false;
  return true;
}

/** Of lists of at most one row each: those rows. */
function singleRows(offsets: Uint32Array, index: Int32Array): Int32Array | undefined {
  const rows = new Int32Array(offsets.length - 1);
  if (index.length > rows.length) return undefined;
  for (let r = 0; r < rows.length; r++) {
    const start = offsets[r] as number;
    const many = (offsets[r + 1] as number) - start;
    if (many > 1) return undefined;
    rows[r] = many === 0 ? -1 : (index[start] as number);
  }
  return rows;
}

function rowsOf(column: SetColumn, lengths: readonly number[]): number {
  const length = (node: number) => defined(lengths[node], `length of node ${node}`);
  switch (column.op) {
    case 'stored':
      return column.rows.length;
    case 'raw':
      return column.ids.offsets.length - 1;
    case 'here':
      return column.sets.length;
    case 'grouped':
      return column.length;
    case 'take':
      return column.index.length;
    case 'concat':
      return column.of.reduce((sum, part) => sum + length(part), 0);
    case 'fold':
      return column.offsets.length - 1;
    case 'pair':
      return length(column.a);
    case 'range':
      return length(column.of);
  }
}

/** The column with its operands where they are now. */
function moved(column: SetColumn, places: readonly number[]): SetColumn {
  const place = (node: number) => defined(places[node], `place of node ${node}`);
  switch (column.op) {
    case 'stored':
    case 'raw':
    case 'grouped':
    case 'here':
      return column;
    case 'concat':
      return { ...column, of: column.of.map(place) };
    case 'pair':
      return { ...column, a: place(column.a), b: place(column.b) };
    default:
      return { ...column, of: place(column.of) };
  }
}

function movedAsk(ask: Ask, places: readonly number[]): Ask {
  return ask.ask === 'rows'
    ? ask
    : { ...ask, of: defined(places[ask.of], `place of node ${ask.of}`) };
}

/** Rows of each node. */
export function rowCounts(columns: readonly SetColumn[]): readonly number[] {
  const lengths: number[] = [];
  for (const column of columns) lengths.push(rowsOf(column, lengths));
  return lengths;
}

/** Without nodes that no ask needs. */
export function withoutUnused(
  columns: readonly SetColumn[],
  asks: readonly Ask[],
): { readonly sets: readonly SetColumn[]; readonly asks: readonly Ask[] } {
  const used = columns.map(() => false);
  for (const ask of asks) if (ask.ask !== 'rows') used[ask.of] = true;
  for (let node = columns.length - 1; node >= 0; node--) {
    if (used[node] !== true) continue;
    for (const operand of operandsOf(defined(columns[node], 'a node'))) used[operand] = true;
  }
  const sets: SetColumn[] = [];
  const places: number[] = [];
  for (const [node, column] of columns.entries()) {
    places.push(used[node] === true ? sets.push(moved(column, places)) - 1 : -1);
  }
  return { sets, asks: asks.map((ask) => movedAsk(ask, places)) };
}
