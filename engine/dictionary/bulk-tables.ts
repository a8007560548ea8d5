// Bulk work over dictionary segments in memory: finds a batch of keys in all of them, and numbers those
// that are new, on this thread and on others. New keys are put straight into the pages that their
// segment will have, so a table never grows: what is new is a segment of its own, sized for the batch.

import type { KernelHeap } from '../../kernels/kernel-heap.ts';
import { countPieces, fillTables, sumByGroup } from './fresh-filling.ts';
import { type FreshTable, FreshTables } from './fresh-tables.ts';
import { cutShares, inSteps, KernelTeam, stepKeys } from './kernel-team.ts';
import { placeLevels, type SegmentLevel } from './kernel-segments.ts';
import { type KeyBatch, placeKeys, probeCall, roomBytes } from './key-batch.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';
import type { PackedKeys } from '../../storage-format/packed-keys.ts';

/** What was found about each key. */
export interface ProbedKeys {
  readonly codes: Uint32Array;
  readonly groups: Uint16Array;
  /** 1: it has the code; 2: to be compared with the key of that code; 0: no segment has it. */
  readonly known: Uint8Array;
}

export interface NumberedKeys extends ProbedKeys {
  readonly fresh: readonly FreshTable[];
}

export interface BulkRequest {
  readonly domain: KeyDomain;
  readonly groups: number;
  readonly levels: readonly SegmentLevel[];
  readonly keys: BigUint64Array | PackedKeys;
  /** Pages of new integers get their trailers: they are to be written. */
  readonly seal?: boolean;
}

export class BulkTables {
  readonly #team: KernelTeam;

  /** `threads`: how many work, this one included. They start with the first large batch. */
  constructor(threads = 1) {
    this.#team = new KernelTeam(threads);
  }

  get heap(): KernelHeap {
    return this.#team.heap;
  }

  async close(): Promise<void> {
    await this.#team.close();
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
    const { domain, groups } = request;
    const batch = placeKeys(this.heap, request.keys);
    let tables: FreshTables | undefined;
    try {
      if (probed === undefined) await this.#probe(batch, request);
      else this.#placeProbed(batch, probed);
      const pieces = await countPieces(this.#team, batch, groups);
      const unknown = sumByGroup(pieces.counts, groups);
      tables = new FreshTables(this.heap, { domain, nextCodes, unknown });
      await fillTables(this.#team, batch, { tables, pieces, seal: request.seal === true });
      return { ...this.#copyOut(batch), fresh: tables.takeOut() };
    } finally {
      tables?.close();
      this.heap.give(batch.keys);
    }
  }

  #placeProbed(batch: KeyBatch, probed: ProbedKeys): void {
    const { memory } = this.heap;
    memory.u32(batch.codes, batch.count).set(probed.codes);
    memory.u16(batch.groups, batch.count).set(probed.groups);
    memory.u8(batch.known, batch.count).set(probed.known);
  }

  async #probe(batch: KeyBatch, request: BulkRequest): Promise<void> {
    const { groups, levels } = request;
    const shares = this.#team.shares(batch.count);
    const placed = placeLevels(this.heap, levels, groups);
    const step = Math.ceil(stepKeys / Math.max(1, levels.length / groups));
    const rooms = this.heap.take(shares * roomBytes);
    try {
      const calls = cutShares(0, batch.count, shares).map(([start, end], i) => {
        const room = rooms + i * roomBytes;
        return inSteps(start, end, step).map(([from, to]) =>
          probeCall({ batch, levels: placed, groupCount: groups, from, to, room }),
        );
      });
      await this.#team.run(calls);
    } finally {
      this.heap.give(rooms);
      this.heap.give(placed.at);
    }
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
