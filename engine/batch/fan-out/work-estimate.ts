// How long the groups of a batch would keep a cold worker busy, from what the root knows anyhow: rows
// asked for, bytes and cardinality that catalog entries tell per group, the graph. An estimate decides
// how work is cut, never what is answered. Large vectors are sampled.

import { defined } from '../../../base/assert.ts';
import { consecutiveStart } from '../../../base/consecutive.ts';
import { smallCardinalityMax } from '../../../storage-format/set-column.ts';
import type { Batch, SetColumn, StripeRef, StripeSource } from '../batch.ts';
import { simplifyBatch } from '../simplified-batch.ts';
import { codesEnd, containerCodes, nextCodesOf } from '../slices.ts';
import type { GroupWork } from './fan-out-plan.ts';
import { graphWork, nodesReadAsSets, type StoredSize } from './graph-work.ts';

/** What one environment reads in the long run: 75 to 90 MiB/s (Lambada, Skyrise). */
const readBytesPerMs = 90_000;
/** An index or a segment opened: 15 ms to the first byte (Starling), some sixteen side by side. */
const openMs = 1;
/** Detail rows decoded and filtered. */
const rowsPerMs = 10_000;
const samplesMax = 65_536;

type StoredColumn = Extract<SetColumn, { readonly op: 'stored' }>;

/** Whether a batch is tiny, and how it is cut, are two questions. */
const estimates = new WeakMap<Batch, readonly GroupWork[]>();

/** In order of groups. Of a batch about rows alone: one, which can be cut into its stripes. */
export function estimateWork(batch: Batch): readonly GroupWork[] {
  const known = estimates.get(batch);
  if (known !== undefined) return known;
  const work = findWork(simplifyBatch(batch));
  estimates.set(batch, work);
  return work;
}

function findWork(batch: Batch): readonly GroupWork[] {
  const rowsMs = fragmentMs(batch);
  if (batch.dictionaries.length === 0 && batch.fragments.length > 0) {
    const rangesMax = Math.max(1, ...batch.sources.map((source) => source.stripes.length));
    return [{ group: 0, nextCode: codesEnd, rangesMax, fixedMs: 0, divisibleMs: rowsMs }];
  }
  const nextCodes = nextCodesOf(batch);
  const reads = new GroupReads(batch, nextCodes.length);
  const graph = graphWork(batch, (column, node) => reads.add(column, node));
  addSegments(batch, reads);
  const total = reads.bytes.reduce((sum, bytes) => sum + bytes, 0);
  return nextCodes.map((nextCode, group) => {
    const bytes = defined(reads.bytes[group], 'bytes of a group');
    const ranged = defined(reads.ranged[group], 'bytes of a group');
    const share = total > 0 ? bytes / total : 1 / nextCodes.length;
    return {
      group,
      nextCode,
      rangesMax: Math.max(1, Math.ceil(nextCode / containerCodes)),
      fixedMs: readingMs(defined(reads.opens[group], 'opens of a group'), bytes - ranged),
      divisibleMs:
        readingMs(0, ranged) + graph.membersMs * share + graph.rowsMs + rowsMs / nextCodes.length,
    };
  });
}

/** Of so many indexes opened and so many bytes after them. */
export function readingMs(opens: number, bytes: number): number {
  return opens * openMs + bytes / readBytesPerMs;
}

/** What is read of each group. */
class GroupReads {
  readonly bytes: number[];
  /** Of them those of large sets, of which a code range reads its own containers. */
  readonly ranged: number[];
  readonly opens: number[];
  readonly #batch: Batch;
  readonly #asSets: readonly boolean[];
  /** Part of each opened stripe that is read so far. */
  readonly #read = new Map<StripeRef, number>();

  constructor(batch: Batch, groups: number) {
    this.#batch = batch;
    this.#asSets = nodesReadAsSets(batch);
    this.bytes = new Array<number>(groups).fill(0);
    this.ranged = new Array<number>(groups).fill(0);
    this.opens = new Array<number>(groups).fill(0);
  }

