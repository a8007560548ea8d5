// Numbers the unknown keys of a batch and fills their tables. Large batches are put into buckets by runs of
// pages first, so that every page is filled while a cache holds it, and every thread does as much as the
// others, however the keys are spread over groups (kernels/assembly/fresh-pages.ts). That takes keys for
// different ones; where some are not, or a page overflows, and for small batches, keys are put in one by
// one, each group's by one thread. Both give the same codes, in order of arrival.

import type { KernelCall } from '../../kernels/kernel-thread.ts';
import { type FillPlan, fillPlan, planBytes, setUpPlan } from './fill-plan.ts';
import type { FreshTables } from './fresh-tables.ts';
import { cutShares, inSteps, type KernelTeam, shareMin, stepKeys } from './kernel-team.ts';
import { type KeyBatch, numberCall, roomBytes } from './key-batch.ts';
import { Sealing } from './sealing.ts';

/** Keys that go into buckets before these are emptied: their room is half the keys' own. */
const chunkKeys = 4 * 1024 * 1024;
/** With more groups runs of pages are too small for buckets to pay. */
const groupsMax = 256;

/** Unknown keys of each group. */
export function sumByGroup(parts: readonly (readonly number[])[], groups: number): number[] {
  return Array.from({ length: groups }, (_, g) =>
    parts.reduce((sum, part) => sum + (part[g] ?? 0), 0),
  );
}

export interface Pieces {
  /** Ranges of keys: `shares` of each chunk, one after the other. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly shares: number;
  /** Unknown keys of each group in each range. */
  readonly counts: readonly (readonly number[])[];
}

/** Counts what is unknown, by all threads. */
export async function countPieces(
  team: KernelTeam,
  batch: KeyBatch,
  groups: number,
): Promise<Pieces> {
  const shares = team.shares(batch.count);
  const ranges = inSteps(0, batch.count, chunkKeys).flatMap(([from, to]) =>
    cutShares(from, to, shares),
  );
  const stride = Math.ceil(groups / 16) * 64;
  const at = team.heap.takeZeros(stride * ranges.length);
  try {
    const calls = Array.from({ length: shares }, (): KernelCall[] => []);
    for (const [i, [from, to]] of ranges.entries()) {
      for (const [start, end] of inSteps(from, to, 8 * stepKeys)) {
        const args = [batch.groups, batch.known, start, end, at + stride * i];
        calls[i % shares]!.push({ name: 'countNew', args });
      }
    }
    await team.run(calls);
    const counts = ranges.map((_, i) => [...team.heap.memory.u32(at + stride * i, groups)]);
    return { ranges, shares, counts };
  } finally {
    team.heap.give(at);
  }
}

interface FillWork {
  readonly tables: FreshTables;
  readonly pieces: Pieces;
  /** Whether pages of integers get their trailers, where it goes by runs. */
  readonly seal: boolean;
}

/** codes[i] of every unknown key becomes its own; the tables hold all. Says how it went. */
export async function fillTables(
  team: KernelTeam,
  batch: KeyBatch,
  work: FillWork,
): Promise<'by runs' | 'one by one'> {
  const { tables, pieces } = work;
  const groups = pieces.counts[0]?.length ?? 0;
  const total = tables.placed.reduce((sum, { bound }) => sum + bound, 0);
  if (total >= shareMin && groups <= groupsMax && (await fillByRuns(team, batch, work))) {
    tables.noteWhole();
    return 'by runs';
  }
  tables.clear();
  await numberOneByOne(team, batch, { tables, groups });
  return 'one by one';
}

