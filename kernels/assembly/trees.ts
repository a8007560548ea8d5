// A tree of set operators over bitsets, counted a block at a time: what lies between two operators never
// leaves the first cache level. Part of the WebAssembly module; the twin is in test/kernels/naive-kernels.ts.

import { countBits } from './bitset';

const blockBytes: usize = 2048;
const stepBytes: usize = 12;

/**
 * Bits of the last of `steps` results, over bitsets of `bytes` (a multiple of 2,048). `program`: per step
 * u32 operator (0 and, 1 or, 2 and not, 3 xor), u32 left, u32 right; an even operand is the address of a
 * bitset, an odd one 2 x block + 1 of `room`, where step k leaves its result in block k. Other blocks of
 * `room` are the host's, the same for all of the bitset.
 */
export function countTree(program: usize, steps: usize, bytes: usize, room: usize): u32 {
  let total: u32 = 0;
  for (let at: usize = 0; at < bytes; at += blockBytes) {
    let out = room;
    const end = program + steps * stepBytes;
    for (let step = program; step < end; step += stepBytes, out += blockBytes) {
      const left = operand(load<u32>(step, 4) as usize, at, room);
      const right = operand(load<u32>(step, 8) as usize, at, room);
      combine(load<u32>(step), left, right, out);
    }
    total += countBits(out - blockBytes, blockBytes);
  }
  return total;
}

function operand(what: usize, at: usize, room: usize): usize {
  return (what & 1) != 0 ? room + (what >>> 1) * blockBytes : what + at;
}

function combine(how: u32, a: usize, b: usize, out: usize): void {
  const end = a + blockBytes;
  if (how == 0) {
    for (; a < end; a += 16, b += 16, out += 16) {
      v128.store(out, v128.and(v128.load(a), v128.load(b)));
    }
  } else if (how == 1) {
    for (; a < end; a += 16, b += 16, out += 16) {
      v128.store(out, v128.or(v128.load(a), v128.load(b)));
    }
  } else if (how == 2) {
    for (; a < end; a += 16, b += 16, out += 16) {
      v128.store(out, v128.andnot(v128.load(a), v128.load(b)));
    }
  } else {
    for (; a < end; a += 16, b += 16, out += 16) {
      v128.store(out, v128.xor(v128.load(a), v128.load(b)));
    }
  }
}
