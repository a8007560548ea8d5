// What all kernels over pages of dictionary segments share: where a hash begins, groups, trailers. Part of
// the WebAssembly module; integer-pages.ts and string-pages.ts build on it.
//
//   record: u32 pages at | u32 pages | u32 slots | u32 page bytes | u32 base code | u32 segment at
//           | u32 next ordinal | u32 keys at          (the last two: of a table that is being filled)

import { crc32c } from './crc32c';

/** Keys that go through together. */
export const batch: usize = 64;
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
