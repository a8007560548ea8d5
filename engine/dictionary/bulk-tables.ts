// Bulk work over dictionary segments in memory: finds a batch of keys in all of them, and numbers those
// that are new, on this thread and on others. New keys are put straight into the pages that their
// segment will have, so a table never grows: what is new is a segment of its own, sized for the batch.

import { defined } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { threadHeap } from '../../kernels/kernel-heap.ts';
import { callKernel, type KernelCall, KernelThread } from '../../kernels/kernel-thread.ts';
import { tableShape } from '../../storage-format/hash-table.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';
import type { PackedKeys } from '../../storage-format/packed-keys.ts';
import { placeLevels, type SegmentLevel } from './kernel-segments.ts';
import { type KeyBatch, numberCall, placeKeys, probeCall, roomBytes } from './key-batch.ts';

/** What was found about each key. */
export interface ProbedKeys {
  readonly codes: Uint32Array;
  readonly groups: Uint16Array;
  /** 1: it has the code; 2: to be compared with the key of that code; 0: no segment has it. */
  readonly known: Uint8Array;
}

/** The new keys of one group, in code order. */
export interface FreshTable {
  readonly group: number;
  readonly base: number;
  readonly count: number;
  /** The integers themselves, or positions in the batch of strings. */
  readonly keys: BigUint64Array | Uint32Array;
  /** The pages of their hash index, not sealed; undefined where keys came twice and it must be made anew. */
  readonly pages: Uint8Array | undefined;
}

export interface NumberedKeys extends ProbedKeys {
  readonly fresh: readonly FreshTable[];
}

export interface BulkRequest {
  readonly domain: KeyDomain;
  readonly groups: number;
  readonly levels: readonly SegmentLevel[];
  readonly keys: BigUint64Array | PackedKeys;
}

/** Fewer keys are not worth waking a thread. */
const shareMin = 32_768;
const recordBytes = 32;
/** Keys of one call times segments to look at: others get their turn between calls. */
const stepKeys = 262_144;

export class BulkTables {
  readonly heap = threadHeap();
  readonly #threadsMax: number;
  #threads: KernelThread[] = [];

  /** `threads`: how many work, this one included. They start with the first large batch. */
  constructor(threads = 1) {
    this.#threadsMax = threads - 1;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async probe(request: BulkRequest): Promise<ProbedKeys> {
    const batch = placeKeys(this.heap, request.keys);
    try {
      await this.#probe(batch, request);
      return this.#copyOut(batch);
    } finally {
      this.heap.give(batch.keys);
    }
  }

  /**
   * Numbers what is new from the groups' next codes on. Keys may come more than once. `probed`: what was
   * found before; absent: they are looked for first.
   */
  async number(
    request: BulkRequest,
    nextCodes: readonly number[],
    probed?: ProbedKeys,
  ): Promise<NumberedKeys> {
    const batch = placeKeys(this.heap, request.keys);
    const taken: number[] = [batch.keys];
    try {
      const unknown =
        probed === undefined
          ? await this.#probe(batch, request)
          : this.#placeProbed(batch, probed, request.groups);
      const records = this.heap.takeZeros(recordBytes * request.groups);
      taken.push(records);
      for (const [group, count] of unknown.entries()) {
        if (count === 0) continue;
        // Zeros of a large table take a while.
        if (count > stepKeys) await systemClock.sleep(0);
        const shape = tableShape(count, request.domain);
        const pages = this.heap.takeZeros(shape.pages * shape.pageBytes);
        const keys = this.heap.take((batch.integers ? 8 : 4) * count);
        taken.push(pages, keys);
        const next = defined(nextCodes[group], 'a next code');
        const record = this.heap.memory.u32(records + recordBytes * group, 8);
        record.set([pages, shape.pages, shape.slots, shape.pageBytes, next, 0, 0, keys]);
      }
      await this.#number(batch, records, unknown);
      const fresh = this.#fresh(batch, records, { unknown, nextCodes });
      return { ...this.#copyOut(batch), fresh };
    } finally {
      for (const at of taken) this.heap.give(at);
    }
  }

  /** Unknown keys of each group. */
  #placeProbed(batch: KeyBatch, probed: ProbedKeys, groups: number): readonly number[] {
    const { memory } = this.heap;
    memory.u32(batch.codes, batch.count).set(probed.codes);
    memory.u16(batch.groups, batch.count).set(probed.groups);
    memory.u8(batch.known, batch.count).set(probed.known);
    const unknown = new Array<number>(groups).fill(0);
    for (let i = 0; i < batch.count; i++) {
      if (probed.known[i] === 0) unknown[probed.groups[i]!]!++;
    }
    return unknown;
  }

