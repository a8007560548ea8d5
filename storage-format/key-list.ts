// Lists of dictionary keys in their three domains, and their hashes. SPEC.md, "Keys". Integers are
// 64-bit patterns (signed types sign-extended), so equal numbers of different types are one key.

import { type HashHalves, hashBytes, hashInteger } from '../kernels/hash64.ts';
import type { DataType } from './data-type.ts';
import { swapUuidHalves } from './uuid.ts';

export type KeyDomain = 'integer' | 'string' | 'uuid';

/** Strings are byte strings; UUIDs are as uuid.ts holds them in memory. */
export type KeyList =
  | { readonly domain: 'integer'; readonly values: BigUint64Array }
  | { readonly domain: 'string'; readonly values: readonly string[] }
  | { readonly domain: 'uuid'; readonly values: readonly string[] };

/** Hash of each key, in halves. */
export interface KeyHashes {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

export function hashKeys(keys: KeyList): KeyHashes {
  const count = keys.values.length;
  const low = new Uint32Array(count);
  const high = new Uint32Array(count);
  const out: HashHalves = { low: 0, high: 0 };
  if (keys.domain === 'integer') {
    const { buffer, byteOffset } = keys.values;
    const halves = new Uint32Array(buffer, byteOffset, 2 * count);
    for (let i = 0; i < count; i++) {
      hashInteger(halves[2 * i]!, halves[2 * i + 1]!, out);
      low[i] = out.low;
      high[i] = out.high;
    }
    return { low, high };
  }
  let scratch = Buffer.allocUnsafe(256);
  for (let i = 0; i < count; i++) {
    const value = keys.domain === 'uuid' ? swapUuidHalves(keys.values[i]!) : keys.values[i]!;
    if (value.length > scratch.length) scratch = Buffer.allocUnsafe(2 * value.length);
    hashBytes(scratch.subarray(0, scratch.write(value, 'latin1')), out);
    low[i] = out.low;
    high[i] = out.high;
  }
  return { low, high };
}

/** Of what may be the ids of a set. */
export function domainOfIds(id: DataType): KeyDomain {
  if (id.kind === 'UUID') return 'uuid';
  return id.kind === 'String' ? 'string' : 'integer';
}

/** No keys of that domain. */
export function noKeys(domain: KeyDomain): KeyList {
  return domain === 'integer' ? { domain, values: new BigUint64Array(0) } : { domain, values: [] };
}

export const domainNumbers = { integer: 1, string: 2, uuid: 3 } as const;

export function domainOf(number: number): KeyDomain | undefined {
  if (number === domainNumbers.integer) return 'integer';
  if (number === domainNumbers.string) return 'string';
  return number === domainNumbers.uuid ? 'uuid' : undefined;
}
