// How many ids stored sets have, told at the root: their parts' indexes say it, and no member is read.
// Sums over all groups are kept by stripe, so that a warm count asks nobody. Where more parts or more
// rows were to be read than one process should, it is the workers' question.

import { assert, defined } from '../../base/assert.ts';
import type { StripeRef } from '../batch/batch.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import type { QueryContext } from '../query-context.ts';
import { PartObjects } from '../worker/part-objects.ts';
import type { ScanCache } from './scan-cache.ts';
import type { SetGraph, SetNode, SetNodeId } from './set-graph.ts';

type StoredNode = Extract<SetNode, { readonly op: 'stored' }>;

/** A column of a stripe; `counts` are sums over all groups, by row. */
interface StripeCounts {
  readonly key: string;
  readonly stripe: StripeRef;
  readonly columnId: number;
  readonly groups: number;
  readonly namespace: number;
  counts?: Uint32Array | Float64Array;
}

/** Parts that are opened, and cardinalities read (4 bytes each), for one stage at most. */
const partsMax = 64;
const cellsMax = 32 * 1024 * 1024;

/** Of one stage: what its counts need is known before anything is read. */
export class StoredCounts {
  readonly #graph: SetGraph;
  readonly #context: QueryContext;
  readonly #stripes = new Map<string, StripeCounts>();

  constructor(graph: SetGraph, context: QueryContext) {
    this.#graph = graph;
    this.#context = context;
  }

  /** False where counts of this node are nothing that indexes tell. Without I/O. */
  wants(id: SetNodeId): boolean {
    const node = this.#graph.node(id);
    switch (node.op) {
      case 'stored':
        this.#wantStored(node);
        return true;
      case 'raw':
        return true;
      case 'take':
        return this.wants(node.of);
      case 'concat':
        return node.of.every((one) => this.wants(one));
      default:
        return false;
    }
  }

  /** False where workers share the reading better. Without I/O. */
  get fits(): boolean {
    const parts = new Set<string>();
    let cells = 0;
    for (const { stripe, groups, counts } of this.#stripes.values()) {
      if (counts !== undefined) continue;
      cells += stripe.rows * groups;
      for (const { object, offset } of stripe.parts) parts.add(`${object}@${offset}`);
    }
    return parts.size <= partsMax && cells <= cellsMax;
  }

  /** All that was wanted. Cold: an index of each part, and a round more for columns beyond 256 KiB. */
  async read(): Promise<void> {
    const missing = [...this.#stripes.values()].filter(({ counts }) => counts === undefined);
    await Promise.all(missing.map((one) => this.#readStripe(one)));
  }

  /** Of each row of a node that `wants` agreed to, after `read`. */
  of(id: SetNodeId): Float64Array {
    const node = this.#graph.node(id);
    switch (node.op) {
      case 'stored':
        return this.#storedCounts(node);
      case 'raw':
        return Float64Array.from(
          { length: node.length },
          (_, row) => (node.ids.offsets[row + 1] as number) - (node.ids.offsets[row] as number),
        );
      case 'take': {
        const counts = this.of(node.of);
        return Float64Array.from(node.index, (row) => (row < 0 ? 0 : (counts[row] as number)));
      }
      default: {
        assert(node.op === 'concat', 'counts that indexes tell');
        const out = new Float64Array(node.length);
        let at = 0;
        for (const one of node.of) {
          const counts = this.of(one);
          out.set(counts, at);
          at += counts.length;
        }
        return out;
      }
    }
  }

  /** Of the stripes that have any of its rows. */
  #wantStored(node: StoredNode): void {
    const { stripes } = this.#graph.source(node.source);
    if (node.rows === undefined || stripes.length === 1) {
      for (const stripe of stripes) this.#wantStripe(node, stripe);
      return;
    }
    const starts = startsOf(stripes);
    let at = -1;
    for (const row of node.rows) {
      if (row < 0 || (at >= 0 && isOf(starts, at, row))) continue;
      at = stripeAt(starts, row);
      this.#wantStripe(node, defined(stripes[at], 'the stripe of a row'));
    }
  }

  #wantStripe(node: StoredNode, stripe: StripeRef): void {
    const key = this.#keyOf(node, stripe);
    if (this.#stripes.has(key)) return;
    const { groups } = this.#graph.source(node.source);
    const { columnId } = node;
    const namespace = this.#namespaceOf(node);
    const counts = keptCounts(this.#context.scanCache, key);
    const own = counts === undefined ? {} : { counts };
    this.#stripes.set(key, { key, stripe, columnId, groups, namespace, ...own });
  }

  #keyOf(node: StoredNode, { parts }: StripeRef): string {
    const { object, offset } = defined(parts[0], 'the first part of a stripe');
    const { store } = this.#context;
    return `${store.id}|${this.#namespaceOf(node)}|${object}|${offset}|counts|${node.columnId}`;
  }

  #namespaceOf({ dictionary }: StoredNode): number {
    return this.#graph.dictionary(defined(dictionary, 'the dictionary of stored sets')).namespace;
  }

  async #readStripe(wanted: StripeCounts): Promise<void> {
    const { store, signal, rootCaches, scanCache, opened } = this.#context;
    const { key, stripe, columnId, groups, namespace } = wanted;
    const parts = new PartObjects(new DataObjects(store, namespace, signal), rootCaches, {
      opened,
    });
    const found = await Promise.all(
      Array.from({ length: groups }, (_, group) =>
        parts.cardinalities(stripe, { columnId, group }),
      ),
    );
    const counts = sumOf(found, stripe.rows);
    wanted.counts = counts;
    scanCache.keepColumn(key, { kind: 'number', values: counts });
  }

