// Hashes of lists of keys, as two arrays of 32-bit halves: the high bits choose a key's group, the low
// half its bucket in a segment's index (kernels/hash64.ts).

import { groupOfHash, hashBytes, hashInteger } from '../../kernels/hash64.ts';
import { type KeyList, keyCount } from '../batch/id-lists.ts';

export interface KeyHashes {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

/** Cost: about 10 ns an integer, 100 ns a short string. */
export function hashKeys(keys: KeyList): KeyHashes {
  const hashes = { low: new Uint32Array(keyCount(keys)), high: new Uint32Array(keyCount(keys)) };
  if (keys.domain === 'integer') hashIntegers(keys.values, hashes);
  else hashStrings(keys.values, hashes);
  return hashes;
}

/** The group of each key among `groups`. */
export function groupsOfHashes(hashes: KeyHashes, groups: number): Uint16Array {
  const out = new Uint16Array(hashes.low.length);
  if (groups === 1) return out;
  for (let i = 0; i < out.length; i++) {
    out[i] = groupOfHash(hashes.high[i] as number, hashes.low[i] as number, groups);
  }
  return out;
}

function hashIntegers(values: BigUint64Array, hashes: KeyHashes): void {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const out = { low: 0, high: 0 };
  for (let i = 0; i < values.length; i++) {
    hashInteger(halves[2 * i] as number, halves[2 * i + 1] as number, out);
    hashes.low[i] = out.low;
    hashes.high[i] = out.high;
  }
}

function hashStrings(values: readonly string[], hashes: KeyHashes): void {
  const out = { low: 0, high: 0 };
  let scratch = Buffer.alloc(1024);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string;
    if (value.length > scratch.length) scratch = Buffer.alloc(2 * value.length);
    const bytes = scratch.write(value, 0, 'latin1');
    hashBytes(scratch.subarray(0, bytes), out);
    hashes.low[i] = out.low;
    hashes.high[i] = out.high;
  }
}
