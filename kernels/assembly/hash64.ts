// The hash of ids (../hash64.ts, its twin) over whole arrays. Part of the WebAssembly module.

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

/** u64 keys to u64 hashes (low half first); `out` may be `keys`. */
export function hashIntegers(keys: usize, count: usize, out: usize): void {
  const end = keys + (count << 3);
  for (; keys < end; keys += 8, out += 8) store<u64>(out, hashOfInteger(load<u64>(keys)));
}

/** Key i is bytes[offsets[i], offsets[i + 1]), u32 offsets. */
export function hashStrings(bytes: usize, offsets: usize, count: usize, out: usize): void {
  const end = out + (count << 3);
  for (; out < end; out += 8, offsets += 4) {
    const from = load<u32>(offsets) as usize;
    store<u64>(out, hashOfBytes(bytes + from, (load<u32>(offsets, 4) as usize) - from));
  }
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
