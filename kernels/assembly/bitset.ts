// Bitsets in linear memory: `bytes` is always a multiple of 16, addresses need no alignment. Bit c of
// a bitset is code base + c. Part of the WebAssembly module; twins in test/kernels/naive-kernels.ts.

/** Vectors whose byte counts fit a byte lane: 31 x 8 < 256. */
const vectorsPerSum: usize = 31;

function widened(bytes: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes));
}

function laneSum(lanes: v128): u32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

export function countBits(at: usize, bytes: usize): u32 {
  let total = i32x4.splat(0);
  const end = at + bytes;
  while (at < end) {
    const stop = min(end, at + (vectorsPerSum << 4));
    let sum = i8x16.splat(0);
    for (; at < stop; at += 16) sum = i8x16.add(sum, i8x16.popcnt(v128.load(at)));
    total = i32x4.add(total, widened(sum));
  }
  return laneSum(total);
}

export function countAnd(a: usize, b: usize, bytes: usize): u32 {
  let total = i32x4.splat(0);
  const end = a + bytes;
  while (a < end) {
    const stop = min(end, a + (vectorsPerSum << 4));
    let sum = i8x16.splat(0);
    for (; a < stop; a += 16, b += 16) {
      sum = i8x16.add(sum, i8x16.popcnt(v128.and(v128.load(a), v128.load(b))));
    }
    total = i32x4.add(total, widened(sum));
  }
  return laneSum(total);
}

/** Codes of the bits that are set, ascending, each plus `base`. Returns how many. */
export function bitsToCodes(bits: usize, bytes: usize, base: u32, out: usize): u32 {
  const start = out;
  for (let at: usize = 0; at < bytes; at += 8) {
    let word = load<u64>(bits + at);
    const first = base + ((at as u32) << 3);
    while (word != 0) {
      store<u32>(out, first + (ctz(word) as u32));
      out += 4;
      word &= word - 1;
    }
  }
  return ((out - start) >>> 2) as u32;
}

/** As bitsToCodes, 16 bits each: the values of an array container. */
export function bitsToShorts(bits: usize, bytes: usize, out: usize): u32 {
  const start = out;
  for (let at: usize = 0; at < bytes; at += 8) {
    let word = load<u64>(bits + at);
    const first = (at as u32) << 3;
    while (word != 0) {
      store<u16>(out, (first + (ctz(word) as u32)) as u16);
      out += 2;
      word &= word - 1;
    }
  }
  return ((out - start) >>> 1) as u32;
}

function orCode(bits: usize, code: u32): void {
  const at = bits + ((code >>> 5) << 2);
  store<u32>(at, load<u32>(at) | (1 << (code & 31)));
}

/** The largest of `count` codes, at least one. */
export function maxCode(codes: usize, count: usize): u32 {
  const end = codes + (count << 2);
  const fast = codes + ((count & ~3) << 2);
  let lanes = i32x4.splat(0);
  for (; codes < fast; codes += 16) lanes = i32x4.max_u(lanes, v128.load(codes));
  let most = max(
    max(i32x4.extract_lane(lanes, 0) as u32, i32x4.extract_lane(lanes, 1) as u32),
    max(i32x4.extract_lane(lanes, 2) as u32, i32x4.extract_lane(lanes, 3) as u32),
  );
  for (; codes < end; codes += 4) most = max(most, load<u32>(codes));
  return most;
}

/** Sets the bits of `count` codes, in any order and with repeats; all are within the bitset. */
export function orCodes(codes: usize, count: usize, bits: usize): void {
  const end = codes + (count << 2);
  const fast = codes + ((count & ~3) << 2);
  for (; codes < fast; codes += 16) {
    const a = load<u32>(codes);
    const b = load<u32>(codes, 4);
    const c = load<u32>(codes, 8);
    const d = load<u32>(codes, 12);
    orCode(bits, a);
    orCode(bits, b);
    orCode(bits, c);
    orCode(bits, d);
  }
  for (; codes < end; codes += 4) orCode(bits, load<u32>(codes));
}
