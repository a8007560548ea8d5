// Facts of a batch's graph of set columns that need no data: lengths, dictionaries, and which rows of
// which node are needed, as sets or only as counts. Computed once per slice, from the asks back to
// the leaves, so that nothing is read or computed that no ask needs.

import { assert, defined } from '../../base/assert.ts';
import { consecutiveStart } from '../../base/consecutive.ts';
import type { Batch, SetColumn } from '../batch/batch.ts';
import { type Literals, literalsMet } from './wanted-codes.ts';

/** Rows needed of a node: all, none (undefined) or those whose byte is 1. */
export type Rows = 'all' | Uint8Array | undefined;

export interface Demand {
  /** Rows of each node that must be there as sets. */
  readonly sets: readonly Rows[];
  /** Rows of each node of which a count is needed. */
  readonly counts: readonly Rows[];
  /** Literals that each node meets wherever it is used: nothing else of it matters. */
  readonly literals: readonly (Literals | undefined)[];
}

export interface SetGraph {
  readonly columns: readonly SetColumn[];
  readonly lengths: readonly number[];
  /** Index into Batch.dictionaries of each node's members. */
  readonly dictionaries: readonly number[];
}

/** Checks that nodes refer backwards and that operands fit each other. */
export function setGraph(batch: Batch): SetGraph {
  const lengths: number[] = [];
  const dictionaries: number[] = [];
  const length = (node: number) => defined(lengths[node], `length of earlier node ${node}`);
  for (const column of batch.sets) {
    lengths.push(columnRows(column, length));
    dictionaries.push(dictionaryOf(column, dictionaries));
  }
  return { columns: batch.sets, lengths, dictionaries };
}

export function wants(rows: Rows, row: number): boolean {
  return rows === 'all' || (rows !== undefined && rows[row] === 1);
}

/**
 * Rows of each node that must be there as sets. A card over stored rows, through take and concat, is
 * answered from part indexes where `indexed` (the slice is a whole group): it needs no sets at all.
 */
export function demandOf(graph: SetGraph, asks: Batch['asks'], indexed: boolean): Demand {
  const known = demands.get(graph)?.find((one) => one.asks === asks && one.indexed === indexed);
  if (known !== undefined) return known.demand;
  const demand = findDemand(graph, asks, indexed);
  demands.set(graph, [...(demands.get(graph) ?? []), { asks, indexed, demand }]);
  return demand;
}

/** All slices of an invocation have the same: over millions of rows it is worth keeping. */
const demands = new WeakMap<
  SetGraph,
  readonly { readonly asks: Batch['asks']; readonly indexed: boolean; readonly demand: Demand }[]
>();

function findDemand(graph: SetGraph, asks: Batch['asks'], indexed: boolean): Demand {
  const pass = new DemandPass(graph, indexed);
  for (const ask of asks) {
    if (ask.ask === 'rows') continue;
    if (ask.ask === 'card' || ask.ask === 'any') pass.count(ask.of, 'all');
    else pass.want(ask.of, 'all');
  }
  for (let node = graph.columns.length - 1; node >= 0; node--) pass.visit(node);
  const literals = literalsMet(graph, asks, indexed);
  return { sets: pass.sets, counts: pass.counts, literals };
}

class DemandPass {
  readonly sets: Rows[];
  readonly counts: Rows[];
  readonly #graph: SetGraph;
  readonly #indexed: boolean;

  constructor(graph: SetGraph, indexed: boolean) {
    this.#graph = graph;
    this.#indexed = indexed;
    this.sets = graph.columns.map(() => undefined);
    this.counts = graph.columns.map(() => undefined);
  }

  want(node: number, rows: Rows): void {
    this.sets[node] = join(this.sets[node], rows);
  }

  count(node: number, rows: Rows): void {
    this.counts[node] = join(this.counts[node], rows);
  }

