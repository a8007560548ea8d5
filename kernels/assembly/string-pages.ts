// Hash indexes of dictionary segments of byte strings: as integer-pages.ts, with slots that say where a key
// lies and how long it is. The key itself is a second cache miss, which is touched for a whole batch too.

import { hashOfBytes } from './hash64';
import {
  batch,
  groupOf,
  homeOf,
  homePage,
  homeSlot,
  pageAt,
  recordShift,
  touch,
} from './page-slots';

const placedSlot: usize = 16;
const lengthMax: u32 = 0xffff;

function tagOf(hash: u64, length: u32): u32 {
  return ((hash >>> 32) as u32 & 0xffff) | (min(length, lengthMax) << 16);
}

/** Whether the stored key of a slot is this one; its length and hash agree already. */
function sameBytes(a: usize, b: usize, length: usize): bool {
  const end = a + length;
  for (; a + 8 <= end; a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false;
  for (; a < end; a++, b++) if (load<u8>(a) != load<u8>(b)) return false;
  return true;
}

/**
 * The first slot at or after `from` (0: the home slot) with this low half and tag; 0 when an empty slot
 * comes first. Only within one page chain.
 */
function placedSlotOf(record: usize, hash: u64, tag: u32, from: usize): usize {
  const slots = load<u32>(record, 8);
  const pages = load<u32>(record, 4);
  const wanted = (hash & 0xffffffff) | ((tag as u64) << 32);
  const start = homeSlot(record, hash);
  let page = homePage(record, hash);
  let passed = from == 0;
  for (let n: u32 = 0; n < pages; n++) {
    const base = pageAt(record, page);
    const end = base + (slots as usize) * placedSlot;
    let at = base + (start as usize) * placedSlot;
    for (let m: u32 = 0; m < slots; m++) {
      if (load<u32>(at, 8) == 0) return 0;
      if (passed && load<u64>(at) == wanted) return at;
      if (at == from) passed = true;
      at += placedSlot;
      if (at == end) at = base;
    }
    page = page + 1 < pages ? page + 1 : 0;
  }
  return 0;
}

/**
 * As probeIntegers for byte strings: key i is bytes[offsets[i], offsets[i + 1]). known[i] is 2 where the
 * key is too long for its slot to tell: the host compares it. `room`: 4,096 bytes.
 */
export function probeStrings(
  levels: usize,
  records: usize,
  groupCount: u32,
  bytes: usize,
  offsets: usize,
  count: usize,
  room: usize,
  codes: usize,
  groups: usize,
  known: usize,
): void {
  const homes = room + (batch << 5);
  let touched: u32 = 0;
  for (let start: usize = 0; start < count; start += batch) {
    const n = min(batch, count - start);
    for (let i: usize = 0; i < n; i++) {
      const from = load<u32>(offsets + ((start + i) << 2)) as usize;
      const length = (load<u32>(offsets + ((start + i) << 2), 4) as usize) - from;
      const hash = hashOfBytes(bytes + from, length);
      const group = groupOf(hash, groupCount as u64);
      const entry = room + (i << 5);
      store<u64>(entry, hash);
      store<u32>(entry, group, 8);
      const level = levels + ((group as usize) << 2);
      const record = records + ((load<u32>(level) as usize) << recordShift);
      const some = load<u32>(level) < load<u32>(level, 4);
      store<u32>(homes + (i << 2), some ? homeOf(record, hash, placedSlot) : room);
    }
    touched ^= touch(homes, n);
    for (let i: usize = 0; i < n; i++) {
      const stored = firstCandidate(levels, records, offsets + ((start + i) << 2), room + (i << 5));
      store<u32>(homes + (i << 2), stored == 0 ? room : stored);
    }
    touched ^= touch(homes, n);
    for (let i: usize = 0; i < n; i++) {
      const entry = room + (i << 5);
      const group = load<u32>(entry, 8);
      const k = start + i;
      const found = settle(records, levels, bytes, offsets + (k << 2), entry);
      store<u32>(codes + (k << 2), load<u32>(entry, 20));
      store<u16>(groups + (k << 1), group);
      store<u8>(known + k, found);
    }
  }
  store<u32>(room, touched);
}

/** Notes the first record and slot that may hold the key; where that key is stored, or 0. */
function firstCandidate(levels: usize, records: usize, offset: usize, entry: usize): u32 {
  const hash = load<u64>(entry);
  const tag = tagOf(hash, load<u32>(offset, 4) - load<u32>(offset));
  const level = levels + ((load<u32>(entry, 8) as usize) << 2);
  const end = records + ((load<u32>(level, 4) as usize) << recordShift);
  let record = records + ((load<u32>(level) as usize) << recordShift);
  for (; record < end; record += 1 << recordShift) {
    const at = placedSlotOf(record, hash, tag, 0);
    if (at == 0) continue;
    store<u32>(entry, record as u32, 12);
    store<u32>(entry, at as u32, 16);
    return load<u32>(record, 20) + load<u32>(at, 12);
  }
  store<u32>(entry, 0, 12);
  return 0;
}

/** 0: no such key, 1: it has the code that is noted, 2: it may have it. */
function settle(records: usize, levels: usize, bytes: usize, offset: usize, entry: usize): u32 {
  let record = load<u32>(entry, 12) as usize;
  store<u32>(entry, 0, 20);
  if (record == 0) return 0;
  const hash = load<u64>(entry);
  const from = load<u32>(offset) as usize;
  const length = (load<u32>(offset, 4) as usize) - from;
  const tag = tagOf(hash, length as u32);
  const level = levels + ((load<u32>(entry, 8) as usize) << 2);
  const end = records + ((load<u32>(level, 4) as usize) << recordShift);
  let at = load<u32>(entry, 16) as usize;
  while (record < end) {
    while (at != 0) {
      const stored = (load<u32>(record, 20) + load<u32>(at, 12)) as usize;
      store<u32>(entry, load<u32>(record, 16) + load<u32>(at, 8) - 1, 20);
      if (length >= (lengthMax as usize)) return 2;
      if (sameBytes(stored, bytes + from, length)) return 1;
      at = placedSlotOf(record, hash, tag, at);
    }
    record += 1 << recordShift;
    at = record < end ? placedSlotOf(record, hash, tag, 0) : 0;
  }
  store<u32>(entry, 0, 20);
  return 0;
}

/**
 * As numberIntegers for byte strings. The list of keys of a table is of u32 ordinals
 * of the input; places in its slots are of the input's bytes, until placeStrings. `room`: 2,048 bytes.
 */
export function numberStrings(
  records: usize,
  bytes: usize,
  offsets: usize,
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
      n += ((mine as u32) & ((load<u8>(known + at) == 0) as u32)) as usize;
    }
    for (let i: usize = 0; i < n; i++) {
      const k = load<u32>(which + (i << 2)) as usize;
      const start = load<u32>(offsets + (k << 2)) as usize;
      const hash = hashOfBytes(bytes + start, (load<u32>(offsets + (k << 2), 4) as usize) - start);
      const record = records + ((load<u16>(groups + (k << 1)) as usize) << recordShift);
      store<u64>(room + (i << 3), hash);
      store<u32>(homes + (i << 2), homeOf(record, hash, placedSlot));
    }
    touched ^= touch(homes, n);
    for (let i: usize = 0; i < n; i++) {
      const k = load<u32>(which + (i << 2)) as usize;
      const record = records + ((load<u16>(groups + (k << 1)) as usize) << recordShift);
      const ordinal = numberString(record, load<u64>(room + (i << 3)), bytes, offsets, k);
      store<u32>(codes + (k << 2), load<u32>(record, 16) + ordinal);
    }
  }
  store<u32>(room, touched);
}

