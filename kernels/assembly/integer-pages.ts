// Hash indexes of dictionary segments of integers, in place as they lie on disk (storage-format/SPEC.md,
// "Hash index"): many keys at once are found in all segments of their groups, new ones numbered, pages
// built. A batch of keys goes through in steps: hashes and the addresses of first slots, then a loop that
// only touches them, then comparisons. A processor looks some 250 instructions ahead, and a hash alone has
// 60: only the bare loop keeps ten cache misses on their way (16 ms a million instead of 62 in a table of
// 160 MB). The naive twins are storage-format's hash-table.ts and loaded-segment.ts.
//
//   levels: u32 number of the first record of each group, and the end of the last group

import { hashIntegers, hashOfInteger } from './hash64';
import {
  batch,
  emptySlots,
  groupOf,
  homeOf,
  homePage,
  homeSlot,
  pageAt,
  recordShift,
  sameLows,
  slotAmong,
  touch,
} from './page-slots';

const integerSlot: usize = 12;

/** The slot of a hash in an index of integers, or 0. */
function integerSlotOf(record: usize, hash: u64, home: usize): usize {
  const slots = load<u32>(record, 8);
  const pages = load<u32>(record, 4);
  let page = homePage(record, hash);
  let base = pageAt(record, page);
  const offset = home - base;
  for (let n: u32 = 0; n < pages; n++) {
    const end = base + (slots as usize) * integerSlot;
    let at = base + offset;
    for (let m: u32 = 0; m < slots; m++) {
      if (load<u32>(at, 8) == 0) return 0;
      if (load<u64>(at) == hash) return at;
      at += integerSlot;
      if (at == end) at = base;
    }
    page = page + 1 < pages ? page + 1 : 0;
    base = pageAt(record, page);
  }
  return 0;
}

/**
 * As integerSlotOf, four slots at a time, without branches for each: how far a key or the empty slot that
 * tells its absence is is not to be predicted.
 */
function nearIntegerSlot(record: usize, hash: u64, home: usize): usize {
  const slots = load<u32>(record, 8);
  let at = home;
  for (let slot = homeSlot(record, hash) + 4; slot <= slots; slot += 4) {
    const alike = sameLows(at, hash as u32);
    if (alike != 0) {
      const found = slotAmong(at, alike, hash);
      if (found != 0) return found;
    }
    if (emptySlots(at) != 0) return 0;
    at += 4 * integerSlot;
  }
  return integerSlotOf(record, hash, home);
}

/** As probeIntegers where there are no segments: only groups are told. `room`: 2,048 bytes. */
export function groupIntegers(
  groupCount: u32,
  keys: usize,
  count: usize,
  room: usize,
  codes: usize,
  groups: usize,
  known: usize,
): void {
  memory.fill(codes, 0, count << 2);
  memory.fill(known, 0, count);
  for (let start: usize = 0; start < count; start += batch) {
    const n = min(batch, count - start);
    hashIntegers(keys + (start << 3), n, room);
    for (let i: usize = 0; i < n; i++) {
      const group = groupOf(load<u64>(room + (i << 3)), groupCount as u64);
      store<u16>(groups + ((start + i) << 1), group as u16);
    }
  }
}

/**
 * Finds integers: codes[i], groups[i] (u16), known[i] (u8, 1 or 0). `room`: 2,048 bytes.
 */
