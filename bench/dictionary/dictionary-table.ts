// A dictionary in memory as the bench grows it: segments in place, what is new numbered and written as
// segments of its own, small ones merged by the engine's own plan in steps, and the longest pause noted.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SegmentEntry } from '../../catalog/entry.ts';
import type { BulkTables, NumberedKeys, ProbedKeys } from '../../engine/dictionary/bulk-tables.ts';
import { placeSegment, type SegmentLevel } from '../../engine/dictionary/kernel-segments.ts';
import { planMerges } from '../../engine/dictionary/merge-plan.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';
import { type PackedKeys, selectPacked } from '../../storage-format/packed-keys.ts';
import {
  describeSegment,
  type SegmentInPieces,
  type SegmentKeys,
  writeSegmentInPieces,
} from '../../storage-format/segment-writer.ts';

/** Gives back the pages of what was numbered and is not added. */
export function dropNumbered({ fresh }: NumberedKeys): void {
  for (const table of fresh) table.close();
}

type Keys = BigUint64Array | PackedKeys;

export class DictionaryTable {
  readonly #tables: BulkTables;
  readonly #domain: KeyDomain;
  readonly #next: number[];
  #levels: SegmentLevel[] = [];

  constructor(tables: BulkTables, domain: KeyDomain, groups: number) {
    this.#tables = tables;
    this.#domain = domain;
    this.#next = new Array<number>(groups).fill(0);
  }

  get entries(): number {
    return this.#next.reduce((sum, next) => sum + next, 0);
  }

  get segments(): number {
    return this.#levels.length;
  }

  /** Of segments, as in memory so in the store. */
  get bytes(): number {
    return this.#levels.reduce((sum, { segment }) => sum + segment.loaded.bytesHeld, 0);
  }

  /** Gives the memory back. */
  drop(): void {
    for (const { segment } of this.#levels) this.#tables.heap.give(segment.at);
    this.#levels = [];
  }

  async find(keys: Keys): Promise<ProbedKeys> {
    return await this.#tables.probe({ ...this.#request, keys });
  }

  /**
   * Codes for all, in the two steps of an insert: ids are looked for, then new ones are numbered, and the
   * pages of their segments are filled; as in an insert nobody looks into a dictionary that is new. To be
   * dropped or added.
   */
  async number(keys: Keys): Promise<NumberedKeys> {
    const request = { ...this.#request, keys };
    if (this.#levels.length === 0) return await this.#tables.number(request, this.#next);
    const probed = await this.#tables.probe(request);
    return await this.#tables.number(request, this.#next, probed);
  }

  /** Writes what was numbered as segments, and takes them in. */
  async add(keys: Keys, numbered: NumberedKeys): Promise<void> {
    for (const table of numbered.fresh) {
      const { group, base, count, keys: fresh, pages } = table;
      const stored = this.#stored(keys, fresh);
      const written = await writeSegmentInPieces(stored, nextTurn, pages);
      this.#levels.push({ group, base, segment: await this.#place(written) });
      table.close();
      this.#next[group] = base + count;
      await nextTurn();
    }
  }

  /** Until nothing is left to merge; segments of integers. */
  async merge(): Promise<number> {
    let merges = 0;
    for (;;) {
      const entries = this.#levels
        .map(asEntry)
        .sort((a, b) => a.group - b.group || a.base - b.base);
      const [inputs] = planMerges(entries);
      if (inputs === undefined) return merges;
      const first = inputs[0] as SegmentEntry;
      const end = inputs.reduce((sum, input) => sum + input.count, first.base);
      const inside = ({ group, base }: SegmentLevel) =>
        group === first.group && base >= first.base && base < end;
      const merged = this.#levels.filter(inside).sort((a, b) => a.base - b.base);
      const values = new BigUint64Array(end - first.base);
      let at = 0;
      for (const { segment } of merged) {
        const { values: some } = segment.loaded.keys();
        values.set(some as BigUint64Array, at);
        at += some.length;
        await nextTurn();
      }
      const written = await writeSegmentInPieces({ domain: 'integer', values }, nextTurn);
      const segment = await this.#place(written);
      this.#levels = [...this.#levels.filter((level) => !inside(level)), { ...first, segment }];
      for (const level of merged) this.#tables.heap.give(level.segment.at);
      merges++;
    }
  }

  async #place({ pieces, length, ...facts }: SegmentInPieces) {
    const bytes = Buffer.concat(pieces, length);
    const description = describeSegment({ bytes, ...facts }, { object: 'memory', offset: 0 });
    return await placeSegment(this.#tables.heap, {
      description,
      key: 'memory',
      pieces: inPieces(bytes),
    });
  }

  get #request() {
    return { domain: this.#domain, groups: this.#next.length, levels: this.#levels };
  }

  #stored(keys: Keys, fresh: BigUint64Array | Uint32Array): SegmentKeys {
    if (fresh instanceof BigUint64Array) return { domain: 'integer', values: fresh };
    return { domain: 'string', packed: selectPacked(keys as PackedKeys, fresh) };
  }
}

function asEntry({ group, base, segment }: SegmentLevel): SegmentEntry {
  const { count } = segment.loaded;
  const place = { bytes: segment.loaded.bytesHeld } as SegmentEntry['place'];
  return { group, base, count, place } as SegmentEntry;
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const pieceBytes = 8 * 1024 * 1024;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await nextTurn();
  }
}