  /** Unknown keys of each group. */
  async #probe(batch: KeyBatch, request: BulkRequest): Promise<readonly number[]> {
    const { groups, levels } = request;
    const shares = batch.count < shareMin ? 1 : this.#threadsMax + 1;
    const placed = placeLevels(this.heap, levels, groups);
    const step = Math.ceil(stepKeys / Math.max(1, levels.length / groups));
    const stride = roomBytes + Math.ceil(groups / 16) * 64;
    const rooms = this.heap.takeZeros(shares * stride);
    try {
      const calls = Array.from({ length: shares }, (_, i) => {
        const start = Math.floor((batch.count * i) / shares);
        const end = Math.floor((batch.count * (i + 1)) / shares);
        const room = rooms + i * stride;
        const where = { batch, levels: placed, groupCount: groups, room };
        return inSteps(start, end, step).map(([from, to]) =>
          probeCall({ ...where, from, to, unknown: room + roomBytes }),
        );
      });
      await this.#run(calls);
      return Array.from({ length: groups }, (_, group) => {
        let sum = 0;
        for (let i = 0; i < shares; i++) {
          sum += this.heap.memory.u32(rooms + i * stride + roomBytes, groups)[group] ?? 0;
        }
        return sum;
      });
    } finally {
      this.heap.give(rooms);
      this.heap.give(placed.at);
    }
  }

  async #number(batch: KeyBatch, records: number, unknown: readonly number[]): Promise<void> {
    const total = unknown.reduce((sum, count) => sum + count, 0);
    const shares = total < shareMin ? 1 : this.#threadsMax + 1;
    const stride = roomBytes + Math.ceil(unknown.length / 64) * 64;
    const rooms = this.heap.takeZeros(shares * stride);
    try {
      const owner = ownersOf(unknown, shares);
      const calls = Array.from({ length: shares }, (_, share) => {
        const room = rooms + share * stride;
        const owners = room + roomBytes;
        const flags = this.heap.memory.u8(owners, unknown.length);
        owner.forEach((of, group) => (flags[group] = of === share ? 1 : 0));
        return inSteps(0, batch.count, stepKeys).map(([from, to]) =>
          numberCall({ batch, records, room, owners, from, to }),
        );
      });
      await this.#run(calls);
    } finally {
      this.heap.give(rooms);
    }
  }

  /** The first calls on this thread, the others on threads of their own. */
  async #run(calls: readonly (readonly KernelCall[])[]): Promise<void> {
    const [own, ...others] = calls;
    while (this.#threads.length < others.length) {
      this.#threads.push(new KernelThread(this.heap.memory));
    }
    const running = others.map(async (call, i) => await this.#threads[i]?.run(call));
    for (const [i, call] of (own ?? []).entries()) {
      if (i > 0) await systemClock.sleep(0);
      callKernel(this.heap.memory.calls, call);
    }
    await Promise.all(running);
  }

  #fresh(
    batch: KeyBatch,
    records: number,
    { unknown, nextCodes }: Readonly<Record<'unknown' | 'nextCodes', readonly number[]>>,
  ): FreshTable[] {
    const { memory } = this.heap;
    return unknown.flatMap((bound, group) => {
      const [pages = 0, pageCount = 0, , pageBytes = 0, , , count = 0, keys = 0] = memory.u32(
        records + recordBytes * group,
        8,
      );
      const base = nextCodes[group] ?? 0;
      if (count === 0) return [];
      return [
        {
          group,
          base,
          count,
          keys: batch.integers ? memory.u64(keys, count).slice() : memory.u32(keys, count).slice(),
          pages: count === bound ? memory.u8(pages, pageCount * pageBytes).slice() : undefined,
        },
      ];
    });
  }

  #copyOut({ count, codes, groups, known }: KeyBatch): ProbedKeys {
    const { memory } = this.heap;
    return {
      codes: memory.u32(codes, count).slice(),
      groups: memory.u16(groups, count).slice(),
      known: memory.u8(known, count).slice(),
    };
  }
}

/** [start, end) cut into runs of at most `step`. */
function inSteps(start: number, end: number, step: number): readonly (readonly [number, number])[] {
  const steps: (readonly [number, number])[] = [];
  for (let from = start; from < end; from += step) {
    steps.push([from, Math.min(from + step, end)]);
  }
  return steps;
}

/** Which share numbers each group: the largest groups first, each to who has least. */
function ownersOf(unknown: readonly number[], shares: number): readonly number[] {
  const loads = new Array<number>(shares).fill(0);
  const owner = new Array<number>(unknown.length).fill(0);
  const groups = [...unknown.keys()].sort((a, b) => (unknown[b] ?? 0) - (unknown[a] ?? 0));
  for (const group of groups) {
    const least = loads.indexOf(Math.min(...loads));
    owner[group] = least;
    loads[least] = (loads[least] ?? 0) + (unknown[group] ?? 0);
  }
  return owner;
}