export function probeIntegers(
  levels: usize,
  records: usize,
  groupCount: u32,
  keys: usize,
  count: usize,
  room: usize,
  codes: usize,
  groups: usize,
  known: usize,
): void {
  const homes = room + (batch << 4);
  const open = homes + (batch << 2);
  let touched: u32 = 0;
  for (let start: usize = 0; start < count; start += batch) {
    const n = min(batch, count - start);
    prepare(levels, records, groupCount, keys + (start << 3), n, room, groups + (start << 1));
    touched ^= touch(homes, n);
    // Those that the first segment of their group doesn't have; one word beyond the batch may be written.
    let many: usize = 0;
    for (let i: usize = 0; i < n; i++) {
      const entry = room + (i << 4);
      const record = load<u32>(entry, 8) as usize;
      const hash = load<u64>(entry);
      const at = record == 0 ? 0 : nearIntegerSlot(record, hash, load<u32>(homes + (i << 2)));
      const found = at != 0;
      const k = start + i;
      store<u32>(codes + (k << 2), found ? load<u32>(record, 16) + load<u32>(at, 8) - 1 : 0);
      store<u8>(known + k, found as u8);
      store<u32>(open + (many << 2), i as u32);
      many += (!found as usize) & ((record != 0) as usize);
    }
    if (many > 0) {
      touched ^= probeRest(
        levels,
        records,
        room,
        open,
        many,
        codes + (start << 2),
        known + start,
        groups + (start << 1),
      );
    }
  }
  // So that the first loads are not optimised away.
  store<u32>(room, touched);
}

/** Entries of 16 bytes: u64 hash | u32 record of the group's first segment, or 0 | u32 0; then home slots. */
function prepare(
  levels: usize,
  records: usize,
  groupCount: u32,
  keys: usize,
  count: usize,
  out: usize,
  groups: usize,
): void {
  const homes = out + (batch << 4);
  // Hashes go where the entries' second half will be, from behind: none is overwritten before it is read.
  const hashes = out + (batch << 3);
  hashIntegers(keys, count, hashes);
  for (let i: usize = 0; i < count; i++) {
    const hash = load<u64>(hashes + (i << 3));
    const group = groupOf(hash, groupCount as u64);
    const first = load<u32>(levels + ((group as usize) << 2));
    const some = first < load<u32>(levels + ((group as usize) << 2), 4);
    const record = records + ((first as usize) << recordShift);
    const entry = out + (i << 4);
    store<u16>(groups + (i << 1), group);
    store<u64>(entry, hash);
    store<u32>(entry, some ? (record as u32) : 0, 8);
    store<u32>(homes + (i << 2), some ? (homeOf(record, hash, integerSlot) as u32) : (out as u32));
  }
}

/** Segment by segment: those that are still open are touched together before any is compared. */
function probeRest(
  levels: usize,
  records: usize,
  entries: usize,
  which: usize,
  many: usize,
  codes: usize,
  known: usize,
  groups: usize,
): u32 {
  const homes = which + (batch << 2);
  let touched: u32 = 0;
  let open = many;
  for (let level: u32 = 1; open > 0; level++) {
    let left: usize = 0;
    for (let p: usize = 0; p < open; p++) {
      const i = load<u32>(which + (p << 2)) as usize;
      const at = levels + ((load<u16>(groups + (i << 1)) as usize) << 2);
      const first = load<u32>(at) + level;
      if (first >= load<u32>(at, 4)) continue;
      const record = records + ((first as usize) << recordShift);
      store<u32>(which + (left << 2), i as u32);
      store<u32>(homes + (left << 2), homeOf(record, load<u64>(entries + (i << 4)), integerSlot));
      left++;
    }
    touched ^= touch(homes, left);
    open = 0;
    for (let p: usize = 0; p < left; p++) {
      const i = load<u32>(which + (p << 2)) as usize;
      const group = load<u16>(groups + (i << 1)) as usize;
      const first = load<u32>(levels + (group << 2)) + level;
      const record = records + ((first as usize) << recordShift);
      const hash = load<u64>(entries + (i << 4));
      const at = nearIntegerSlot(record, hash, load<u32>(homes + (p << 2)));
      if (at == 0) {
        store<u32>(which + (open << 2), i as u32);
        open++;
        continue;
      }
      store<u32>(codes + (i << 2), load<u32>(record, 16) + load<u32>(at, 8) - 1);
      store<u8>(known + i, 1);
    }
  }
  return touched;
}