/** False: it did not go well. */
async function fillByRuns(
  team: KernelTeam,
  batch: KeyBatch,
  { tables, pieces, seal }: FillWork,
): Promise<boolean> {
  const { heap } = team;
  const { shares, ranges, counts } = pieces;
  const plan = fillPlan(tables, pieces, batch.integers ? 12 : 16);
  const at = heap.take(planBytes(plan));
  const sealing = seal && batch.integers ? new Sealing(heap, plan) : undefined;
  try {
    const placed = setUpPlan(heap.memory, plan, { at, tables });
    for (let piece = 0; piece < ranges.length; piece += shares) {
      placed.begin(counts.slice(0, piece), counts.slice(piece, piece + shares));
      await team.run(
        Array.from({ length: shares }, (_, share) => {
          const [start, end] = ranges[piece + share]!;
          return inSteps(start, end, stepKeys).map(([from, to]) =>
            spreadCall({ batch, tables, plan, room: placed.share(share) }, from, to),
          );
        }),
      );
      if (placed.failed) return false;
      const last = piece + shares >= ranges.length ? sealing : undefined;
      await team.run(fillCalls(plan, placed.at, { batch, clear: piece === 0, sealing: last }));
      if (placed.failed) return false;
    }
    if (sealing !== undefined) tables.noteSealed(sealing.bounds());
    return true;
  } finally {
    heap.give(at);
    sealing?.close();
  }
}

interface SpreadTask {
  readonly batch: KeyBatch;
  readonly tables: FreshTables;
  readonly plan: FillPlan;
  readonly room: {
    readonly nexts: number;
    readonly buckets: number;
    readonly room: number;
    readonly failed: number;
  };
}

function spreadCall(
  { batch, tables, plan, room }: SpreadTask,
  from: number,
  to: number,
): KernelCall {
  const { keys, offsets, codes, groups, known } = batch;
  const before = [tables.records, plan.shift, room.nexts, room.buckets];
  const after = [from, to, room.room, codes, groups, known, room.failed];
  return batch.integers
    ? { name: 'spreadIntegers', args: [...before, keys, ...after] }
    : { name: 'spreadStrings', args: [...before, keys, offsets, ...after] };
}

/** Every share fills as many pages as the others, a few runs a call. */
function fillCalls(
  plan: FillPlan,
  at: { readonly runs: number; readonly buckets: number; readonly failed: number },
  { batch, clear, sealing }: FillStep,
): KernelCall[][] {
  const { shares, runs, bucketStride } = plan;
  const strings = batch.integers ? 0 : 1;
  return cutShares(0, runs.length, shares).map(([first, end]) =>
    inSteps(first, end, plan.stepRuns).flatMap(([from, to]): KernelCall[] => {
      const which = [at.runs, from, to];
      const how = [strings, clear ? 1 : 0, at.failed];
      const fill = [...which, at.buckets, bucketStride, shares, ...how];
      const seal = sealing === undefined ? [] : [sealing.call(at.runs, from, to)];
      return [{ name: 'fillRuns', args: fill }, ...seal];
    }),
  );
}

interface FillStep {
  readonly batch: KeyBatch;
  /** The first step of these pages. */
  readonly clear: boolean;
  /** At the last step. */
  readonly sealing: Sealing | undefined;
}

async function numberOneByOne(
  team: KernelTeam,
  batch: KeyBatch,
  { tables, groups }: { readonly tables: FreshTables; readonly groups: number },
): Promise<void> {
  const { heap } = team;
  const { placed, records } = tables;
  const shares = team.shares(placed.reduce((sum, { bound }) => sum + bound, 0));
  const stride = roomBytes + Math.ceil(groups / 64) * 64;
  const rooms = heap.takeZeros(shares * stride);
  try {
    const owners = ownersOf(tables, shares);
    const calls = Array.from({ length: shares }, (_, share) => {
      const room = rooms + share * stride;
      const flags = heap.memory.u8(room + roomBytes, groups);
      for (const [group, owner] of owners) flags[group] = owner === share ? 1 : 0;
      return inSteps(0, batch.count, stepKeys).map(([from, to]) =>
        numberCall({ batch, records, room, owners: room + roomBytes, from, to }),
      );
    });
    await team.run(calls);
  } finally {
    heap.give(rooms);
  }
}

/** Which share numbers each group: the largest groups first, each to who has least. */
function ownersOf({ placed }: FreshTables, shares: number): ReadonlyMap<number, number> {
  const loads = new Array<number>(shares).fill(0);
  const owners = new Map<number, number>();
  for (const { group, bound } of placed.toSorted((a, b) => b.bound - a.bound)) {
    const least = loads.indexOf(Math.min(...loads));
    owners.set(group, least);
    loads[least] = (loads[least] ?? 0) + bound;
  }
  return owners;
}
