// Unions of very many small sets without objects, because setting a bit costs 1 ns where a roaring
// object costs 300. Three ways, by how the codes lie: few for their range are sorted; many set bits
// in one flat bitset; codes so large that it would not fit set bits in pages of one roaring container
// each. The result leaves as flat codes or as portable roaring bytes; nothing here knows roaring.

import { sortedUnion } from './code-sort.ts';
import { popcount } from './portable-roaring.ts';

const pageWords = 2048;
const arrayCardinalityMax = 4096;
// 2^27 codes are 16 MiB of bitset.
const flatCodesMax = 2 ** 27;
// Sorting a code costs about as much as clearing and scanning this many words.
const wordsPerSortedCode = 16;

/** Ascending codes, or the bytes of a portable bitmap. */
type UnionResult = { readonly codes: Uint32Array } | { readonly portable: Uint8Array };

/**
 * The union of arrays of codes (each in any order; sorted ones are faster), `count` codes in all.
 * Above `codesMax` members the result may come as a portable bitmap.
 */
export function unionCodes(
  sets: readonly Uint32Array[],
  count: number,
  codesMax: number,
): UnionResult {
  const max = maxCode(sets);
  const words = (max >>> 5) + 1;
  if (count * wordsPerSortedCode < words) {
    return { codes: sortedUnion(sets, count, max) };
  }
  if (max >= flatCodesMax) return finish(fillPages(sets), codesMax);
  return finish(fillFlat(sets, words), codesMax);
}

function maxCode(sets: readonly Uint32Array[]): number {
  let max = 0;
  for (const set of sets) {
    for (let i = 0; i < set.length; i++) if (set[i]! > max) max = set[i]!;
  }
  return max;
}

interface Page {
  readonly key: number;
  readonly words: Uint32Array;
}

function fillFlat(sets: readonly Uint32Array[], words: number): Page[] {
  const pages = Math.ceil(words / pageWords);
  const bits = new Uint32Array(pages * pageWords);
  for (const set of sets) {
    for (let i = 0; i < set.length; i++) {
      const code = set[i]!;
      bits[code >>> 5]! |= 1 << (code & 31);
    }
  }
  return Array.from({ length: pages }, (_, key) => ({
    key,
    words: bits.subarray(key * pageWords, (key + 1) * pageWords),
  }));
}

function fillPages(sets: readonly Uint32Array[]): Page[] {
  const pages = new Map<number, Uint32Array>();
  let key = -1;
  let page: Uint32Array = new Uint32Array(0);
  for (const set of sets) {
    for (let i = 0; i < set.length; i++) {
      const code = set[i]!;
      if (code >>> 16 !== key) {
        key = code >>> 16;
        page = pages.get(key) ?? new Uint32Array(pageWords);
        pages.set(key, page);
      }
      page[(code >>> 5) & (pageWords - 1)]! |= 1 << (code & 31);
    }
  }
  const found = Array.from(pages, ([foundKey, words]) => ({ key: foundKey, words }));
  return found.sort((a, b) => a.key - b.key);
}

function finish(pages: readonly Page[], codesMax: number): UnionResult {
  const counted = pages
    .map((page) => ({ ...page, count: countBits(page.words) }))
    .filter((page) => page.count > 0);
  const cardinality = counted.reduce((sum, page) => sum + page.count, 0);
  if (cardinality > codesMax) return { portable: pagesToPortable(counted) };
  const codes = new Uint32Array(cardinality);
  let at = 0;
  for (const page of counted) {
    writeBits(codes.subarray(at), page.words, page.key * 65536);
    at += page.count;
  }
  return { codes };
}

function countBits(words: Uint32Array): number {
  let count = 0;
  for (let w = 0; w < words.length; w++) if (words[w] !== 0) count += popcount(words[w]!);
  return count;
}

function pagesToPortable(pages: readonly (Page & { readonly count: number })[]): Uint8Array {
  const header = 8 + 8 * pages.length;
  const bytes = new Uint8Array(
    pages.reduce((sum, page) => sum + containerBytes(page.count), header),
  );
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 12346, true);
  view.setUint32(4, pages.length, true);
  let at = header;
  pages.forEach((page, i) => {
    view.setUint16(8 + 4 * i, page.key, true);
    view.setUint16(10 + 4 * i, page.count - 1, true);
    view.setUint32(8 + 4 * pages.length + 4 * i, at, true);
    if (page.count > arrayCardinalityMax) {
      bytes.set(new Uint8Array(page.words.buffer, page.words.byteOffset, 4 * pageWords), at);
    } else {
      writeBits(new Uint16Array(bytes.buffer, at, page.count), page.words, 0);
    }
    at += containerBytes(page.count);
  });
  return bytes;
}

function containerBytes(count: number): number {
  return count > arrayCardinalityMax ? 4 * pageWords : 2 * count;
}

function writeBits(out: Uint32Array | Uint16Array, words: Uint32Array, base: number): void {
  let n = 0;
  for (let w = 0; w < words.length; w++) {
    for (let word = words[w]!; word !== 0; word &= word - 1) {
      out[n++] = base + w * 32 + 31 - Math.clz32(word & -word);
    }
  }
}
