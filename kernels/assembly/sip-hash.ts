// SipHash-2-4 with a zero key over many 64-bit values, each a message of 8 bytes. Part of the WebAssembly
// module; engine/library/scalar/sip-hash.ts, over 32-bit halves, is its twin.
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.

/**
 * u64 values to u64 hashes; `out` may be `values`. Rounds are written out in twos: loops that end now
 * here, now there, cost as much as the rounds themselves.
 */
export function sipHashIntegers(values: usize, count: usize, out: usize): void {
  const end = values + (count << 3);
  for (; values < end; values += 8, out += 8) {
    const message = load<u64>(values);
    let v0: u64 = 0x736f6d6570736575;
    let v1: u64 = 0x646f72616e646f6d;
    let v2: u64 = 0x6c7967656e657261;
    let v3: u64 = 0x7465646279746573 ^ message;
    v0 += v1;
    v2 += v3;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 = rotl<u64>(v0, 32) + v3;
    v2 += v1;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v0 += v1;
    v2 = rotl<u64>(v2, 32) + v3;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 = rotl<u64>(v0, 32) + v3;
    v2 += v1;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);

    v0 ^= message;
    v3 ^= (8 as u64) << 56;
    v0 += v1;
    v2 += v3;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 = rotl<u64>(v0, 32) + v3;
    v2 += v1;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v0 += v1;
    v2 = rotl<u64>(v2, 32) + v3;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 = rotl<u64>(v0, 32) + v3;
    v2 += v1;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);

    v0 ^= (8 as u64) << 56;
    v2 ^= 0xff;
    for (let turn = 0; turn < 2; turn++) {
      v0 += v1;
      v2 += v3;
      v1 = rotl<u64>(v1, 13) ^ v0;
      v3 = rotl<u64>(v3, 16) ^ v2;
      v0 = rotl<u64>(v0, 32) + v3;
      v2 += v1;
      v3 = rotl<u64>(v3, 21) ^ v0;
      v1 = rotl<u64>(v1, 17) ^ v2;
      v0 += v1;
      v2 = rotl<u64>(v2, 32) + v3;
      v1 = rotl<u64>(v1, 13) ^ v0;
      v3 = rotl<u64>(v3, 16) ^ v2;
      v0 = rotl<u64>(v0, 32) + v3;
      v2 += v1;
      v3 = rotl<u64>(v3, 21) ^ v0;
      v1 = rotl<u64>(v1, 17) ^ v2;
      v2 = rotl<u64>(v2, 32);
    }
    store<u64>(out, v0 ^ v1 ^ v2 ^ v3);
  }
}
