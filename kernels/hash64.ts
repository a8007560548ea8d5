// The hash of ids: one 64-bit function, cheap in 32-bit halves. Its high bits choose the group, its
// low bits the bucket of a dictionary's index. Fixed for ever by SPEC.md, "Hash of a key"; every
// constant here is part of the format.
//
// State: two 32-bit lanes. Absorb a block (lo, hi) by XOR, then mix: two multiply-xorshift rounds
// that feed each lane into the other. Each step is a bijection of the 64-bit state, so integer keys
// never collide with one another; strings absorb 8-byte blocks and then their length.

import type { Brand } from '../base/brand.ts';

type GroupId = Brand<number, 'GroupId'>;

/** A place to leave the two halves of a hash without allocating. */
export interface HashHalves {
  low: number;
  high: number;
}

const integerSeed = 0x9e3779b9;
const stringSeed = 0x7f4a7c15;

/** Hash of a 64-bit pattern (signed types sign-extended). `out` receives unsigned halves. */
export function hashInteger(low: number, high: number, out: HashHalves): void {
  mix(low ^ integerSeed, high ^ ~integerSeed, out);
}

/** Hash of a byte string. Cost: one mix per 8 bytes and one for the length. */
export function hashBytes(bytes: Uint8Array, out: HashHalves): void {
  let low = stringSeed | 0;
  let high = ~stringSeed;
  for (let at = 0; at < bytes.length; at += 8) {
    mix(low ^ word(bytes, at), high ^ word(bytes, at + 4), out);
    low = out.low;
    high = out.high;
  }
  mix(low ^ bytes.length, high, out);
}

/** The group of a hash among `groups`: floor(hash x groups / 2^64), exact for groups <= 2^20. */
export function groupOfHash(high: number, low: number, groups: number): GroupId {
  const carry = Math.floor((low * groups) / 0x1_0000_0000);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand's one constructor
  return Math.floor((high * groups + carry) / 0x1_0000_0000) as GroupId;
}

function mix(a0: number, b0: number, out: HashHalves): void {
  let a = a0;
  let b = b0;
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35) ^ a;
  a = Math.imul(a ^ (a >>> 13) ^ (b >>> 7), 0x27d4eb2f) ^ (b << 11);
  b = Math.imul(b ^ (b >>> 16) ^ (a >>> 5), 0x165667b1);
  a = Math.imul(a ^ b ^ (b >>> 14), 0x9e3779b1);
  b = (b ^ (a >>> 15)) + Math.imul(a, 0x85ebca77);
  out.low = (a ^ (b >>> 16)) >>> 0;
  out.high = (b ^ (b >>> 13)) >>> 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}
