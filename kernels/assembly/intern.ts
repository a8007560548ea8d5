// Open addressing from 64-bit integers to ordinals, in 256 subtables by the hash's top byte: each grows
// alone, so that no step of growth is long. Slots of 12 bytes, a power of two of them. A batch of keys
// at once: first slots are touched before any is compared, so that cache misses overlap. The host
// and the twin are ../integer-table.ts and test/kernels.
//
//   directory: 256 x (u32 address of slots | u32 slots - 1 | u32 keys | u32 keys at which it must grow)
//   slot:      u64 key | u32 ordinal + 1 (0: empty)

import { hashOfInteger } from './hash64';

const batch: usize = 32;
const slotBytes: usize = 12;

function entryOf(directory: usize, hash: u64): usize {
  return directory + (((hash >>> 56) as usize) << 4);
}

function homeOf(entry: usize, hash: u64): usize {
  return (load<u32>(entry) as usize) + (((hash as u32) & load<u32>(entry, 4)) as usize) * slotBytes;
}

function touch(directory: usize, keys: usize, count: usize): u32 {
  let touched: u32 = 0;
  const end = keys + (count << 3);
  for (; keys < end; keys += 8) {
    const hash = hashOfInteger(load<u64>(keys));
    touched ^= load<u32>(homeOf(entryOf(directory, hash), hash));
  }
  return touched;
}

/** The slot that holds the key, or the empty one where it belongs. */
function slotOf(entry: usize, hash: u64, key: u64): usize {
  const slots = load<u32>(entry) as usize;
  const end = slots + ((load<u32>(entry, 4) as usize) + 1) * slotBytes;
  let at = homeOf(entry, hash);
  while (load<u32>(at, 8) != 0 && load<u64>(at) != key) {
    at += slotBytes;
    if (at == end) at = slots;
  }
  return at;
}

/**
 * out[i] = ordinal of key i; new keys are numbered from `next` on. Stops where a subtable must grow
 * first. Returns how many keys were done; the next ordinal is at `out + 4 * count`.
 */
export function internIntegers(
  directory: usize,
  keys: usize,
  count: usize,
  out: usize,
  next: u32,
): u32 {
  let touched: u32 = 0;
  let done: usize = 0;
  let full = false;
  for (let start: usize = 0; start < count && !full; start += batch) {
    const end = min(start + batch, count);
    touched ^= touch(directory, keys + (start << 3), end - start);
    for (let i = start; i < end; i++) {
      const key = load<u64>(keys + (i << 3));
      const hash = hashOfInteger(key);
      const entry = entryOf(directory, hash);
      const at = slotOf(entry, hash, key);
      let ordinal = load<u32>(at, 8);
      if (ordinal == 0) {
        const held = load<u32>(entry, 8);
        full = held == load<u32>(entry, 12);
        if (full) break;
        ordinal = ++next;
        store<u64>(at, key);
        store<u32>(at, ordinal, 8);
        store<u32>(entry, held + 1, 8);
      }
      store<u32>(out + (i << 2), ordinal - 1);
      done = i + 1;
    }
  }
  // Stored, so that the touching loads are not optimised away.
  store<u32>(out + (count << 2), touched);
  store<u32>(out + (count << 2), next);
  return done as u32;
}

/** out[i] = ordinal + 1 of key i, 0 where it is not there. Returns how many are. */
export function findIntegers(directory: usize, keys: usize, count: usize, out: usize): u32 {
  let touched: u32 = 0;
  let found: u32 = 0;
  for (let start: usize = 0; start < count; start += batch) {
    const end = min(start + batch, count);
    touched ^= touch(directory, keys + (start << 3), end - start);
    for (let i = start; i < end; i++) {
      const key = load<u64>(keys + (i << 3));
      const hash = hashOfInteger(key);
      const ordinal = load<u32>(slotOf(entryOf(directory, hash), hash, key), 8);
      found += (ordinal != 0) as u32;
      store<u32>(out + (i << 2), ordinal);
    }
  }
  store<u32>(out + (count << 2), touched);
  return found;
}

/** Moves all slots of `from` into those of a directory's entry, which are empty and enough. */
export function rehash(from: usize, fromSlots: u32, entry: usize): void {
  const end = from + (fromSlots as usize) * slotBytes;
  for (; from < end; from += slotBytes) {
    const ordinal = load<u32>(from, 8);
    if (ordinal == 0) continue;
    const key = load<u64>(from);
    const at = slotOf(entry, hashOfInteger(key), key);
    store<u64>(at, key);
    store<u32>(at, ordinal, 8);
  }
}