  #storedCounts(node: StoredNode): Float64Array {
    const { stripes } = this.#graph.source(node.source);
    const { rows, length } = node;
    const out = new Float64Array(length);
    if (rows === undefined) {
      let at = 0;
      for (const stripe of stripes) {
        out.set(this.#countsOf(node, stripe), at);
        at += stripe.rows;
      }
      return out;
    }
    const starts = startsOf(stripes);
    let start = 0;
    let end = 0;
    let counts: ArrayLike<number> = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      if (row < 0) continue;
      if (row < start || row >= end) {
        const at = stripeAt(starts, row);
        start = starts[at] as number;
        counts = this.#countsOf(node, stripes[at]!);
        end = start + counts.length;
      }
      out[i] = counts[row - start] as number;
    }
    return out;
  }

  #countsOf(node: StoredNode, stripe: StripeRef): Uint32Array | Float64Array {
    const wanted = this.#stripes.get(this.#keyOf(node, stripe));
    return defined(wanted?.counts, 'counts of a stripe');
  }
}

function keptCounts(cache: ScanCache, key: string): Uint32Array | Float64Array | undefined {
  const kept = cache.column(key);
  if (kept?.kind !== 'number') return undefined;
  const { values } = kept;
  return values instanceof Uint32Array || values instanceof Float64Array ? values : undefined;
}

/** In 32 bits where all sums fit. */
function sumOf(groups: readonly Uint32Array[], rows: number): Uint32Array | Float64Array {
  if (groups.length === 1) return defined(groups[0], 'the counts of the only group');
  const sums = new Float64Array(rows);
  let most = 0;
  for (const [i, counts] of groups.entries()) {
    const last = i === groups.length - 1;
    for (let row = 0; row < rows; row++) {
      const sum = (sums[row] as number) + (counts[row] as number);
      sums[row] = sum;
      if (last && sum > most) most = sum;
    }
  }
  return most <= 0xffff_ffff ? Uint32Array.from(sums) : sums;
}

/** First row of each stripe, and where the last one ends. */
function startsOf(stripes: readonly StripeRef[]): Float64Array {
  const starts = new Float64Array(stripes.length + 1);
  stripes.forEach(({ rows }, i) => {
    starts[i + 1] = (starts[i] as number) + rows;
  });
  return starts;
}

function isOf(starts: Float64Array, at: number, row: number): boolean {
  return (starts[at] as number) <= row && row < (starts[at + 1] as number);
}

function stripeAt(starts: Float64Array, row: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
