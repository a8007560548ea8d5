// Many pairs of sets counted at once, within one page of codes: each set is bits there, short ones are a
// list of codes as well. Part of the WebAssembly module; the twin is in test/kernels/naive-kernels.ts.

import { countAnd } from './bitset';

/** So many bytes of each set at a time: those of a few hundred sets stay in the processor's cache. */
const blockBytes: usize = 2048;

/**
 * Adds to `out`, u32 for each pair, how many codes both sets have. `pairs`: u32 and u32, numbers of sets.
 * `directory`: per set u32 address of its bits (0: nobody is here), u32 address of its codes as u16 (0:
 * too many to be listed), u32 their count, u32 unused. Bits are looked at in bytes [start, end), multiples
 * of 16; nobody is outside of them.
 */
export function countPairs(
  pairs: usize,
  count: u32,
  directory: usize,
  start: usize,
  end: usize,
  out: usize,
): void {
  const pairsEnd = pairs + ((count as usize) << 3);
  for (let from = start; from < end; from += blockBytes) {
    const size = min(blockBytes, end - from);
    for (let pair = pairs, to = out; pair < pairsEnd; pair += 8, to += 4) {
      const a = directory + ((load<u32>(pair) as usize) << 4);
      const b = directory + ((load<u32>(pair, 4) as usize) << 4);
      const aBits = load<u32>(a) as usize;
      const bBits = load<u32>(b) as usize;
      if (aBits == 0 || bBits == 0) continue;
      const aCodes = load<u32>(a, 4) as usize;
      const bCodes = load<u32>(b, 4) as usize;
      if ((aCodes | bCodes) == 0) {
        store<u32>(to, load<u32>(to) + countAnd(aBits + from, bBits + from, size));
      } else if (from == start) {
        const isFirst = bCodes == 0 || (aCodes != 0 && load<u32>(a, 8) <= load<u32>(b, 8));
        const both = isFirst
          ? countListed(aCodes, load<u32>(a, 8), bBits)
          : countListed(bCodes, load<u32>(b, 8), aBits);
        store<u32>(to, load<u32>(to) + both);
      }
    }
  }
}

/** How many of `count` codes, u16 each, are set in `bits`. */
function countListed(codes: usize, count: u32, bits: usize): u32 {
  const end = codes + ((count as usize) << 1);
  let sum: u32 = 0;
  for (; codes < end; codes += 2) {
    const code = load<u16>(codes) as u32;
    sum += (load<u32>(bits + ((code >>> 5) << 2)) >>> (code & 31)) & 1;
  }
  return sum;
}
