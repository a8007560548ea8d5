// Pairs of a row group and an id, kept as they come in chunks, so that growing copies nothing.

import { IntegerInternTable } from '../dictionary/intern-table.ts';
import type { GivenLists } from '../batch/sorted-lists.ts';

const chunkIds = 131_072;
/** As many or more of all ids tell how many are distinct. */
const sampleMin = 16_384;

interface Chunk {
  readonly ids: BigUint64Array;
  /** Absent: all are of group 0. */
  groups: Uint32Array | undefined;
  count: number;
}

export class ChunkedIds {
  #chunks: Chunk[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Held. */
  get bytes(): number {
    const perChunk = ({ ids, groups }: Chunk) => ids.byteLength + (groups?.byteLength ?? 0);
    return this.#chunks.reduce((sum, chunk) => sum + perChunk(chunk), 0);
  }

  /** Copies both. */
  add(ids: BigUint64Array, groups: Uint32Array): void {
    for (let from = 0; from < ids.length; ) {
      const chunk = this.#room();
      const n = Math.min(ids.length - from, chunkIds - chunk.count);
      chunk.ids.set(ids.subarray(from, from + n), chunk.count);
      const some = groups.subarray(from, from + n);
      if (chunk.groups === undefined && !isAllZero(some)) chunk.groups = new Uint32Array(chunkIds);
      chunk.groups?.set(some, chunk.count);
      chunk.count += n;
      this.#count += n;
      from += n;
    }
  }

  /** Distinct ids for each id, about: a share of all possible ids is looked at whole. */
  distinctShare(): number {
    const bits = Math.max(0, Math.floor(Math.log2(this.#count / sampleMin)));
    const table = new IntegerInternTable();
    for (const { ids, count } of this.#chunks) internSample(ids, count, { bits, table });
    return (table.count * 2 ** bits) / this.#count;
  }

  /** Gives the chunks away, oldest first; each is free as soon as the next one is asked for. */
  *drain(): Generator<{ readonly ids: BigUint64Array; readonly groups: Uint32Array }> {
    this.#chunks.reverse();
    for (let chunk = this.#chunks.pop(); chunk !== undefined; chunk = this.#chunks.pop()) {
      const { ids, groups, count } = chunk;
      this.#count -= count;
      yield {
        ids: ids.subarray(0, count),
        groups: groups?.subarray(0, count) ?? new Uint32Array(count),
      };
    }
  }

  /** All ids by group, in the order they came in; there are none afterwards. */
  takeLists(groupCount: number): GivenLists {
    const offsets = this.#offsets(groupCount);
    const next = offsets.slice();
    const values = new BigUint64Array(this.#count);
    const to = new Uint32Array(values.buffer);
    const isOne = this.#chunks.every(({ groups }) => groups === undefined);
    for (const { ids, groups } of this.drain()) {
      if (isOne) {
        values.set(ids, next[0]);
        next[0]! += ids.length;
      } else scatter(new Uint32Array(ids.buffer, 0, 2 * ids.length), groups, { to, next });
    }
    return { offsets, ids: { domain: 'integer', values }, isMostlyNew: true };
  }

  #offsets(groupCount: number): Uint32Array {
    const offsets = new Uint32Array(groupCount + 1);
    for (const { groups, count } of this.#chunks) {
      if (groups === undefined) offsets[1]! += count;
      else for (let i = 0; i < count; i++) offsets[groups[i]! + 1]!++;
    }
    for (let group = 0; group < groupCount; group++) offsets[group + 1]! += offsets[group]!;
    return offsets;
  }

  #room(): Chunk {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.count < chunkIds) return last;
    const chunk = { ids: new BigUint64Array(chunkIds), groups: undefined, count: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }
}

/** Ids whose hash begins with so many zeros. */
function internSample(
  ids: BigUint64Array,
  count: number,
  { bits, table }: { readonly bits: number; readonly table: IntegerInternTable },
): void {
  const halves = new Uint32Array(ids.buffer, 0, 2 * count);
  const end = 2 ** (32 - bits);
  for (let i = 0; i < halves.length; i += 2) {
    const low = halves[i]!;
    const high = halves[i + 1]!;
    const hash = Math.imul(low ^ (low >>> 15) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    if ((hash ^ (hash << 15)) >>> 0 < end) table.internHalves(low, high);
  }
}

/** 64-bit values move as halves: as BigInt each would be an object. */
function scatter(
  halves: Uint32Array,
  groups: Uint32Array,
  { to, next }: { readonly to: Uint32Array; readonly next: Uint32Array },
): void {
  for (let i = 0; i < groups.length; i++) {
    const at = next[groups[i]!]!++;
    to[2 * at] = halves[2 * i]!;
    to[2 * at + 1] = halves[2 * i + 1]!;
  }
}

function isAllZero(values: Uint32Array): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) return false;
  return true;
}
