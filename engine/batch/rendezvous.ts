// Which of several workers a key prefers, so that equal keys meet the same caches. Rendezvous hashing:
// each worker's score depends on the key and its own name alone, so that one that comes or goes moves
// no other key than those it takes or leaves.

import { crc32c } from '../../storage-format/crc32c.ts';

/** Positions in `names`, the most preferred first. Equal for equal keys; any order of names. */
export function rankedFor(key: string, names: readonly string[]): readonly number[] {
  const scores = names.map((name) => mixed(crc32c(Buffer.from(`${name}\n${key}`))));
  return names
    .map((_, at) => at)
    .toSorted((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
}

/** CRCs of texts that differ in their beginning alone differ by a constant: this spreads them. */
function mixed(hash: number): number {
  let word = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