function numberString(record: usize, hash: u64, bytes: usize, offsets: usize, k: usize): u32 {
  const from = load<u32>(offsets + (k << 2));
  const length = load<u32>(offsets + (k << 2), 4) - from;
  const wanted = (hash & 0xffffffff) | ((tagOf(hash, length) as u64) << 32);
  const slots = load<u32>(record, 8);
  const start = homeSlot(record, hash);
  let page = homePage(record, hash);
  while (true) {
    const base = pageAt(record, page);
    const end = base + (slots as usize) * placedSlot;
    let at = base + (start as usize) * placedSlot;
    for (let m: u32 = 0; m < slots; m++) {
      const known = load<u32>(at, 8);
      if (known == 0) {
        const next = load<u32>(record, 24);
        store<u64>(at, wanted);
        store<u32>(at, next + 1, 8);
        store<u32>(at, from, 12);
        store<u32>((load<u32>(record, 28) as usize) + ((next as usize) << 2), k as u32);
        store<u32>(record, next + 1, 24);
        return next;
      }
      if (load<u64>(at) == wanted && lengthOf(record, known - 1, offsets) == length) {
        const stored = bytes + (load<u32>(at, 12) as usize);
        if (sameBytes(stored, bytes + (from as usize), length as usize)) return known - 1;
      }
      at += placedSlot;
      if (at == end) at = base;
    }
    page = page + 1 < load<u32>(record, 4) ? page + 1 : 0;
  }
}

