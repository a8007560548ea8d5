// What pairs of a few sets share, all pairs at once, page by page (65,536 codes): a page of every set is
// laid out in kernel memory once, as bits, and as a list where few are there; then each pair costs some
// nanoseconds where they are small, and half a microsecond where both are full. Sets one by one would
// be merged, or put into a bitmap, for every pair anew (bench/kernels-bench). Who counts goes through
// `pages`; between two calls anything may be done, but `open` must be called again after a pause.

import { type KernelMemory, scratchKernels } from '../kernels/kernel-memory.ts';
import { setBytes, setCardinality, setMax, setMin } from './bitmap.ts';
import { lowerBound } from './code-arrays.ts';
import { pageBytes } from './hot-bits.ts';
import { type PortableHeader, readPortableHeader } from './portable-roaring.ts';
import type { CodeSet } from './set-column.ts';

const pageCodes = 65536;
/** To lay a set out costs as much as a few of its pairs. */
const pairsPerSetMin = 2;
/** Below so many members of a set in a page, mean of all, a page costs more than pairs one by one. */
const membersPerPageMin = 8;
/** Laid out at a time: kernel memory never shrinks. */
const layoutBytesMax = 16 * 1024 * 1024;
/** Copies of large sets, while they are counted. */
const copiesBytesMax = 64 * 1024 * 1024;
const pairsPerCall = 4096;
/** Of a container; above, roaring has bits. */
const arrayCardinalityMax = 4096;

/** Flat codes are put into bits so many at a time. */
const stagedCodes = 2048;

interface PageBytes {
  readonly header: PortableHeader;
  readonly bytes: Uint8Array;
}

/** A set's codes: sorted, or as the bytes of a bitmap. */
type Copy = { readonly codes: Uint32Array } | PageBytes;

export class PairPages {
  /** Pages in which anybody is. */
  readonly pages: readonly number[];
  /** Members of both sets of each pair, in the pages counted so far. */
  readonly counts: Float64Array;
  readonly #pairs: Uint32Array;
  readonly #copies: readonly Copy[];
  readonly #bounds: Bounds;
  readonly #stagingBytes: number;
  #open = { room: 0, first: 0, bytes: 0 };

  private constructor(sets: readonly CodeSet[], pairs: Uint32Array, bounds: Bounds) {
    this.#pairs = pairs;
    this.#copies = sets.map(copyOf);
    this.#bounds = bounds;
    this.#stagingBytes = Math.max(4 * stagedCodes, ...this.#copies.map(stagedBytes));
    this.counts = new Float64Array(pairs.length / 2);
    this.pages = pagesOf(bounds);
  }

  /**
   * `pairs`: numbers of two sets each. Undefined where to go through the pairs one by one is quicker, or
   * sets are too many or too large to be laid out.
   */
  static of(sets: readonly CodeSet[], pairs: Uint32Array): PairPages | undefined {
    if (pairs.length / 2 < pairsPerSetMin * sets.length) return undefined;
    const bounds = boundsOf(sets);
    const pages = pagesOf(bounds).length;
    if (bounds.members < membersPerPageMin * sets.length * pages) return undefined;
    const width = pages > 1 ? pageBytes : bytesBelow(((bounds.end - 1) % pageCodes) + 1);
    const isTooMuch = sets.length * (width + 16) > layoutBytesMax;
    return isTooMuch || bounds.bytes > copiesBytesMax
      ? undefined
      : new PairPages(sets, pairs, bounds);
  }

  /** Numbers of pairs that one call of `count` takes. */
  *portions(): Iterable<{ readonly start: number; readonly end: number }> {
    for (let start = 0; start < this.counts.length; start += pairsPerCall) {
      yield { start, end: Math.min(this.counts.length, start + pairsPerCall) };
    }
  }

