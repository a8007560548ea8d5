// New keys of a large batch, put into pages that nobody has filled yet. First every thread goes through
// its share of the keys, gives out codes in order of arrival, and sorts the slots that will be into
// buckets, one for each run of pages that a cache holds; then every thread fills runs of pages from their
// buckets. So no slot is waited for. Part of the WebAssembly module; integer-pages.ts and string-pages.ts
// do the same key by key, whatever the keys are; what doesn't go well here is done there.
//
//   bucket, 16 bytes: u32 first slot | u32 behind its last slot | u32 end of its room | u32 0
//   run, 16 bytes: u32 record of its table | u32 first page | u32 behind its last page | u32 keys of its table
//   record: as in page-slots.ts, with the number of the table's first run in place of the segment
//
// A flag says that it did not go well: a bucket or a page is full, or two keys are or look the same.

import { hashIntegers, hashStrings } from './hash64';
import {
  batch,
  emptySlots,
  homePage,
  pageAt,
  recordShift,
  sameLows,
  sealPages,
  slotAmong,
} from './page-slots';

const integerSlot: usize = 12;
const placedSlot: usize = 16;
const lengthMax: u32 = 0xffff;

/** Adds unknown keys among [from, to) to their group's count, u32 each. */
export function countNew(groups: usize, known: usize, from: usize, to: usize, counts: usize): void {
  for (let k = from; k < to; k++) {
    const at = counts + ((load<u16>(groups + (k << 1)) as usize) << 2);
    store<u32>(at, load<u32>(at) + ((load<u8>(known + k) == 0) as u32));
  }
}

/** Lists the unknown ones of n keys from `start` on, as u32 from 0; how many. */
function listNew(known: usize, start: usize, n: usize, which: usize): usize {
  let many: usize = 0;
  // One word beyond the batch is written: a key that doesn't count.
  for (let i: usize = 0; i < n; i++) {
    store<u32>(which + (many << 2), i as u32);
    many += (load<u8>(known + start + i) == 0) as usize;
  }
  return many;
}

/** The next code of a group's table: its ordinal. */
function takeOrdinal(record: usize, next: usize, code: usize): u32 {
  const ordinal = load<u32>(next);
  store<u32>(next, ordinal + 1);
  store<u32>(code, load<u32>(record, 16) + ordinal);
  return ordinal;
}

function bucketOf(record: usize, hash: u64, shift: u32, buckets: usize): usize {
  return buckets + (((load<u32>(record, 20) + (homePage(record, hash) >>> shift)) as usize) << 4);
}

/**
 * Codes for the unknown keys among [from, to), from each group's `nexts` on (u32 ordinals), the keys
 * listed in their tables, and their slots put into buckets. A run has 2^shift pages. `room`: 2,048 bytes.
 */
export function spreadIntegers(
  records: usize,
  shift: u32,
  nexts: usize,
  buckets: usize,
  keys: usize,
  from: usize,
  to: usize,
  room: usize,
  codes: usize,
  groups: usize,
  known: usize,
  failed: usize,
): void {
  const which = room + (batch << 3);
  for (let start = from; start < to; start += batch) {
    const n = min(batch, to - start);
    const many = listNew(known, start, n, which);
    if (many == 0) continue;
    hashIntegers(keys + (start << 3), n, room);
    for (let p: usize = 0; p < many; p++) {
      const i = load<u32>(which + (p << 2)) as usize;
      const k = start + i;
      const group = load<u16>(groups + (k << 1)) as usize;
      const record = records + (group << recordShift);
      const ordinal = takeOrdinal(record, nexts + (group << 2), codes + (k << 2));
      const listed = (load<u32>(record, 28) as usize) + ((ordinal as usize) << 3);
      store<u64>(listed, load<u64>(keys + (k << 3)));
      const hash = load<u64>(room + (i << 3));
      const bucket = bucketOf(record, hash, shift, buckets);
      const at = load<u32>(bucket, 4) as usize;
      if (at == load<u32>(bucket, 8)) {
        store<u32>(failed, 1);
        continue;
      }
      store<u64>(at, hash);
      store<u32>(at, ordinal + 1, 8);
      store<u32>(bucket, (at + integerSlot) as u32, 4);
    }
  }
}

