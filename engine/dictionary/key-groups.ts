// Which group each key belongs to: the high bits of its hash say (kernels/hash64.ts).

import { groupOfHash } from '../../kernels/hash64.ts';
import type { KeyHashes } from '../../storage-format/key-list.ts';

/** The group of each key among `groups`. */
export function groupsOfHashes(hashes: KeyHashes, groups: number): Uint16Array {
  const out = new Uint16Array(hashes.low.length);
  if (groups === 1) return out;
  for (let i = 0; i < out.length; i++) {
    out[i] = groupOfHash(hashes.high[i] as number, hashes.low[i] as number, groups);
  }
  return out;
}
