// The hash index of a dictionary segment: open addressing inside pages of 4 KiB that are read,
// checked and probed in place, one page for almost every key. And its filter. SPEC.md, "Hash index".
//
//   slot: u32 low half of the hash | u32 high half | u32 ordinal + 1 (0: empty)
//   page: slots, then zeros to its size; a key starts in page floor(low x pages / 2^32) at slot
//   floor((high mod 2^16) x slots / 2^16), goes on slot by slot (around the page's end) to an empty
//   one, and from a full page to the next page

import type { KeyHashes } from './key-list.ts';

export interface TableShape {
  readonly pages: number;
  readonly slots: number;
  readonly pageBytes: number;
}

const slotBytes = 12;
const fullPageBytes = 4096;
const fullPageSlots = 341;
/** Keys per page on average: 3/4 of its slots, so that probes are short and pages rarely full. */
const keysPerPage = 256;

export function tableShape(keys: number): TableShape {
  if (keys > keysPerPage) {
    const pages = Math.ceil(keys / keysPerPage);
    return { pages, slots: fullPageSlots, pageBytes: fullPageBytes };
  }
  const slots = Math.max(2, Math.ceil((keys * 4) / 3)) + 1;
  const bytes = slots * slotBytes;
  return { pages: 1, slots, pageBytes: bytes + (bytes % 8) };
}

/** All pages, one after the other; key i has ordinal i. */
export function buildTable(hashes: KeyHashes, shape: TableShape): Uint8Array {
  const words = new Uint32Array((shape.pages * shape.pageBytes) / 4);
  for (let i = 0; i < hashes.low.length; i++) insert(words, shape, { hashes, i });
  return new Uint8Array(words.buffer);
}

function insert(
  words: Uint32Array,
  shape: TableShape,
  key: { hashes: KeyHashes; i: number },
): void {
  const low = key.hashes.low[key.i]!;
  const high = key.hashes.high[key.i]!;
  const start = startSlot(high, shape.slots);
  for (let page = homePage(low, shape.pages); ; page = page + 1 < shape.pages ? page + 1 : 0) {
    const base = (page * shape.pageBytes) / 4;
    for (let n = 0, slot = start; n < shape.slots; n++) {
      const at = base + 3 * slot;
      if (words[at + 2] === 0) {
        words[at] = low;
        words[at + 1] = high;
        words[at + 2] = key.i + 1;
        return;
      }
      slot = slot + 1 < shape.slots ? slot + 1 : 0;
    }
  }
}

export function homePage(low: number, pages: number): number {
  return Math.floor((low * pages) / 0x1_0000_0000);
}

export function startSlot(high: number, slots: number): number {
  return ((high & 0xffff) * slots) >>> 16;
}

/** Ordinals in one page whose hash is this one; `full`: the next page must be asked as well. */
export function probePage(
  words: Uint32Array,
  slots: number,
  hash: { readonly low: number; readonly high: number },
): { readonly ordinals: readonly number[]; readonly full: boolean } {
  const ordinals: number[] = [];
  let slot = startSlot(hash.high, slots);
  for (let n = 0; n < slots; n++) {
    const at = 3 * slot;
    const ordinal = words[at + 2]!;
    if (ordinal === 0) return { ordinals, full: false };
    if (words[at] === hash.low && words[at + 1] === hash.high) ordinals.push(ordinal - 1);
    slot = slot + 1 < slots ? slot + 1 : 0;
  }
  return { ordinals, full: true };
}

const filterBitsPerKey = 10;
const filterProbes = 6;

/** A Bloom filter over the hashes: bit (low + i x (high | 1)) mod 2^32 mod bits, for i < 6. */
export function buildFilter(hashes: KeyHashes): Uint8Array {
  const bytes = Math.ceil((hashes.low.length * filterBitsPerKey) / 64) * 8;
  const filter = new Uint8Array(bytes);
  for (let k = 0; k < hashes.low.length; k++) {
    const step = hashes.high[k]! | 1;
    for (let i = 0; i < filterProbes; i++) {
      const bit = ((hashes.low[k]! + Math.imul(i, step)) >>> 0) % (8 * bytes);
      filter[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
  return filter;
}

export function filterMayHold(filter: Uint8Array, low: number, high: number): boolean {
  const step = high | 1;
  for (let i = 0; i < filterProbes; i++) {
    const bit = ((low + Math.imul(i, step)) >>> 0) % (8 * filter.length);
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
