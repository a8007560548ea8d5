// The hash index of a dictionary segment: open addressing inside pages of 4 KiB, each with a checksum
// of its own, so that one page answers for a key without anything else being read, and a whole index is
// probed where it lies. SPEC.md, "Hash index". Many keys at once are put in and found by WebAssembly
// (kernels/assembly/integer-pages.ts), whose naive twin this is.
//
//   integers:       u32 low half of the hash | u32 high half | u32 ordinal + 1 (0: empty)
//   strings, UUIDs: u32 low half | u16 high half mod 2^16 | u16 length of the key (65535: or more)
//                   | u32 ordinal + 1 | u32 place of the key's bytes in the segment
//   page: slots, zeros, trailer: u32 number of the page | u32 keys | u32 0 | u32 CRC32C before it

import { crc32c } from './crc32c.ts';
import type { KeyDomain, KeyHashes } from './key-list.ts';

export interface TableShape {
  readonly pages: number;
  readonly slots: number;
  readonly slotBytes: number;
  readonly pageBytes: number;
}

/** What a slot says about a string or UUID beside its hash. */
export interface KeyPlaces {
  /** From the segment's first byte. */
  readonly at: Uint32Array;
  readonly lengths: Uint32Array;
}

export const lengthMax = 0xffff;
const pageTrailerBytes = 16;
const fullPageBytes = 4096;
/** Keys per page on average: 3/4 of its slots, so that probes are short and pages rarely full. */
const integersPerPage = 256;
const placedPerPage = 191;

export function tableShape(keys: number, domain: KeyDomain): TableShape {
  const slotBytes = domain === 'integer' ? 12 : 16;
  const keysPerPage = domain === 'integer' ? integersPerPage : placedPerPage;
  if (keys > keysPerPage) {
    const slots = Math.floor((fullPageBytes - pageTrailerBytes) / slotBytes);
    return { pages: Math.ceil(keys / keysPerPage), slots, slotBytes, pageBytes: fullPageBytes };
  }
  const slots = Math.max(2, Math.ceil((keys * 4) / 3)) + 1;
  const bytes = slots * slotBytes + pageTrailerBytes;
  return { pages: 1, slots, slotBytes, pageBytes: bytes + (bytes % 8) };
}

/** All pages, one after the other; key i has ordinal i. */
export function buildTable(hashes: KeyHashes, shape: TableShape, places?: KeyPlaces): Uint8Array {
  const words = new Uint32Array((shape.pages * shape.pageBytes) / 4);
  for (let i = 0; i < hashes.low.length; i++) {
    const low = hashes.low[i]!;
    const high = hashes.high[i]!;
    const at = freeSlot(words, shape, { low, high });
    words[at] = low;
    words[at + 1] = places === undefined ? high : tagOf(high, places.lengths[i]!);
    words[at + 2] = i + 1;
    if (places !== undefined) words[at + 3] = places.at[i]!;
  }
  sealPages(words, shape, hashes.low.length);
  return new Uint8Array(words.buffer);
}

/** Second word of a string's slot. */
export function tagOf(high: number, length: number): number {
  return ((high & 0xffff) | (Math.min(length, lengthMax) << 16)) >>> 0;
}

export function homePage(low: number, pages: number): number {
  return Math.floor((low * pages) / 0x1_0000_0000);
}

function startSlot(high: number, slots: number): number {
  return ((high & 0xffff) * slots) >>> 16;
}

interface PageSlots {
  /** Word of each slot that may hold the key. */
  readonly slots: readonly number[];
  /** The next page must be asked as well. */
  readonly full: boolean;
}

/** Slots of one page whose first two words are these. */
export function probePage(
  words: Uint32Array,
  shape: TableShape,
  key: { readonly low: number; readonly tag: number },
): PageSlots {
  const slots: number[] = [];
  const slotWords = shape.slotBytes / 4;
  let slot = startSlot(key.tag, shape.slots);
  for (let n = 0; n < shape.slots; n++) {
    const at = slotWords * slot;
    if (words[at + 2] === 0) return { slots, full: false };
    if (words[at] === key.low && words[at + 1] === key.tag) slots.push(at);
    slot = slot + 1 < shape.slots ? slot + 1 : 0;
  }
  return { slots, full: true };
}

/** Whether a page is undamaged, and the page that was asked for. */
export function pageIsWhole(
  page: Uint8Array,
  expected: { readonly number: number; readonly keys: number },
): boolean {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const trailer = page.length - pageTrailerBytes;
  return (
    trailer >= 0 &&
    view.getUint32(trailer, true) === expected.number &&
    view.getUint32(trailer + 4, true) === expected.keys &&
    view.getUint32(trailer + 12, true) === crc32c(page.subarray(0, page.length - 4))
  );
}

/** Writes the pages' trailers. */
export function sealPages(words: Uint32Array, shape: TableShape, keys: number): void {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  for (let page = 0; page < shape.pages; page++) {
    const start = page * shape.pageBytes;
    const trailer = (start + shape.pageBytes - pageTrailerBytes) / 4;
    words[trailer] = page;
    words[trailer + 1] = keys;
    words[trailer + 3] = crc32c(bytes.subarray(start, start + shape.pageBytes - 4));
  }
}

function freeSlot(
  words: Uint32Array,
  shape: TableShape,
  hash: { readonly low: number; readonly high: number },
): number {
  const slotWords = shape.slotBytes / 4;
  const start = startSlot(hash.high, shape.slots);
  let page = homePage(hash.low, shape.pages);
  for (;;) {
    const base = (page * shape.pageBytes) / 4;
    let slot = start;
    for (let n = 0; n < shape.slots; n++) {
      const at = base + slotWords * slot;
      if (words[at + 2] === 0) return at;
      slot = slot + 1 < shape.slots ? slot + 1 : 0;
    }
    page = page + 1 < shape.pages ? page + 1 : 0;
  }
}
