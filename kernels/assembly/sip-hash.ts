// SipHash-2-4 with key zero over the bytes of integers, as ClickHouse's sipHash64 gives it. Part of the
// WebAssembly module; the twin is engine/library/scalar/sip-hash.ts.

/** sipHash64 of `count` values, each of `width` bytes (1, 2, 4 or 8); u64 each out. */
export function sipHashIntegers(values: usize, width: u32, count: usize, out: usize): void {
  for (let i: usize = 0; i < count; i++) {
    const at = values + i * width;
    let word: u64;
    if (width == 8) word = load<u64>(at);
    else if (width == 4) word = load<u32>(at) as u64;
    else if (width == 2) word = load<u16>(at) as u64;
    else word = load<u8>(at) as u64;
    store<u64>(out + (i << 3), sipHash(word, width));
  }
}

function sipHash(word: u64, width: u32): u64 {
  let v0: u64 = 0x736f6d6570736575;
  let v1: u64 = 0x646f72616e646f6d;
  let v2: u64 = 0x6c7967656e657261;
  let v3: u64 = 0x7465646279746573;
  const last = (width as u64) << 56;
  const whole = width == 8;
  for (let block: u32 = whole ? 0 : 1; block < 2; block++) {
    const m = block == 0 ? word : whole ? last : last | word;
    v3 ^= m;
    for (let round: u32 = 0; round < 2; round++) {
      v0 += v1;
      v1 = rotl(v1, 13) ^ v0;
      v0 = rotl(v0, 32);
      v2 += v3;
      v3 = rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = rotl(v1, 17) ^ v2;
      v2 = rotl(v2, 32);
    }
    v0 ^= m;
  }
  v2 ^= 0xff;
  for (let round: u32 = 0; round < 4; round++) {
    v0 += v1;
    v1 = rotl(v1, 13) ^ v0;
    v0 = rotl(v0, 32);
    v2 += v3;
    v3 = rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl(v1, 17) ^ v2;
    v2 = rotl(v2, 32);
  }
  return v0 ^ v1 ^ v2 ^ v3;
}