  /** Lays a page out. */
  open(page: number): void {
    const kernels = scratchKernels();
    const { start, end } = this.#bounds;
    const first = Math.max(0, 16 * Math.floor((start - page * pageCodes) / 128));
    const bytes = Math.min(pageBytes, bytesBelow(end - page * pageCodes));
    const listBytes = 16 * Math.ceil(bytes / 128);
    const sets = this.#copies.length;
    const fixedBytes = 12 * pairsPerCall + 16 * sets;
    const stagingAt = fixedBytes + sets * (bytes + listBytes);
    const room = kernels.scratch(stagingAt + this.#stagingBytes);
    const layout = { kernels, memory: kernels.u8(0, room + stagingAt), page, bytes };
    const staging = room + stagingAt;
    const directory = new Uint32Array(4 * sets);
    let bits = room + fixedBytes;
    for (const [i, copy] of this.#copies.entries()) {
      const place = { bits, list: bits + bytes, staging };
      const listed = 'codes' in copy ? putCodes(copy, place, layout) : putPage(copy, place, layout);
      if (listed === undefined) continue;
      directory.set([bits, listed === 0 ? 0 : place.list, listed], 4 * i);
      bits += bytes + listBytes;
    }
    kernels.u32(room + 12 * pairsPerCall, directory.length).set(directory);
    this.#open = { room, first, bytes };
  }

  /** Counts pairs [start, end), at most a portion, in the page that is open. */
  count({ start, end }: { readonly start: number; readonly end: number }): void {
    const kernels = scratchKernels();
    const { room, first, bytes } = this.#open;
    const many = end - start;
    const [outAt, directory] = [room + 8 * pairsPerCall, room + 12 * pairsPerCall];
    const out = kernels.u32(outAt, many).fill(0);
    kernels.u32(room, 2 * many).set(this.#pairs.subarray(2 * start, 2 * end));
    kernels.calls.countPairs(room, many, directory, first, bytes, outAt);
    for (let i = 0; i < many; i++) this.counts[start + i]! += out[i]!;
  }
}

interface Bounds {
  readonly start: number;
  /** 0 where nobody is in any of the sets. */
  readonly end: number;
  readonly members: number;
  /** Of large ones. */
  readonly bytes: number;
}

function boundsOf(sets: readonly CodeSet[]): Bounds {
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  let members = 0;
  let bytes = 0;
  for (const set of sets) {
    start = Math.min(start, setMin(set) ?? start);
    end = Math.max(end, (setMax(set) ?? -1) + 1);
    members += setCardinality(set);
    if (!(set instanceof Uint32Array)) bytes += setBytes(set);
  }
  return { start, end, members, bytes };
}

function pagesOf({ start, end }: Bounds): readonly number[] {
  if (end === 0) return [];
  const first = Math.floor(start / pageCodes);
  return Array.from({ length: Math.ceil(end / pageCodes) - first }, (_, i) => first + i);
}

/** Of bits of so many codes, whole vectors. */
function bytesBelow(codes: number): number {
  return 16 * Math.ceil(codes / 128);
}

function copyOf(set: CodeSet): Copy {
  if (set instanceof Uint32Array) return { codes: set };
  const bytes = set.serialize('portable');
  return { header: readPortableHeader(bytes), bytes };
}

/** Room that its largest container takes, with what tells the kernel about it. */
function stagedBytes(copy: Copy): number {
  if ('codes' in copy) return 0;
  const { starts } = copy.header;
  let most = 0;
  for (let i = 1; i < starts.length; i++) most = Math.max(most, starts[i]! - starts[i - 1]!);
  return 16 + most;
}

interface Layout {
  readonly kernels: KernelMemory;
  readonly memory: Uint8Array;
  readonly page: number;
  /** Of bits. */
  readonly bytes: number;
}

/** Addresses for one set. */
interface Place {
  readonly bits: number;
  readonly list: number;
  readonly staging: number;
}

/** As putPage. */
function putCodes(
  { codes }: { readonly codes: Uint32Array },
  { bits, list, staging }: Place,
  { kernels, page, bytes }: Layout,
): number | undefined {
  const start = lowerBound(codes, page * pageCodes);
  const end = lowerBound(codes, (page + 1) * pageCodes);
  if (start === end) return undefined;
  kernels.calls.clearBytes(bits, bytes);
  for (let at = start; at < end; at += stagedCodes) {
    const some = codes.subarray(at, Math.min(end, at + stagedCodes));
    kernels.u32(staging, some.length).set(some);
    // The page's first code is bit 0: addresses wrap around as codes do.
    kernels.calls.orCodes(staging, some.length, (bits - page * pageBytes) | 0);
  }
  if (end - start > listMax(bytes)) return 0;
  const out = kernels.u16(list, end - start);
  for (let i = 0; i < out.length; i++) out[i] = codes[start + i]! & 0xffff;
  return out.length;
}

/** How many codes are listed, 0 for too many; undefined where the set has nobody in the page. */
function putPage(
  { header, bytes: from }: PageBytes,
  { bits, list, staging }: Place,
  { kernels, memory, page, bytes }: Layout,
): number | undefined {
  const at = containerOf(header.keys, page);
  if (at === undefined) return undefined;
  const [start, end] = [header.starts[at]!, header.starts[at + 1]!];
  const [many, isRun] = [header.cardinalities[at]!, header.isRun[at]!];
  if (isRun === 0 && many > arrayCardinalityMax) {
    memory.set(from.subarray(start, start + bytes), bits);
    return 0;
  }
  kernels.calls.clearBytes(bits, bytes);
  kernels.u32(staging, 4).set([page, many, 0, isRun]);
  kernels.u8(staging + 16, end - start).set(from.subarray(start, end));
  kernels.calls.orContainers(bits, page, staging + 16, staging, 1);
  if (isRun === 1 || many > listMax(bytes)) return 0;
  memory.set(from.subarray(start, end), list);
  return many;
}

/** To look up more codes one by one takes longer than to go through all bits. */
function listMax(bytes: number): number {
  return bytes / 16;
}

function containerOf(keys: Uint16Array, page: number): number | undefined {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < page) low = middle + 1;
    else high = middle;
  }
  return keys[low] === page ? low : undefined;
}