/** As spreadIntegers, of strings: what is listed are positions in the batch, u32 each. */
export function spreadStrings(
  records: usize,
  shift: u32,
  nexts: usize,
  buckets: usize,
  bytes: usize,
  offsets: usize,
  from: usize,
  to: usize,
  room: usize,
  codes: usize,
  groups: usize,
  known: usize,
  failed: usize,
): void {
  const which = room + (batch << 3);
  for (let start = from; start < to; start += batch) {
    const n = min(batch, to - start);
    const many = listNew(known, start, n, which);
    if (many == 0) continue;
    hashStrings(bytes, offsets + (start << 2), n, room);
    for (let p: usize = 0; p < many; p++) {
      const i = load<u32>(which + (p << 2)) as usize;
      const k = start + i;
      const group = load<u16>(groups + (k << 1)) as usize;
      const record = records + (group << recordShift);
      const ordinal = takeOrdinal(record, nexts + (group << 2), codes + (k << 2));
      store<u32>((load<u32>(record, 28) as usize) + ((ordinal as usize) << 2), k as u32);
      const hash = load<u64>(room + (i << 3));
      const bucket = bucketOf(record, hash, shift, buckets);
      const at = load<u32>(bucket, 4) as usize;
      if (at == load<u32>(bucket, 8)) {
        store<u32>(failed, 1);
        continue;
      }
      const place = load<u32>(offsets + (k << 2));
      const length = load<u32>(offsets + (k << 2), 4) - place;
      store<u32>(at, hash as u32);
      store<u32>(at, ((hash >>> 32) as u32 & 0xffff) | (min(length, lengthMax) << 16), 4);
      store<u32>(at, ordinal + 1, 8);
      store<u32>(at, place, 12);
      store<u32>(bucket, (at + placedSlot) as u32, 4);
    }
  }
}

/**
 * Fills runs [from, to) from the buckets of all shares, in the order of shares; the buckets of a share lie
 * `stride` bytes behind those of the one before. `clear`: the pages hold anything; 0: they were filled
 * before, and get more.
 */
export function fillRuns(
  runs: usize,
  from: u32,
  to: u32,
  buckets: usize,
  stride: usize,
  shares: u32,
  strings: u32,
  clear: u32,
  failed: usize,
): void {
  for (let run = from; run < to; run++) {
    const entry = runs + ((run as usize) << 4);
    const record = load<u32>(entry) as usize;
    const first = pageAt(record, load<u32>(entry, 4));
    if (clear) memory.fill(first, 0, pageAt(record, load<u32>(entry, 8)) - first);
    let bucket = buckets + ((run as usize) << 4);
    for (let share: u32 = 0; share < shares; share++, bucket += stride) {
      const start = load<u32>(bucket) as usize;
      const end = load<u32>(bucket, 4) as usize;
      const well = strings ? fillPlaced(record, start, end) : fillIntegers(record, start, end);
      if (!well) store<u32>(failed, 1);
    }
  }
}

/**
 * Writes the trailers of the pages of runs [from, to), and for each run the least and the greatest high half
 * of its hashes: two u32 at bounds[run]. Of integers. `tables`: as for crc32c.
 */
export function sealRuns(runs: usize, from: u32, to: u32, bounds: usize, tables: usize): void {
  for (let run = from; run < to; run++) {
    const entry = runs + ((run as usize) << 4);
    const record = load<u32>(entry) as usize;
    const end = load<u32>(entry, 8);
    let least: u32 = 0xffffffff;
    let most: u32 = 0;
    for (let page = load<u32>(entry, 4); page < end; page++) {
      let at = pageAt(record, page);
      const last = at + (load<u32>(record, 8) as usize) * integerSlot;
      for (; at < last; at += integerSlot) {
        const high = load<u32>(at, 4);
        const used = load<u32>(at, 8) != 0;
        least = min(least, used ? high : 0xffffffff);
        most = max(most, used ? high : 0);
      }
    }
    store<u32>(bounds + ((run as usize) << 3), least);
    store<u32>(bounds + ((run as usize) << 3), most, 4);
    sealPages(record, load<u32>(entry, 4), end, load<u32>(entry, 12), tables);
  }
}