  /** Indexes of the stripes that hold its rows; payloads too unless they are only counted. */
  add(column: StoredColumn, node: number): StoredSize {
    const source = defined(this.#batch.sources[column.source], `source ${column.source}`);
    let bytes = 0;
    let ids = 0;
    for (const [stripe, picked] of stripeShares(source, column)) {
      if (!this.#read.has(stripe)) this.#open(stripe);
      if (this.#asSets[node] !== true) continue;
      const sizes = groupBytesOf(stripe);
      this.#readMore(stripe, picked, sizes);
      const stripeBytes = picked * sizes.reduce((sum, size) => sum + size, 0);
      const members = stripe.groupCardinality?.reduce((sum, count) => sum + count, 0);
      bytes += stripeBytes;
      ids += members === undefined ? stripeBytes / 2 : picked * members;
    }
    return { bytes, ids };
  }

  /** However many nodes ask for them, sets are read once. */
  #readMore(stripe: StripeRef, picked: number, sizes: readonly number[]): void {
    const before = this.#read.get(stripe) ?? 0;
    const fresh = Math.min(picked, 1 - before);
    this.#read.set(stripe, before + fresh);
    sizes.forEach((size, group) => {
      if (group >= this.bytes.length) return;
      this.bytes[group]! += fresh * size;
      if (isOfLargeSets(stripe, group)) this.ranged[group]! += fresh * size;
    });
  }

  /** A part of several groups counts for each of them in part: whoever has them all opens it once. */
  #open(stripe: StripeRef): void {
    this.#read.set(stripe, 0);
    for (const { groupFirst, groupCount } of stripe.parts) {
      const end = Math.min(groupFirst + groupCount, this.opens.length);
      for (let group = groupFirst; group < end; group++) this.opens[group]! += 1 / groupCount;
    }
  }
}

/** By the mean: a stripe of both is taken as what most of its members are in. */
function isOfLargeSets({ rows, groupCardinality }: StripeRef, group: number): boolean {
  return (groupCardinality?.[group] ?? 0) > rows * smallCardinalityMax;
}

/** Of each stripe that some row is of, the part of its rows that is asked for. */
function stripeShares(
  { stripes }: StripeSource,
  { rows }: StoredColumn,
): ReadonlyMap<StripeRef, number> {
  const ends = stripeEnds(stripes);
  const start = consecutiveStart(rows);
  const counts =
    start === undefined ? sampledRows(rows, ends) : rowsWithin(start, start + rows.length, ends);
  const shares = new Map<StripeRef, number>();
  for (const [i, stripe] of stripes.entries()) {
    const count = counts[i] as number;
    if (count > 0) shares.set(stripe, Math.min(1, (shares.get(stripe) ?? 0) + count / stripe.rows));
  }
  return shares;
}

/** Source row behind the last one of each stripe. */
function stripeEnds(stripes: readonly StripeRef[]): Float64Array {
  const ends = new Float64Array(stripes.length);
  stripes.forEach(({ rows }, i) => {
    ends[i] = rows + (ends[i - 1] ?? 0);
  });
  return ends;
}

/** Of rows [start, end) those of each stripe. */
function rowsWithin(start: number, end: number, ends: Float64Array): Float64Array {
  return ends.map((last, i) =>
    Math.max(0, Math.min(end, last) - Math.max(start, ends[i - 1] ?? 0)),
  );
}

/** The same of rows in any order, about. */
function sampledRows(rows: Int32Array, ends: Float64Array): Float64Array {
  const counts = new Float64Array(ends.length);
  const step = Math.max(1, Math.ceil(rows.length / samplesMax));
  let stripe = 0;
  for (let r = 0; r < rows.length; r += step) {
    const row = rows[r] as number;
    if (row < 0) continue;
    const isSame = row < (ends[stripe] ?? 0) && row >= (ends[stripe - 1] ?? 0);
    if (!isSame) stripe = stripeOf(row, ends);
    if (stripe < counts.length) counts[stripe] = (counts[stripe] as number) + step;
  }
  return counts;
}

/** By bisection. */
function stripeOf(row: number, ends: Float64Array): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (row < (ends[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** As the catalog's entry tells, or else by the parts. */
function groupBytesOf(stripe: StripeRef): readonly number[] {
  if (stripe.groupBytes !== undefined) return stripe.groupBytes;
  return stripe.parts.flatMap(({ bytes, groupCount }) =>
    Array.from({ length: groupCount }, () => bytes / groupCount),
  );
}

/** Literals are looked up in every segment of their dictionary. */
function addSegments(batch: Batch, reads: GroupReads): void {
  const asked = new Set(
    batch.sets.flatMap((column) => (column.op === 'raw' ? [column.dictionary] : [])),
  );
  for (const place of asked) {
    for (const { group } of batch.dictionaries[place]?.segments ?? []) reads.opens[group]! += 1;
  }
}

function fragmentMs(batch: Batch): number {
  let ms = 0;
  for (const fragment of batch.fragments) {
    for (const stripe of batch.sources[fragment.source]?.stripes ?? []) {
      const bytes = groupBytesOf(stripe).reduce((sum, size) => sum + size, 0);
      ms += readingMs(1, bytes) + stripe.rows / rowsPerMs;
    }
  }
  return ms;
}
