// What all kernels over pages of dictionary segments share: where a hash begins, groups, trailers. Part of
// the WebAssembly module; integer-pages.ts and string-pages.ts build on it.
//
//   record: u32 pages at | u32 pages | u32 slots | u32 page bytes | u32 base code | u32 segment at
//           | u32 next ordinal | u32 keys at          (the last two: of a table that is being filled)

import { crc32c } from './crc32c';

/** Keys that go through together. */
export const batch: usize = 256;
export const recordShift: usize = 5;
const trailerBytes: usize = 16;

export function groupOf(hash: u64, groups: u64): u32 {
  const carry = ((hash & 0xffffffff) * groups) >>> 32;
  return (((hash >>> 32) * groups + carry) >>> 32) as u32;
}

export function pageAt(record: usize, page: u32): usize {
  return (load<u32>(record) as usize) + (page as usize) * (load<u32>(record, 12) as usize);
}

export function homePage(record: usize, hash: u64): u32 {
  return (((hash & 0xffffffff) * (load<u32>(record, 4) as u64)) >>> 32) as u32;
}

export function homeSlot(record: usize, hash: u64): u32 {
  return (((hash >>> 32) as u32 & 0xffff) * load<u32>(record, 8)) >>> 16;
}

export function homeOf(record: usize, hash: u64, slotBytes: usize): usize {
  return pageAt(record, homePage(record, hash)) + (homeSlot(record, hash) as usize) * slotBytes;
}

/** `homes`: u32 addresses. Loads two cache lines of each, all side by side. */
export function touch(homes: usize, count: usize): u32 {
  let touched: u32 = 0;
  const end = homes + (count << 2);
  for (; homes < end; homes += 4) {
    const at = load<u32>(homes) as usize;
    touched ^= load<u32>(at) ^ load<u32>(at, 48);
  }
  return touched;
}

/** Writes the trailers of pages [from, to). `tables`: as for crc32c. */
export function sealPages(record: usize, from: u32, to: u32, keys: u32, tables: usize): void {
  const pageBytes = load<u32>(record, 12) as usize;
  for (let page = from; page < to; page++) {
    const at = pageAt(record, page);
    const trailer = at + pageBytes - trailerBytes;
    store<u32>(trailer, page);
    store<u32>(trailer, keys, 4);
    store<u32>(trailer, 0, 8);
    store<u32>(trailer, ~crc32c(~0, at, pageBytes - 4, tables), 12);
  }
}

/** Zeros: a view of shared memory is filled byte by byte, ten times as slowly. */
export function clearBytes(at: usize, bytes: usize): void {
  memory.fill(at, 0, bytes);
}

/** Bit i: slot i of four from here on, of 12 bytes each, has this low half. */
export function sameLows(at: usize, low: u32): u32 {
  return i32x4.bitmask(i32x4.eq(firstWords(at), i32x4.splat(low)));
}

/** The one of these slots of 12 bytes (bits, as of sameLows) that has this hash and is not empty; or 0. */
export function slotAmong(at: usize, alike: u32, hash: u64): usize {
  for (; alike != 0; alike &= alike - 1) {
    const slot = at + (ctz(alike) as usize) * 12;
    if (load<u64>(slot) == hash && load<u32>(slot, 8) != 0) return slot;
  }
  return 0;
}

/** Bit i: slot i of four from here on, of 12 bytes each, is empty. */
export function emptySlots(at: usize): u32 {
  // The ordinals are the first words, eight bytes further.
  return i32x4.bitmask(i32x4.eq(firstWords(at + 8), i32x4.splat(0)));
}

/** The first words of four slots of 12 bytes; reads eight bytes less than four of 16. */
function firstWords(at: usize): v128 {
  const first = v128.shuffle<i32>(v128.load(at), v128.load(at, 16), 0, 3, 6, 6);
  return v128.shuffle<i32>(first, v128.load(at, 24), 0, 1, 2, 7);
}