/**
 * Eight slots are looked at together, without branches: how far a key's slot is is not to be predicted,
 * only that it is rarely further.
 */
function fillIntegers(record: usize, from: usize, to: usize): bool {
  const pages = load<u32>(record) as usize;
  const pageCount = load<u32>(record, 4) as u64;
  const slots = load<u32>(record, 8);
  const pageBytes = load<u32>(record, 12) as usize;
  for (; from < to; from += integerSlot) {
    const hash = load<u64>(from);
    const start = (((hash >>> 32) as u32 & 0xffff) * slots) >>> 16;
    const base = pages + ((((hash & 0xffffffff) * pageCount) >>> 32) as usize) * pageBytes;
    let at = base + (start as usize) * integerSlot;
    const free = emptySlots(at) | (emptySlots(at + 4 * integerSlot) << 4);
    if (free != 0 && start + 8 <= slots) {
      const low = hash as u32;
      const alike = (sameLows(at, low) | (sameLows(at + 4 * integerSlot, low) << 4)) & ~free;
      if (alike != 0 && slotAmong(at, alike, hash) != 0) return false;
      at += (ctz(free) as usize) * integerSlot;
    } else {
      at = freeSlot(base, start, slots, integerSlot, hash);
      if (at == 0) return false;
    }
    store<u64>(at, hash);
    store<u32>(at, load<u32>(from, 8), 8);
  }
  return true;
}

/** As fillIntegers; two strings of one length and 48 equal bits of their hashes count as the same. */
function fillPlaced(record: usize, from: usize, to: usize): bool {
  const pages = load<u32>(record) as usize;
  const pageCount = load<u32>(record, 4) as u64;
  const slots = load<u32>(record, 8);
  const pageBytes = load<u32>(record, 12) as usize;
  let same: u32 = 0;
  for (; from < to; from += placedSlot) {
    const wanted = load<u64>(from);
    const start = (((wanted >>> 32) as u32 & 0xffff) * slots) >>> 16;
    const base = pages + ((((wanted & 0xffffffff) * pageCount) >>> 32) as usize) * pageBytes;
    let at = base + (start as usize) * placedSlot;
    const free =
      ((load<u32>(at, 8) == 0) as u32) |
      (((load<u32>(at, 24) == 0) as u32) << 1) |
      (((load<u32>(at, 40) == 0) as u32) << 2) |
      (((load<u32>(at, 56) == 0) as u32) << 3);
    if (free != 0 && start + 4 <= slots) {
      same |=
        ((load<u64>(at) == wanted) as u32) |
        ((load<u64>(at, 16) == wanted) as u32) |
        ((load<u64>(at, 32) == wanted) as u32) |
        ((load<u64>(at, 48) == wanted) as u32);
      at += (ctz(free) as usize) * placedSlot;
    } else {
      at = freeSlot(base, start, slots, placedSlot, wanted);
      if (at == 0) return false;
    }
    store<u64>(at, wanted);
    store<u64>(at, load<u64>(from, 8), 8);
  }
  return same == 0;
}

/** The first empty slot of a page from `start` on; 0 where there is none, or this one is there. */
function freeSlot(base: usize, start: u32, slots: u32, slotBytes: usize, wanted: u64): usize {
  const end = base + (slots as usize) * slotBytes;
  let at = base + (start as usize) * slotBytes;
  for (let n: u32 = 0; n < slots; n++) {
    if (load<u32>(at, 8) == 0) return at;
    if (load<u64>(at) == wanted) return 0;
    at += slotBytes;
    if (at == end) at = base;
  }
  return 0;
}
