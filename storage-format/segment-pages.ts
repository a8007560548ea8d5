// The hash index of a large segment, made by WebAssembly (kernels/assembly/segment-pages.ts) in steps of
// some milliseconds. hash-table.ts is its naive twin, and makes those of small segments.

import { type KernelHeap, threadHeap } from '../kernels/kernel-heap.ts';
import { crcTables } from './crc32c.ts';
import type { KeyPlaces, TableShape } from './hash-table.ts';
import type { PackedKeys } from './packed-keys.ts';

interface PagesRequest {
  readonly shape: TableShape;
  readonly keys: BigUint64Array | PackedKeys;
  /** Of strings and UUIDs. */
  readonly places: KeyPlaces | undefined;
  /** Pages that hold the keys already, without places and trailers. */
  readonly prepared: Uint8Array | undefined;
}

interface HashedPages {
  readonly pages: Uint8Array;
  /** Least and greatest high half of the keys' hashes. */
  readonly hashMin: number;
  readonly hashMax: number;
}

const stepKeys = 131_072;
const stepPages = 2_048;
const roomBytes = 8192;

/** Yields between steps. */
export function* makePages(request: PagesRequest): Generator<void, HashedPages> {
  const heap = threadHeap();
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

function* fillPages(
  heap: KernelHeap,
  take: (bytes: number) => number,
  { shape, keys, places, prepared }: PagesRequest,
): Generator<void, HashedPages> {
  const { memory } = heap;
  const { calls } = memory;
  const pageBytes = shape.pages * shape.pageBytes;
  const pages = take(pageBytes);
  const record = take(32);
  memory.u32(record, 8).set([pages, shape.pages, shape.slots, shape.pageBytes, 0, 0, 0, 0]);
  if (prepared === undefined) memory.u8(pages, pageBytes).fill(0);
  else memory.u8(pages, pageBytes).set(prepared);
  const room = take(roomBytes);
  const count = keys instanceof BigUint64Array ? keys.length : keys.offsets.length - 1;
  let hashMin = 0xffff_ffff;
  let hashMax = 0;
  const step = take(8 * stepKeys);
  const hashes = take(8 * stepKeys);
  const put = prepared === undefined;
  for (let start = 0; start < count; start += stepKeys) {
    const n = Math.min(stepKeys, count - start);
    if (keys instanceof BigUint64Array) {
      memory.u64(step, n).set(keys.subarray(start, start + n));
      calls.hashIntegers(step, n, hashes);
      if (put) calls.buildIntegers(record, step, n, start, room);
    } else {
      const first = keys.offsets[start]!;
      const bytes = heap.take(keys.offsets[start + n]! - first);
      memory
        .u8(bytes, keys.offsets[start + n]! - first)
        .set(keys.bytes.subarray(first, keys.offsets[start + n]));
      const offsets = memory.u32(step, n + 1);
      for (let i = 0; i <= n; i++) offsets[i] = keys.offsets[start + i]! - first;
      calls.hashStrings(bytes, step, n, hashes);
      if (put && places !== undefined) {
        const placed = heap.take(4 * n);
        memory.u32(placed, n).set(places.at.subarray(start, start + n));
        calls.buildStrings(record, bytes, step, placed, n, start);
        heap.give(placed);
      }
      heap.give(bytes);
    }
    const halves = memory.u32(hashes, 2 * n);
    for (let i = 1; i < 2 * n; i += 2) {
      const high = halves[i]!;
      if (high < hashMin) hashMin = high;
      if (high > hashMax) hashMax = high;
    }
    yield;
  }
  if (!put && places !== undefined) {
    const placed = take(4 * count);
    memory.u32(placed, count).set(places.at);
    calls.placeStrings(record, placed);
    yield;
  }
  const tables = take(4 * crcTables.length);
  memory.u32(tables, crcTables.length).set(crcTables);
  for (let page = 0; page < shape.pages; page += stepPages) {
    calls.sealPages(record, page, Math.min(page + stepPages, shape.pages), count, tables);
    yield;
  }
  return { pages: memory.u8(pages, pageBytes).slice(), hashMin, hashMax };
}
