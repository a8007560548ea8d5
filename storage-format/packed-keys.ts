// Byte strings end to end, as bytes and offsets: how keys lie on disk, and how WebAssembly takes them.

import type { KeyList } from './key-list.ts';
import { swapUuidHalves } from './uuid.ts';

/** Key i is bytes[offsets[i], offsets[i + 1]); UUIDs are 16 bytes in the order of their text. */
export interface PackedKeys {
  readonly bytes: Uint8Array;
  /** count + 1. */
  readonly offsets: Uint32Array;
}

/** Written at once: a call for each costs as much as three keys, all of them leave the caches. */
const joinedKeys = 1024;

export function packStrings(keys: Exclude<KeyList, { readonly domain: 'integer' }>): PackedKeys {
  const values = keys.domain === 'uuid' ? keys.values.map(swapUuidHalves) : keys.values;
  const offsets = new Uint32Array(values.length + 1);
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    at += (values[i] as string).length;
    offsets[i + 1] = at;
  }
  const bytes = Buffer.allocUnsafeSlow(at);
  for (let i = 0; i < values.length; i += joinedKeys) {
    bytes.write(values.slice(i, i + joinedKeys).join(''), offsets[i]!, 'latin1');
  }
  return { bytes, offsets };
}

/** The keys at these positions, in their order. */
export function selectPacked(keys: PackedKeys, positions: Uint32Array): PackedKeys {
  const offsets = new Uint32Array(positions.length + 1);
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    const length = (keys.offsets[at + 1] as number) - (keys.offsets[at] as number);
    offsets[i + 1] = (offsets[i] as number) + length;
  }
  const bytes = new Uint8Array(offsets[positions.length] as number);
  for (let i = 0; i < positions.length; i++) {
    const from = keys.offsets[positions[i] as number] as number;
    const to = keys.offsets[(positions[i] as number) + 1] as number;
    const start = offsets[i] as number;
    // Short runs: a loop is faster than a view of each.
    for (let b = from; b < to; b++) bytes[start + b - from] = keys.bytes[b] as number;
  }
  return { bytes, offsets };
}