/**
 * Numbers the unknown integers of some groups among keys [from, to): those whose byte in `owners` is 1, not 0. Record g is group
 * g's table, whose pages are zeros at first; new keys go to its list of keys. codes[i] becomes the
 * table's base plus the key's ordinal. `room`: 2,048 bytes.
 */
export function numberIntegers(
  records: usize,
  keys: usize,
  from: usize,
  to: usize,
  room: usize,
  codes: usize,
  groups: usize,
  known: usize,
  owners: usize,
): void {
  const homes = room + (batch << 3);
  const which = homes + (batch << 2);
  let touched: u32 = 0;
  let at = from;
  while (at < to) {
    let n: usize = 0;
    // One word beyond the batch is written: a key that doesn't count.
    for (; n < batch && at < to; at++) {
      const mine = load<u8>(owners + (load<u16>(groups + (at << 1)) as usize));
      store<u32>(which + (n << 2), at);
      n += (mine & (load<u8>(known + at) ^ 1)) as usize;
    }
    for (let i: usize = 0; i < n; i++) {
      const k = load<u32>(which + (i << 2)) as usize;
      const record = records + ((load<u16>(groups + (k << 1)) as usize) << recordShift);
      const hash = hashOfInteger(load<u64>(keys + (k << 3)));
      store<u64>(room + (i << 3), hash);
      store<u32>(homes + (i << 2), homeOf(record, hash, integerSlot));
    }
    touched ^= touch(homes, n);
    for (let i: usize = 0; i < n; i++) {
      const k = load<u32>(which + (i << 2)) as usize;
      const record = records + ((load<u16>(groups + (k << 1)) as usize) << recordShift);
      const ordinal = numberInteger(record, load<u64>(room + (i << 3)), keys + (k << 3));
      store<u32>(codes + (k << 2), load<u32>(record, 16) + ordinal);
    }
  }
  store<u32>(room, touched);
}

function numberInteger(record: usize, hash: u64, key: usize): u32 {
  const at = slotForInteger(record, hash);
  const known = load<u32>(at, 8);
  if (known != 0) return known - 1;
  const next = load<u32>(record, 24);
  store<u64>(at, hash);
  store<u32>(at, next + 1, 8);
  store<u64>((load<u32>(record, 28) as usize) + ((next as usize) << 3), load<u64>(key));
  store<u32>(record, next + 1, 24);
  return next;
}

/** Its own slot, or the free one where it belongs. */
function slotForInteger(record: usize, hash: u64): usize {
  const slots = load<u32>(record, 8);
  const start = homeSlot(record, hash);
  let page = homePage(record, hash);
  while (true) {
    const base = pageAt(record, page);
    const end = base + (slots as usize) * integerSlot;
    let at = base + (start as usize) * integerSlot;
    for (let m: u32 = 0; m < slots; m++) {
      if (load<u32>(at, 8) == 0 || load<u64>(at) == hash) return at;
      at += integerSlot;
      if (at == end) at = base;
    }
    page = page + 1 < load<u32>(record, 4) ? page + 1 : 0;
  }
}

/** Puts distinct integers, keys of ordinals from `first` on, into a table's pages. `room`: 1,024 bytes. */
export function buildIntegers(
  record: usize,
  keys: usize,
  count: usize,
  first: u32,
  room: usize,
): void {
  const homes = room + (batch << 3);
  let touched: u32 = 0;
  for (let start: usize = 0; start < count; start += batch) {
    const n = min(batch, count - start);
    hashIntegers(keys + (start << 3), n, room);
    for (let i: usize = 0; i < n; i++) {
      store<u32>(homes + (i << 2), homeOf(record, load<u64>(room + (i << 3)), integerSlot));
    }
    touched ^= touch(homes, n);
    for (let i: usize = 0; i < n; i++) {
      const hash = load<u64>(room + (i << 3));
      const at = slotForInteger(record, hash);
      store<u64>(at, hash);
      store<u32>(at, first + ((start + i) as u32) + 1, 8);
    }
  }
  store<u32>(room, touched);
}