  visit(node: number): void {
    const column = defined(this.#graph.columns[node], 'a node');
    const counted = this.counts[node];
    if (counted !== undefined) this.#visitCount(node, column, counted);
    const wanted = this.sets[node];
    if (wanted !== undefined) this.#visitSets(column, wanted);
  }

  #visitCount(node: number, column: SetColumn, rows: Rows): void {
    if (column.op === 'take') return this.#through(column.of, column.index, rows, 'count');
    if (column.op === 'concat') return this.#parts(column.of, rows, 'count');
    if (column.op === 'pair' || column.op === 'fold') return this.#visitSets(column, rows);
    if (column.op === 'stored' && this.#indexed) return;
    this.want(node, rows);
  }

  #visitSets(column: SetColumn, rows: Rows): void {
    switch (column.op) {
      case 'take':
        return this.#through(column.of, column.index, rows, 'want');
      case 'concat':
        return this.#parts(column.of, rows, 'want');
      case 'pair':
        this.want(column.a, rows);
        return this.want(column.b, rows);
      case 'range':
        return this.want(column.of, rows);
      case 'fold':
        return this.#listed(column, rows);
      default:
    }
  }

  #through(of: number, index: Int32Array, rows: Rows, how: 'want' | 'count'): void {
    const mask = new Uint8Array(defined(this.#graph.lengths[of], 'a length'));
    for (let i = 0; i < index.length; i++) {
      const row = index[i] as number;
      if (row >= 0 && wants(rows, i)) mask[row] = 1;
    }
    this[how](of, marked(mask));
  }

  #parts(parts: readonly number[], rows: Rows, how: 'want' | 'count'): void {
    let start = 0;
    for (const part of parts) {
      const end = start + defined(this.#graph.lengths[part], 'a length');
      this[how](part, rows instanceof Uint8Array ? rows.slice(start, end) : rows);
      start = end;
    }
  }

  #listed(column: Extract<SetColumn, { readonly op: 'fold' }>, rows: Rows): void {
    const mask = new Uint8Array(defined(this.#graph.lengths[column.of], 'a length'));
    const start = consecutiveStart(column.index);
    for (let r = 0; r + 1 < column.offsets.length; r++) {
      if (!wants(rows, r)) continue;
      if (start !== undefined) {
        mask.fill(1, start + column.offsets[r]!, start + column.offsets[r + 1]!);
        continue;
      }
      for (let i = column.offsets[r] as number; i < (column.offsets[r + 1] as number); i++) {
        const row = column.index[i] as number;
        if (row >= 0) mask[row] = 1;
      }
    }
    this.want(column.of, marked(mask));
  }
}

/** Where all rows are marked, that is all there is to say. */
function marked(mask: Uint8Array): Rows {
  return mask.includes(0) ? mask : 'all';
}

function join(a: Rows, b: Rows): Rows {
  if (a === undefined || b === 'all') return b;
  if (a === 'all' || b === undefined) return a;
  return a.map((flag, row) => flag | (b[row] as number));
}

function columnRows(column: SetColumn, length: (node: number) => number): number {
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
      checkIndex(column.index, length(column.of));
      return column.index.length;
    case 'concat':
      return column.of.reduce((sum, part) => sum + length(part), 0);
    case 'fold':
      checkIndex(column.index, length(column.of));
      return column.offsets.length - 1;
    case 'pair':
      assert(length(column.a) === length(column.b), 'both sides of a pair have the same rows');
      return length(column.a);
    case 'range':
      assert(length(column.of) === column.from.length, 'a range has bounds for each row');
      assert(column.from.length === column.to.length, 'a range has both bounds for each row');
      return length(column.of);
  }
}

function checkIndex(index: Int32Array, length: number): void {
  const start = consecutiveStart(index);
  if (start !== undefined && start + index.length <= length) return;
  for (let i = 0; i < index.length; i++) {
    const row = index[i] as number;
    // The words are made only when they are needed: there may be millions of rows.
    if (row >= length || row < -1) assert(false, `row ${row} of a node of ${length} rows`);
  }
}

function dictionaryOf(column: SetColumn, earlier: readonly number[]): number {
  switch (column.op) {
    case 'stored':
    case 'raw':
    case 'grouped':
    case 'here':
      return column.dictionary;
    case 'pair': {
      assert(earlier[column.a] === earlier[column.b], 'both sides of a pair share a dictionary');
      return defined(earlier[column.a], 'a dictionary');
    }
    case 'concat': {
      const found = column.of.map((part) => defined(earlier[part], 'a dictionary'));
      assert(
        found.every((d) => d === found[0]),
        'parts of a concat share a dictionary',
      );
      return found[0] ?? 0;
    }
    default:
      return defined(earlier[column.of], 'a dictionary');
  }
}
