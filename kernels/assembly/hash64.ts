// The hash of ids (../hash64.ts, its twin) over whole arrays, four keys at a time: a round is a long chain
// of multiplications, of which four lanes do four for the price of one. Part of the WebAssembly module.

const integerSeed: u32 = 0x9e3779b9;
const stringSeed: u32 = 0x7f4a7c15;

/** One round of ../hash64.ts: low half in the low bits of what it returns. */
export function mix(a: u32, b: u32): u64 {
  a = (a ^ (a >>> 16)) * 0x85ebca6b;
  b = ((b ^ (b >>> 15)) * 0xc2b2ae35) ^ a;
  a = ((a ^ (a >>> 13) ^ (b >>> 7)) * 0x27d4eb2f) ^ (b << 11);
  b = (b ^ (b >>> 16) ^ (a >>> 5)) * 0x165667b1;
  a = (a ^ b ^ (b >>> 14)) * 0x9e3779b1;
  b = (b ^ (a >>> 15)) + a * 0x85ebca77;
  return ((a ^ (b >>> 16)) as u64) | (((b ^ (b >>> 13)) as u64) << 32);
}

export function hashOfInteger(key: u64): u64 {
  return mix((key as u32) ^ integerSeed, ((key >>> 32) as u32) ^ ~integerSeed);
}

/** High halves of the last mixFour. */
let mixedHighs: v128 = i32x4.splat(0);

/** As mix, of four states: the low halves; the high ones are left in mixedHighs. */
function mixFour(a: v128, b: v128): v128 {
  a = i32x4.mul(v128.xor(a, i32x4.shr_u(a, 16)), i32x4.splat(0x85ebca6b));
  b = v128.xor(i32x4.mul(v128.xor(b, i32x4.shr_u(b, 15)), i32x4.splat(0xc2b2ae35)), a);
  const folded = v128.xor(v128.xor(a, i32x4.shr_u(a, 13)), i32x4.shr_u(b, 7));
  a = v128.xor(i32x4.mul(folded, i32x4.splat(0x27d4eb2f)), i32x4.shl(b, 11));
  b = v128.xor(v128.xor(b, i32x4.shr_u(b, 16)), i32x4.shr_u(a, 5));
  b = i32x4.mul(b, i32x4.splat(0x165667b1));
  a = v128.xor(v128.xor(a, b), i32x4.shr_u(b, 14));
  a = i32x4.mul(a, i32x4.splat(0x9e3779b1));
  b = v128.xor(b, i32x4.shr_u(a, 15));
  b = i32x4.add(b, i32x4.mul(a, i32x4.splat(0x85ebca77)));
  mixedHighs = v128.xor(b, i32x4.shr_u(b, 13));
  return v128.xor(a, i32x4.shr_u(b, 16));
}

function storeFour(out: usize, lows: v128, highs: v128): void {
  v128.store(out, v128.shuffle<i32>(lows, highs, 0, 4, 1, 5));
  v128.store(out, v128.shuffle<i32>(lows, highs, 2, 6, 3, 7), 16);
}

/** u64 keys to u64 hashes (low half first); `out` may be `keys`. */
export function hashIntegers(keys: usize, count: usize, out: usize): void {
  const end = keys + (count << 3);
  const fours = keys + ((count & ~3) << 3);
  for (; keys < fours; keys += 32, out += 32) {
    const first = v128.load(keys);
    const second = v128.load(keys, 16);
    const lows = v128.shuffle<i32>(first, second, 0, 2, 4, 6);
    const highs = v128.shuffle<i32>(first, second, 1, 3, 5, 7);
    const seed = i32x4.splat(integerSeed);
    const mixed = mixFour(v128.xor(lows, seed), v128.xor(highs, v128.not(seed)));
    storeFour(out, mixed, mixedHighs);
  }
  for (; keys < end; keys += 8, out += 8) store<u64>(out, hashOfInteger(load<u64>(keys)));
}

/** Keys that go through four at a time: what is read beyond a key is less than a block's guard. */
const shortMax: u32 = 56;