/** Of a key that was numbered before: its slot tells no lengths from 65535 on. */
function lengthOf(record: usize, ordinal: u32, offsets: usize): u32 {
  const k = load<u32>((load<u32>(record, 28) as usize) + ((ordinal as usize) << 2)) as usize;
  return load<u32>(offsets + (k << 2), 4) - load<u32>(offsets + (k << 2));
}

function putPlaced(record: usize, hash: u64, tag: u32, ordinal: u32, place: u32): void {
  const slots = load<u32>(record, 8);
  const start = homeSlot(record, hash);
  let page = homePage(record, hash);
  while (true) {
    const base = pageAt(record, page);
    const end = base + (slots as usize) * placedSlot;
    let at = base + (start as usize) * placedSlot;
    for (let m: u32 = 0; m < slots; m++) {
      if (load<u32>(at, 8) == 0) {
        store<u32>(at, hash as u32);
        store<u32>(at, tag, 4);
        store<u32>(at, ordinal, 8);
        store<u32>(at, place, 12);
        return;
      }
      at += placedSlot;
      if (at == end) at = base;
    }
    page = page + 1 < load<u32>(record, 4) ? page + 1 : 0;
  }
}

/** Puts distinct strings, keys of ordinals from `first` on, into a table's pages. */
export function buildStrings(
  record: usize,
  bytes: usize,
  offsets: usize,
  places: usize,
  count: usize,
  first: u32,
): void {
  for (let i: usize = 0; i < count; i++) {
    const from = load<u32>(offsets + (i << 2));
    const length = load<u32>(offsets + (i << 2), 4) - from;
    const hash = hashOfBytes(bytes + (from as usize), length as usize);
    putPlaced(
      record,
      hash,
      tagOf(hash, length),
      first + (i as u32) + 1,
      load<u32>(places + (i << 2)),
    );
  }
}

/** Gives every slot the place of its key, by ordinal. */
export function placeStrings(record: usize, places: usize): void {
  const slots = load<u32>(record, 8);
  for (let page: u32 = 0; page < load<u32>(record, 4); page++) {
    let at = pageAt(record, page);
    const end = at + (slots as usize) * placedSlot;
    for (; at < end; at += placedSlot) {
      const ordinal = load<u32>(at, 8);
      if (ordinal != 0) store<u32>(at, load<u32>(places + (((ordinal as usize) - 1) << 2)), 12);
    }
  }
}
