// Picking keys and their hashes out of lists, by position, and putting lists together again.

import type { KeyHashes, KeyList } from '../../storage-format/key-list.ts';

export function selectKeys(keys: KeyList, positions: Uint32Array): KeyList {
  if (keys.domain !== 'integer') {
    const values = Array.from(positions, (at) => keys.values[at] as string);
    return { domain: keys.domain, values };
  }
  const values = new BigUint64Array(positions.length);
  const to = new Uint32Array(values.buffer);
  const from = new Uint32Array(keys.values.buffer, keys.values.byteOffset, 2 * keys.values.length);
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    to[2 * i] = from[2 * at] as number;
    to[2 * i + 1] = from[2 * at + 1] as number;
  }
  return { domain: 'integer', values };
}

export function selectHashes(hashes: KeyHashes, positions: Uint32Array): KeyHashes {
  const low = new Uint32Array(positions.length);
  const high = new Uint32Array(positions.length);
  for (let i = 0; i < positions.length; i++) {
    low[i] = hashes.low[positions[i] as number] as number;
    high[i] = hashes.high[positions[i] as number] as number;
  }
  return { low, high };
}

/** Lists of one domain, end to end. */
export function concatKeys(domain: KeyList['domain'], lists: readonly KeyList[]): KeyList {
  if (lists.length === 1) return lists[0] as KeyList;
  if (domain !== 'integer') {
    return { domain, values: lists.flatMap((list) => list.values as readonly string[]) };
  }
  const values = new BigUint64Array(lists.reduce((sum, list) => sum + list.values.length, 0));
  let at = 0;
  for (const list of lists) {
    values.set(list.values as BigUint64Array, at);
    at += list.values.length;
  }
  return { domain, values };
}
