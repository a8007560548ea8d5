// Unions of very many small sets without objects, because setting a bit costs 1 ns where a roaring
// object costs 300. Three ways, by how the codes lie: few for their range are sorted; many set bits
// in one flat bitset; codes so large that it would not fit set bits in pages of one roaring container
// each. The result leaves as a count, as flat codes or as portable roaring bytes; nothing here knows
// roaring. Bits lie in kernel memory, so that counting and listing them needs no copy.

import { type KernelMemory, scratchKernels } from '../kernels/kernel-memory.ts';
import { sortedUnion } from './code-sort.ts';

const pageBytes = 8192;
/** Room for the codes of a page. */
const spareBytes = 4 * 65536;
const arrayCardinalityMax = 4096;
/** Codes that a kernel gets at a time: what the first cache levels hold of them. */
const chunkCodes = 16_384;
/** Fewer are not worth the copy. */
const kernelCodesMin = 512;
// 2^27 codes are 16 MiB of bitset.
const flatCodesMax = 2 ** 27;
// Sorting a code costs about as much as clearing and scanning this many words.
const wordsPerSortedCode = 16;

/** Runs of codes, each in any order; sorted ones are faster. */
export interface FlatCodes {
  /** Of all runs together, repeats counted. */
  readonly count: number;
  /** The largest. */
  readonly max: number;
  /** Of every run: codes[start, end). */
  visit(take: (codes: Uint32Array, start: number, end: number) => void): void;
}

/** Ascending codes, or the bytes of a portable bitmap. */
export type UnionResult = { readonly codes: Uint32Array } | { readonly portable: Uint8Array };

/** Above `codesMax` members the result may come as a portable bitmap. */
export function unionCodes(flat: FlatCodes, codesMax: number): UnionResult {
  if (isSparse(flat)) return { codes: sortedUnion(flat) };
  return unionOfPages(countedPages(fillPages(flat)), codesMax);
}

/** The codes whose bits are set: bit i % 32 of word i / 32, all below 2^27. Above `codesMax` as above. */
export function codesOfBits(bits: Uint32Array, codesMax: number): UnionResult {
  const pages = Math.ceil((4 * bits.length) / pageBytes);
  const kernels = scratchKernels();
  const start = kernels.scratch(pages * pageBytes + spareBytes);
  const copy = kernels.u32(start, (pages * pageBytes) / 4);
  copy.set(bits);
  copy.fill(0, bits.length);
  return unionOfPages(countedPages(flatPages(kernels, start, pages)), codesMax);
}

function unionOfPages(pages: CountedPages, codesMax: number): UnionResult {
  const cardinality = total(pages);
  if (cardinality > codesMax) return { portable: pagesToPortable(pages) };
  return { codes: pagesToCodes(pages, cardinality) };
}

/** Members of the union: no set is made. */
export function unionCardinality(flat: FlatCodes): number {
  if (isSparse(flat)) return sortedUnion(flat).length;
  return total(countedPages(fillPages(flat)));
}

interface CodeRun {
  readonly codes: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** A bitset that grows with the codes that are put in: for unions of unknown size. */
export class GrowingUnion {
  readonly #kernels = scratchKernels();
  #at = 0;
  #pages = 0;
  #words: Uint32Array = new Uint32Array(0);