/** Key i is bytes[offsets[i], offsets[i + 1]), u32 offsets; up to 64 bytes behind the last are read. */
export function hashStrings(bytes: usize, offsets: usize, count: usize, out: usize): void {
  const end = out + (count << 3);
  const fours = out + ((count & ~3) << 3);
  for (; out < fours; out += 32, offsets += 16) {
    const starts = v128.load(offsets);
    const lengths = i32x4.sub(v128.load(offsets, 4), starts);
    if (v128.any_true(i32x4.gt_u(lengths, i32x4.splat(shortMax)))) {
      hashOneByOne(bytes, offsets, 4, out);
    } else hashFour(bytes, starts, lengths, out);
  }
  hashOneByOne(bytes, offsets, (end - out) >>> 3, out);
}

function hashOneByOne(bytes: usize, offsets: usize, count: usize, out: usize): void {
  for (let i: usize = 0; i < count; i++, out += 8, offsets += 4) {
    const from = load<u32>(offsets) as usize;
    store<u64>(out, hashOfBytes(bytes + from, (load<u32>(offsets, 4) as usize) - from));
  }
}

/** Eight bytes of a key of which so many, at least one, are left. */
function wordOf(at: usize, left: i32): u64 {
  return load<u64>(at) & (~(0 as u64) >>> (((8 - min(left, 8)) << 3) as u64));
}

function hashFour(bytes: usize, starts: v128, lengths: v128, out: usize): void {
  const blocks = i32x4.shr_u(i32x4.add(lengths, i32x4.splat(7)), 3);
  let at0 = bytes + (i32x4.extract_lane(starts, 0) as usize);
  let at1 = bytes + (i32x4.extract_lane(starts, 1) as usize);
  let at2 = bytes + (i32x4.extract_lane(starts, 2) as usize);
  let at3 = bytes + (i32x4.extract_lane(starts, 3) as usize);
  let left0 = i32x4.extract_lane(lengths, 0);
  let left1 = i32x4.extract_lane(lengths, 1);
  let left2 = i32x4.extract_lane(lengths, 2);
  let left3 = i32x4.extract_lane(lengths, 3);
  const last = (max(max(left0, left1), max(left2, left3)) + 7) >>> 3;
  let lows = i32x4.splat(stringSeed);
  let highs = v128.not(lows);
  for (let block: i32 = 0; block <= last; block++) {
    const first = i64x2.replace_lane(i64x2.splat(wordOf(at0, left0)), 1, wordOf(at1, left1));
    const second = i64x2.replace_lane(i64x2.splat(wordOf(at2, left2)), 1, wordOf(at3, left3));
    // Behind its last block a key's length is mixed in, and then nothing any more.
    const ends = i32x4.eq(blocks, i32x4.splat(block));
    const words = v128.bitselect(lengths, v128.shuffle<i32>(first, second, 0, 2, 4, 6), ends);
    const upper = v128.andnot(v128.shuffle<i32>(first, second, 1, 3, 5, 7), ends);
    const mixed = mixFour(v128.xor(lows, words), v128.xor(highs, upper));
    const open = i32x4.ge_s(blocks, i32x4.splat(block));
    lows = v128.bitselect(mixed, lows, open);
    highs = v128.bitselect(mixedHighs, highs, open);
    at0 += 8;
    at1 += 8;
    at2 += 8;
    at3 += 8;
    left0 -= 8;
    left1 -= 8;
    left2 -= 8;
    left3 -= 8;
  }
  storeFour(out, lows, highs);
}

export function hashOfBytes(at: usize, length: usize): u64 {
  let low: u32 = stringSeed;
  let high: u32 = ~stringSeed;
  const end = at + length;
  for (; at + 8 <= end; at += 8) {
    const mixed = mix(low ^ load<u32>(at), high ^ load<u32>(at, 4));
    low = mixed as u32;
    high = (mixed >>> 32) as u32;
  }
  if (at < end) {
    let last: u64 = 0;
    for (let shift: u64 = 0; at < end; at++, shift += 8) last |= (load<u8>(at) as u64) << shift;
    const mixed = mix(low ^ (last as u32), high ^ ((last >>> 32) as u32));
    low = mixed as u32;
    high = (mixed >>> 32) as u32;
  }
  return mix(low ^ (length as u32), high);
}
