// SipHash-2-4 of many 64-bit values at once, in WebAssembly memory (assembly/sip-hash.ts).

import { scratchKernels } from './kernel-memory.ts';

/** Values of one pass: room for them stays. */
const stepValues = 65_536;

/** Hashes of 64-bit patterns, two words each, low half first; each is a message of 8 bytes. */
export function sipHashPatterns(halves: Int32Array): Int32Array<ArrayBuffer> {
  const out = new Int32Array(halves.length);
  const kernels = scratchKernels();
  const words = 2 * stepValues;
  const at = kernels.scratch(4 * Math.min(words, halves.length));
  for (let from = 0; from < halves.length; from += words) {
    const some = halves.subarray(from, from + words);
    const room = kernels.u32(at, some.length);
    room.set(some);
    kernels.calls.sipHashIntegers(at, some.length / 2, at);
    out.set(room, from);
  }
  return out;
}
