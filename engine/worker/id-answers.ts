// Answers that are about ids, not codes: the ids themselves, the least and greatest of them, digests.
// Codes are in order of arrival, so everything with an order is decoded first.

import { hashInteger } from '../../kernels/hash64.ts';
import { setCardinality } from '../../storage-format/bitmap.ts';
import { hashKeys, type KeyList } from '../../storage-format/key-list.ts';
import type { CodeSets } from '../../storage-format/set-column.ts';
import { addDigest } from '../batch/merge.ts';
import { checkIdsMax, type KeyRows, sortIntegers, sortStrings } from '../batch/merge-keys.ts';
import { type DecodedSets, positionsIn, rowKeys } from './decoded-sets.ts';
import type { Pacer } from './pacer.ts';

const digestWords = 4;
const carryEvery = 1 << 20;

/** All ids of each row, ascending. Throws before decoding when there are more than `idsMax`. */
export function checkIds(sets: CodeSets, idsMax: number): void {
  checkIdsMax(
    sets.reduce((sum, set) => sum + setCardinality(set), 0),
    idsMax,
  );
}

export interface KeyPick {
  readonly descending: boolean;
  /** Ids kept of each row; absent: all. */
  readonly keep?: Float64Array;
  /** Least id of each row, unsigned; integer ids only. */
  readonly from?: BigUint64Array;
}

/** Ids of each row in order, those that `pick` keeps. */
export async function orderedIds(
  sets: CodeSets,
  decoded: DecodedSets,
  pick: KeyPick & { readonly pacer: Pacer },
): Promise<KeyRows> {
  const offsets = new Uint32Array(sets.length + 1);
  const rows: (BigUint64Array | string[])[] = [];
  for (let r = 0; r < sets.length; r++) {
    const kept = pickKeys(rowKeys(decoded, sets[r] as CodeSets[number]), pick, r);
    rows.push(kept);
    offsets[r + 1] = (offsets[r] as number) + kept.length;
    if (pick.pacer.due()) await pick.pacer.breathe();
  }
  return { offsets, keys: joinRows(rows, decoded.keys.domain, offsets[sets.length] as number) };
}

/** Ids of each row as their codes ascend. */
export function idsByCode(sets: CodeSets, decoded: DecodedSets): KeyRows {
  const { codes, keys } = decoded;
  const [only] = sets;
  if (sets.length === 1 && only !== undefined && setCardinality(only) === codes.length) {
    return { offsets: Uint32Array.of(0, codes.length), keys };
  }
  const rows = sets.map((set) => rowKeys(decoded, set));
  const offsets = new Uint32Array(sets.length + 1);
  rows.forEach((row, r) => (offsets[r + 1] = (offsets[r] as number) + row.length));
  return { offsets, keys: joinRows(rows, keys.domain, offsets[sets.length] as number) };
}

function pickKeys(
  keys: BigUint64Array | string[],
  pick: KeyPick,
  row: number,
): BigUint64Array | string[] {
  const keep = pick.keep?.[row] ?? keys.length;
  if (keys instanceof BigUint64Array) {
    const from = pick.from?.[row] ?? 0n;
    const above = from === 0n ? keys : keys.filter((id) => id >= from);
    if (keep === 1) return extreme(above, pick.descending);
    return sortIntegers(above, pick.descending).subarray(0, Math.max(0, keep));
  }
  return sortStrings(keys, pick.descending).slice(0, Math.max(0, keep));
}

/** One pass over halves instead of a sort. */
function extreme(keys: BigUint64Array, largest: boolean): BigUint64Array {
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  let best = 0;
  for (let i = 1; i < keys.length; i++) {
    const high = (halves[2 * i + 1] as number) - (halves[2 * best + 1] as number);
    const order = high === 0 ? (halves[2 * i] as number) - (halves[2 * best] as number) : high;
    if (largest ? order > 0 : order < 0) best = i;
  }
  return keys.slice(best, best + 1);
}

function joinRows(
  rows: readonly (BigUint64Array | string[])[],
  domain: KeyList['domain'],
  total: number,
): KeyList {
  if (domain !== 'integer') return { domain, values: (rows as string[][]).flat() };
  const [only] = rows;
  if (rows.length === 1 && only instanceof BigUint64Array) return { domain, values: only };
  const values = new BigUint64Array(total);
  let at = 0;
  for (const row of rows as BigUint64Array[]) {
    values.set(row, at);
    at += row.length;
  }
  return { domain, values };
}

/** Of each row, the sum over 128 bits of its ids' hashes: equal whatever codes the ids have. */
export function digestsOf(sets: CodeSets, decoded: DecodedSets): Uint32Array {
  const hashes = hashWide(decoded.keys);
  const words = new Uint32Array(digestWords * sets.length);
  sets.forEach((set, r) => {
    const { codes, positions } = positionsIn(decoded, set);
    const sums = [0, 0, 0, 0];
    for (let start = 0; start < codes.length; start += carryEvery) {
      const end = Math.min(start + carryEvery, codes.length);
      addHashes(sums, hashes, { start, end, positions });
      carry(sums);
    }
    addDigest(words, digestWords * r, sums);
  });
  return words;
}

/** Unrolled and on locals: three times as fast as a loop over the four words. */
function addHashes(
  sums: number[],
  hashes: Uint32Array,
  run: {
    readonly start: number;
    readonly end: number;
    readonly positions: Uint32Array | undefined;
  },
): void {
  let [a = 0, b = 0, c = 0, d = 0] = sums;
  for (let i = run.start; i < run.end; i++) {
    const at = digestWords * (run.positions === undefined ? i : (run.positions[i] as number));
    a += hashes[at] as number;
    b += hashes[at + 1] as number;
    c += hashes[at + 2] as number;
    d += hashes[at + 3] as number;
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

function carry(sums: number[]): void {
  for (let w = 0; w < digestWords; w++) {
    const over = Math.floor((sums[w] as number) / 2 ** 32);
    sums[w] = (sums[w] as number) - over * 2 ** 32;
    if (w + 1 < digestWords) sums[w + 1] = (sums[w + 1] as number) + over;
  }
}

function hashWide(keys: KeyList): Uint32Array {
  const { low, high } = hashKeys(keys);
  const words = new Uint32Array(digestWords * keys.values.length);
  const out = { low: 0, high: 0 };
  for (let i = 0; i < low.length; i++) {
    words[digestWords * i] = low[i] as number;
    words[digestWords * i + 1] = high[i] as number;
    hashInteger(~(high[i] as number), low[i] as number, out);
    words[digestWords * i + 2] = out.low;
    words[digestWords * i + 3] = out.high;
  }
  return words;
}
