// How long the groups of a batch would keep a cold worker busy, from what the root knows anyhow: rows
// asked for, bytes and cardinality that catalog entries tell per group, the graph. An estimate decides
// how work is cut, never what is answered. Large vectors are sampled.

import { defined } from '../../../base/assert.ts';
import { type Demand, demandOf, type Rows, setGraph, wants } from '../../worker/set-graph.ts';
import type { Batch, SetColumn, StripeRef, StripeSource } from '../batch.ts';
import { codesEnd, nextCodesOf } from '../slices.ts';
import type { GroupWork } from './fan-out-plan.ts';
import { graphWork, type StoredSize } from './graph-work.ts';

/** What one environment reads in the long run: 75 to 90 MiB/s (Lambada, Skyrise). */
const readBytesPerMs = 90_000;
/** An index or a segment opened: 15 ms to the first byte (Starling), some sixteen side by side. */
const openMs = 1;
/** Detail rows decoded and filtered. */
const rowsPerMs = 10_000;
/** A cut through a container would read and unpack it twice. */
const containerCodes = 2 ** 16;
const samplesMax = 65_536;

type StoredColumn = Extract<SetColumn, { readonly op: 'stored' }>;

/** In order of groups. Of a batch about rows alone: one, which can be cut into its stripes. */
export function estimateWork(batch: Batch): readonly GroupWork[] {
  const rowsMs = fragmentMs(batch);
  if (batch.dictionaries.length === 0 && batch.fragments.length > 0) {
    const rangesMax = Math.max(1, ...batch.sources.map((source) => source.stripes.length));
    return [{ group: 0, nextCode: codesEnd, rangesMax, fixedMs: 0, divisibleMs: rowsMs }];
  }
  const nextCodes = nextCodesOf(batch);
  const reads = new GroupReads(batch, nextCodes.length);
  const computeMs = graphWork(batch, (column, node) => reads.add(column, node));
  addSegments(batch, reads);
  const total = reads.bytes.reduce((sum, bytes) => sum + bytes, 0);
  return nextCodes.map((nextCode, group) => {
    const bytes = defined(reads.bytes[group], 'bytes of a group');
    const share = total > 0 ? bytes / total : 1 / nextCodes.length;
    return {
      group,
      nextCode,
      rangesMax: Math.max(1, Math.ceil(nextCode / containerCodes)),
      fixedMs: readingMs(defined(reads.opens[group], 'opens of a group'), bytes),
      divisibleMs: computeMs * share + rowsMs / nextCodes.length,
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
  readonly opens: number[];
  readonly #batch: Batch;
  readonly #demand: Demand;
  readonly #opened = new Set<StripeRef>();

  constructor(batch: Batch, groups: number) {
    this.#batch = batch;
    this.#demand = demandOf(setGraph(batch), batch.asks, true);
    this.bytes = new Array<number>(groups).fill(0);
    this.opens = new Array<number>(groups).fill(0);
  }

  /** Indexes of the stripes that hold its rows; payloads too unless they are only counted. */
  add(column: StoredColumn, node: number): StoredSize {
    const source = defined(this.#batch.sources[column.source], `source ${column.source}`);
    const wanted = this.#demand.sets[node];
    let bytes = 0;
    let ids = 0;
    for (const [stripe, { touched, picked }] of stripeShares(source, column, wanted)) {
      if (touched && !this.#opened.has(stripe)) this.#open(stripe);
      if (picked === 0) continue;
      const sizes = groupBytesOf(stripe);
      sizes.forEach((size, group) => {
        if (group < this.bytes.length) this.bytes[group]! += picked * size;
      });
      const stripeBytes = picked * sizes.reduce((sum, size) => sum + size, 0);
      const members = stripe.groupCardinality?.reduce((sum, count) => sum + count, 0);
      bytes += stripeBytes;
      ids += members === undefined ? stripeBytes / 2 : picked * members;
    }
    return { bytes, ids };
  }

  /** A part of several groups counts for each of them in part: whoever has them all opens it once. */
  #open(stripe: StripeRef): void {
    this.#opened.add(stripe);
    for (const { groupFirst, groupCount } of stripe.parts) {
      const end = Math.min(groupFirst + groupCount, this.opens.length);
      for (let group = groupFirst; group < end; group++) this.opens[group]! += 1 / groupCount;
    }
  }
}

interface StripeShare {
  /** Some row is asked for, be it only its count. */
  touched: boolean;
  /** Part of the stripe's rows that is needed as sets. */
  picked: number;
}

function stripeShares(
  source: StripeSource,
  column: StoredColumn,
  wanted: Rows,
): ReadonlyMap<StripeRef, StripeShare> {
  const shares = new Map<StripeRef, StripeShare>();
  const step = Math.max(1, Math.ceil(column.rows.length / samplesMax));
  const place = stripePlaces(source);
  for (let r = 0; r < column.rows.length; r += step) {
    const row = column.rows[r] as number;
    const stripe = row < 0 ? undefined : place(row);
    if (stripe === undefined) continue;
    const share = shares.get(stripe) ?? { touched: true, picked: 0 };
    shares.set(stripe, share);
    if (wants(wanted, r)) share.picked = Math.min(1, share.picked + step / stripe.rows);
  }
  return shares;
}

/** The stripe of a row: looks on from where it found the last one. */
function stripePlaces({ stripes }: StripeSource): (row: number) => StripeRef | undefined {
  let at = 0;
  let start = 0;
  return (row) => {
    if (row < start) at = start = 0;
    for (let stripe = stripes[at]; stripe !== undefined; stripe = stripes[++at]) {
      if (row < start + stripe.rows) return stripe;
      start += stripe.rows;
    }
    at = start = 0;
    return undefined;
  };
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