  /**
   * Puts codes[start, end) in; false where one is beyond a flat bitset's reach. Nothing else may use
   * scratch memory between the first put and the end.
   */
  put({ codes, start, end }: CodeRun): boolean {
    if (end - start < kernelCodesMin) return this.#putFew(codes, start, end);
    for (let at = start; at < end; at += chunkCodes) {
      if (!this.#putChunk(codes.subarray(at, Math.min(end, at + chunkCodes)))) return false;
    }
    return true;
  }

  #putFew(codes: Uint32Array, start: number, end: number): boolean {
    let most = 0;
    for (let i = start; i < end; i++) if (codes[i]! > most) most = codes[i]!;
    if (!this.#reaches(most)) return false;
    const words = this.#words;
    for (let i = start; i < end; i++) words[codes[i]! >>> 5]! |= 1 << (codes[i]! & 31);
    return true;
  }

  /** Its largest code is found where it was copied to: no pass of its own over memory. */
  #putChunk(chunk: Uint32Array): boolean {
    if (!this.#reaches(0)) return false;
    const { calls } = this.#kernels;
    this.#copy(chunk);
    const most = calls.maxCode(this.#spare, chunk.length) >>> 0;
    if (most >>> 16 >= this.#pages) {
      if (!this.#grow(most)) return false;
      this.#copy(chunk);
    }
    calls.orCodes(this.#spare, chunk.length, this.#at);
    return true;
  }

  #copy(chunk: Uint32Array): void {
    this.#kernels.u32(this.#spare, chunk.length).set(chunk);
  }

  get #spare(): number {
    return this.#at + this.#pages * pageBytes;
  }

  #reaches(code: number): boolean {
    return code >>> 16 < this.#pages || this.#grow(code);
  }

  cardinality(): number {
    return total(countedPages(this.#filled()));
  }

  union(codesMax: number): UnionResult {
    return unionOfPages(countedPages(this.#filled()), codesMax);
  }

  #grow(code: number): boolean {
    if (code >= flatCodesMax) return false;
    const pages = Math.max((code >>> 16) + 1, 2 * this.#pages);
    const held = this.#words.slice();
    this.#at = this.#kernels.scratch(pages * pageBytes + spareBytes);
    const words = this.#kernels.u32(this.#at, (pages * pageBytes) / 4);
    words.set(held);
    words.fill(0, held.length);
    this.#words = words;
    this.#pages = pages;
    return true;
  }

  #filled(): Pages {
    return flatPages(this.#kernels, this.#at, this.#pages);
  }
}

function isSparse({ count, max }: FlatCodes): boolean {
  return count * wordsPerSortedCode < (max >>> 5) + 1;
}

/** Pages of 65,536 codes each, with any bit set or none. */
interface Pages {
  readonly kernels: KernelMemory;
  readonly keys: readonly number[];
  /** Where page i lies in kernel memory; only the last one that was asked for is there. */
  at(i: number): number;
  /** Room for the codes of one page. */
  readonly spare: number;
}

function fillPages(flat: FlatCodes): Pages {
  const kernels = scratchKernels();
  return flat.max >= flatCodesMax ? fillMap(flat, kernels) : fillFlat(flat, kernels);
}

function fillFlat(flat: FlatCodes, kernels: KernelMemory): Pages {
  const pages = (flat.max >>> 16) + 1;
  const start = kernels.scratch(pages * pageBytes + spareBytes);
  const words = kernels.u32(start, (pages * pageBytes) / 4);
  words.fill(0);
  const bits = new Bits(kernels, start, words);
  flat.visit((codes, from, to) => bits.put(codes, from, to));
  return flatPages(kernels, start, pages);
}

/** A flat bitset in kernel memory, with room for codes behind it. */
class Bits {
  readonly #kernels: KernelMemory;
  readonly #at: number;
  readonly #spare: number;
  readonly #words: Uint32Array;

  /** `words` are those at `at`. */
  constructor(kernels: KernelMemory, at: number, words: Uint32Array) {
    this.#kernels = kernels;
    this.#at = at;
    this.#words = words;
    this.#spare = at + words.byteLength;
  }

  /** Sets those of codes[start, end). No object is made for few. */
  put(codes: Uint32Array, start: number, end: number): void {
    if (end - start >= kernelCodesMin) {
      this.#putMany(codes.subarray(start, end));
      return;
    }
    const words = this.#words;
    for (let i = start; i < end; i++) {
      const code = codes[i]!;
      words[code >>> 5]! |= 1 << (code & 31);
    }
  }

  /** Half as long as the loop alone takes, copies included (bench/kernels-bench). */
  #putMany(codes: Uint32Array): void {
    for (let start = 0; start < codes.length; start += chunkCodes) {
      const chunk = codes.subarray(start, start + chunkCodes);
      this.#kernels.u32(this.#spare, chunk.length).set(chunk);
      this.#kernels.calls.orCodes(this.#spare, chunk.length, this.#at);
    }
  }
}

/** Page i at start + i x pageBytes, and room behind the last. */
function flatPages(kernels: KernelMemory, start: number, pages: number): Pages {
  return {
    kernels,
    keys: Array.from({ length: pages }, (_, key) => key),
    at: (i) => start + i * pageBytes,
    spare: start + pages * pageBytes,
  };
}

function fillMap(flat: FlatCodes, kernels: KernelMemory): Pages {
  const pages = new Map<number, Uint32Array>();
  let key = -1;
  let page: Uint32Array = new Uint32Array(0);
  flat.visit((codes, from, to) => {
    for (let i = from; i < to; i++) {
      const code = codes[i]!;
      if (code >>> 16 !== key) {
        key = code >>> 16;
        page = pages.get(key) ?? new Uint32Array(pageBytes / 4);
        pages.set(key, page);
      }
      page[(code >>> 5) & (pageBytes / 4 - 1)]! |= 1 << (code & 31);
    }
  });
  const keys = [...pages.keys()].sort((a, b) => a - b);
  const start = kernels.scratch(pageBytes + spareBytes);
  const at = (i: number) => {
    kernels.u32(start, pageBytes / 4).set(pages.get(keys[i]!)!);
    return start;
  };
  return { kernels, keys, at, spare: start + pageBytes };
}

interface CountedPages extends Pages {
  readonly counts: readonly number[];
}

function countedPages(pages: Pages): CountedPages {
  const { calls } = pages.kernels;
  return { ...pages, counts: pages.keys.map((_, i) => calls.countBits(pages.at(i), pageBytes)) };
}

function total({ counts }: CountedPages): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function pagesToCodes(pages: CountedPages, cardinality: number): Uint32Array {
  const { kernels, keys, counts, spare } = pages;
  const codes = new Uint32Array(cardinality);
  let n = 0;
  counts.forEach((count, i) => {
    if (count === 0) return;
    kernels.calls.bitsToCodes(pages.at(i), pageBytes, keys[i]! * 65536, spare);
    codes.set(kernels.u32(spare, count), n);
    n += count;
  });
  return codes;
}

function pagesToPortable(pages: CountedPages): Uint8Array {
  const { kernels, keys, counts, spare } = pages;
  const containers = counts.filter((count) => count > 0).length;
  const header = 8 + 8 * containers;
  const bytes = new Uint8Array(counts.reduce((sum, count) => sum + containerBytes(count), header));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 12346, true);
  view.setUint32(4, containers, true);
  let at = header;
  let n = 0;
  counts.forEach((count, i) => {
    if (count === 0) return;
    view.setUint16(8 + 4 * n, keys[i]!, true);
    view.setUint16(10 + 4 * n, count - 1, true);
    view.setUint32(8 + 4 * containers + 4 * n++, at, true);
    const page = pages.at(i);
    const isArray = count <= arrayCardinalityMax;
    if (isArray) kernels.calls.bitsToShorts(page, pageBytes, spare);
    bytes.set(kernels.u8(isArray ? spare : page, containerBytes(count)), at);
    at += containerBytes(count);
  });
  return bytes;
}

function containerBytes(count: number): number {
  return count > arrayCardinalityMax ? pageBytes : 2 * count;
}
