// How new keys are spread over buckets before pages are filled: which runs of pages there are, how much
// room each share of the keys has for each of them, and where all of it lies in WebAssembly memory
// (kernels/assembly/fresh-pages.ts). The plan itself is data.

import type { KernelMemory } from '../../kernels/kernel-memory.ts';
import type { Pieces } from './fresh-filling.ts';
import { firstRunWord, type FreshTables, recordBytes } from './fresh-tables.ts';
import { roomBytes } from './key-batch.ts';

/** Half a megabyte: a second-level cache holds it beside what streams through. */
const runPagesMin = 128;
/** More streams than caches and address translation keep up with cost more than pages that miss. */
const runsMax = 128;
/** Of one call: keys of some milliseconds. */
const stepPages = 1024;
const entryBytes = 16;

export interface FillRun {
  readonly record: number;
  readonly firstPage: number;
  readonly endPage: number;
  /** Of its table. */
  readonly keys: number;
  /** Slots that one share may put into its bucket. */
  readonly room: number;
}

export interface FillPlan {
  /** A run has 2^shift pages, the last one of a table fewer. */
  readonly shift: number;
  readonly shares: number;
  readonly groups: number;
  readonly runs: readonly FillRun[];
  /** The number of each placed table's first run. */
  readonly firstRuns: readonly number[];
  /** Runs of one call. */
  readonly stepRuns: number;
  readonly slotBytes: number;
  readonly bucketStride: number;
}

export function fillPlan(
  { placed }: Pick<FreshTables, 'placed'>,
  pieces: Pieces,
  slotBytes: number,
): FillPlan {
  const { shares, counts } = pieces;
  const pages = placed.reduce((sum, { shape }) => sum + shape.pages, 0);
  let shift = Math.log2(runPagesMin);
  while (pages / 2 ** shift > runsMax) shift++;
  const firstRuns: number[] = [];
  const runs: FillRun[] = [];
  for (const { group, record, shape, bound: keys } of placed) {
    firstRuns.push(runs.length);
    const most = counts.reduce((max, count) => Math.max(max, count[group] ?? 0), 0);
    for (let firstPage = 0; firstPage < shape.pages; firstPage += 2 ** shift) {
      const endPage = Math.min(firstPage + 2 ** shift, shape.pages);
      const room = bucketRoom(most, (endPage - firstPage) / shape.pages);
      runs.push({ record, firstPage, endPage, keys, room });
    }
  }
  const bucketStride = Math.ceil((entryBytes * runs.length) / 64) * 64;
  const groups = counts[0]?.length ?? 0;
  const stepRuns = Math.max(1, stepPages >> shift);
  return { shift, shares, groups, runs, firstRuns, stepRuns, slotBytes, bucketStride };
}

/** What hashes put into a part of a table, and eight times its deviation: else it goes one by one. */
function bucketRoom(keys: number, part: number): number {
  if (part === 1) return keys;
  const expected = keys * part;
  return Math.min(keys, Math.ceil(expected + 8 * Math.sqrt(expected)) + 16);
}

/** Runs, buckets and next ordinals of each share, room of each share, a flag; then the slots. */
export function planBytes(plan: FillPlan): number {
  const { shares, runs, slotBytes } = plan;
  const slots = runs.reduce((sum, run) => sum + run.room, 0);
  return slotsAt(plan) + shares * slotBytes * slots;
}

function nextsStride({ groups }: FillPlan): number {
  return Math.ceil(groups / 16) * 64;
}

function sharesAt({ bucketStride }: FillPlan): number {
  return 64 + bucketStride;
}

function slotsAt(plan: FillPlan): number {
  const { shares, bucketStride } = plan;
  return sharesAt(plan) + shares * (bucketStride + nextsStride(plan) + roomBytes);
}

interface PlacedPlan {
  readonly at: { readonly runs: number; readonly buckets: number; readonly failed: number };
  /** Where a share notes what it does. */
  share(share: number): {
    readonly nexts: number;
    readonly buckets: number;
    readonly room: number;
    readonly failed: number;
  };
  /** Empties the buckets; ordinals go on behind those of `before`. Both: counts by group. */
  begin(before: readonly (readonly number[])[], now: readonly (readonly number[])[]): void;
  readonly failed: boolean;
}

/** Writes the plan where kernels find it; `at`: planBytes. */
export function setUpPlan(
  memory: KernelMemory,
  plan: FillPlan,
  { at, tables }: { readonly at: number; readonly tables: FreshTables },
): PlacedPlan {
  const { shares, groups, runs, bucketStride, slotBytes } = plan;
  const where = { failed: at, runs: at + 64, buckets: at + sharesAt(plan) };
  const nexts = where.buckets + shares * bucketStride;
  const rooms = nexts + shares * nextsStride(plan);
  memory.u32(where.failed, 1)[0] = 0;
  const entries = memory.u32(where.runs, 4 * runs.length);
  runs.forEach(({ record, firstPage, endPage, keys }, i) =>
    entries.set([record, firstPage, endPage, keys], 4 * i),
  );
  tables.placed.forEach(({ record }, i) => {
    memory.u32(record, recordBytes / 4)[firstRunWord] = plan.firstRuns[i] ?? 0;
  });
  return {
    at: where,
    share: (share) => ({
      nexts: nexts + share * nextsStride(plan),
      buckets: where.buckets + share * bucketStride,
      room: rooms + share * roomBytes,
      failed: where.failed,
    }),
    begin: (before, now) => {
      let slots = at + slotsAt(plan);
      const next = new Array<number>(groups).fill(0);
      const advance = (count: readonly number[]) => {
        for (let group = 0; group < groups; group++) next[group]! += count[group] ?? 0;
      };
      before.forEach(advance);
      for (let share = 0; share < shares; share++) {
        memory.u32(nexts + share * nextsStride(plan), groups).set(next);
        advance(now[share] ?? []);
        const buckets = memory.u32(where.buckets + share * bucketStride, 4 * runs.length);
        for (const [i, { room }] of runs.entries()) {
          buckets.set([slots, slots, slots + slotBytes * room, 0], 4 * i);
          slots += slotBytes * room;
        }
      }
    },
    get failed() {
      return memory.u32(where.failed, 1)[0] !== 0;
    },
  };
}
