// The hash index of a large segment, made by WebAssembly (kernels/assembly/integer-pages.ts) in steps of
// some milliseconds. hash-table.ts is its naive twin, and makes those of small segments.

import { type HeapBlock, type KernelHeap, threadHeap } from '../kernels/kernel-heap.ts';
import { joinedCrc } from './crc-join.ts';
import { crc32c, crcTables } from './crc32c.ts';
import type { KeyPlaces, TableShape } from './hash-table.ts';
import type { PackedKeys } from './packed-keys.ts';

/** Least and greatest high half of keys' hashes. */
export interface HashBounds {
  readonly hashMin: number;
  readonly hashMax: number;
}

/** Pages that kernels have put all keys into. */
export interface PreparedPages {
  readonly block: HeapBlock;
  /** Told where they have their trailers; absent: neither these nor places of strings. */
  readonly sealed: HashBounds | undefined;
}

interface PagesRequest {
  readonly shape: TableShape;
  readonly keys: BigUint64Array | PackedKeys;
  /** Of strings and UUIDs. */
  readonly places: KeyPlaces | undefined;
  /** They are finished where they are. */
  readonly prepared: PreparedPages | undefined;
}

interface HashedPages extends HashBounds {
  /** Those that were sealed before lie where they lay. */
  readonly pages: Uint8Array;
  /** Of all pages. */
  readonly checksum: number;
}

const stepKeys = 131_072;
const stepPages = 2_048;
const roomBytes = 8192;
const clearStep = 16 * 1024 * 1024;

/** Yields between steps. */
export function* makePages(request: PagesRequest): Generator<void, HashedPages> {
  const heap = threadHeap();
  const { prepared, shape } = request;
  if (prepared?.sealed !== undefined && prepared.block.isOpenIn(heap)) {
    const pages = heap.memory.u8(prepared.block.at, shape.pages * shape.pageBytes);
    return { pages, ...prepared.sealed, checksum: yield* checksumInSteps(pages, shape) };
  }
  const taken: number[] = [];
  const take = (bytes: number): number => {
    const at = heap.take(bytes);
    taken.push(at);
    return at;
  };
  try {
    return yield* fillPages(heap, take, request);
  } finally {
    for (const at of taken) heap.give(at);
  }
}

interface PagesWork {
  readonly heap: KernelHeap;
  /** Of the table that is filled. */
  readonly record: number;
  readonly room: number;
  readonly step: number;
  readonly hashes: number;
  /** Whether keys are to be put in. */
  readonly build: boolean;
}

function* fillPages(
  heap: KernelHeap,
  take: (bytes: number) => number,
  request: PagesRequest,
): Generator<void, HashedPages> {
  const { shape, keys, places } = request;
  const { memory } = heap;
  const pageBytes = shape.pages * shape.pageBytes;
  const prepared = request.prepared?.block;
  const ready = prepared?.isOpenIn(heap) === true ? prepared : undefined;
  const pages = ready?.at ?? take(pageBytes);
  const record = take(32);
  memory.u32(record, 8).set([pages, shape.pages, shape.slots, shape.pageBytes, 0, 0, 0, 0]);
  const held = ready === undefined ? 0 : pageBytes;
  for (let at = held; at < pageBytes; at += clearStep) {
    memory.calls.clearBytes(pages + at, Math.min(clearStep, pageBytes - at));
    yield;
  }
  const [room, step, hashes] = [take(roomBytes), take(8 * stepKeys), take(8 * stepKeys)];
  const work: PagesWork = { heap, record, room, step, hashes, build: ready === undefined };
  const count = keys instanceof BigUint64Array ? keys.length : keys.offsets.length - 1;
  let hashMin = 0xffff_ffff;
  let hashMax = 0;
  for (let start = 0; start < count; start += stepKeys) {
    const n = Math.min(stepKeys, count - start);
    if (keys instanceof BigUint64Array) putIntegers(work, { keys, start, n });
    else putStrings(work, request, { keys, start, n });
    const halves = memory.u32(hashes, 2 * n);
    for (let i = 1; i < 2 * n; i += 2) {
      const high = halves[i]!;
      if (high < hashMin) hashMin = high;
      if (high > hashMax) hashMax = high;
    }
    yield;
  }
  if (ready !== undefined && places !== undefined) {
    const placed = take(4 * count);
    memory.u32(placed, count).set(places.at);
    memory.calls.placeStrings(record, placed);
    yield;
  }
  const tables = take(4 * crcTables.length);
  memory.u32(tables, crcTables.length).set(crcTables);
  const out = new Uint8Array(pageBytes);
  let checksum = 0;
  for (let page = 0; page < shape.pages; page += stepPages) {
    const end = Math.min(page + stepPages, shape.pages);
    memory.calls.sealPages(record, page, end, count, tables);
    const from = page * shape.pageBytes;
    const sealed = memory.u8(pages + from, (end - page) * shape.pageBytes);
    out.set(sealed, from);
    checksum = checksumOfPages(sealed, shape.pageBytes, checksum);
    yield;
  }
  return { pages: out, checksum, hashMin, hashMax };
}

function* checksumInSteps(pages: Uint8Array, { pageBytes }: TableShape): Generator<void, number> {
  let checksum = 0;
  for (let from = 0; from < pages.length; from += stepPages * pageBytes) {
    const some = pages.subarray(from, from + stepPages * pageBytes);
    checksum = checksumOfPages(some, pageBytes, checksum);
    yield;
  }
  return checksum;
}

/** Of everything before and of sealed pages: each tells the checksum of all but its last four bytes. */
function checksumOfPages(pages: Uint8Array, pageBytes: number, before: number): number {
  let checksum = before;
  for (let end = pageBytes; end <= pages.length; end += pageBytes) {
    const told = pages.subarray(end - 4, end);
    const own = told[0]! | (told[1]! << 8) | (told[2]! << 16) | (told[3]! << 24);
    checksum = joinedCrc(checksum, crc32c(told, own >>> 0), pageBytes);
  }
  return checksum;
}

interface KeyStep<K> {
  readonly keys: K;
  readonly start: number;
  readonly n: number;
}

function putIntegers(
  { heap, record, room, step, hashes, build }: PagesWork,
  { keys, start, n }: KeyStep<BigUint64Array>,
): void {
  const { memory } = heap;
  memory.u64(step, n).set(keys.subarray(start, start + n));
  memory.calls.hashIntegers(step, n, hashes);
  if (build) memory.calls.buildIntegers(record, step, n, start, room);
}

function putStrings(
  { heap, record, step, hashes, build }: PagesWork,
  { places }: PagesRequest,
  { keys, start, n }: KeyStep<PackedKeys>,
): void {
  const { memory } = heap;
  const first = keys.offsets[start]!;
  const end = keys.offsets[start + n]!;
  const bytes = heap.take(end - first);
  memory.u8(bytes, end - first).set(keys.bytes.subarray(first, end));
  const offsets = memory.u32(step, n + 1);
  for (let i = 0; i <= n; i++) offsets[i] = keys.offsets[start + i]! - first;
  memory.calls.hashStrings(bytes, step, n, hashes);
  if (build && places !== undefined) {
    const placed = heap.take(4 * n);
    memory.u32(placed, n).set(places.at.subarray(start, start + n));
    memory.calls.buildStrings(record, bytes, step, placed, n, start);
    heap.give(placed);
  }
  heap.give(bytes);
}
