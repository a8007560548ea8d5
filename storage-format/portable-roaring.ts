// The roaring portable format read as bytes: the header walked, the containers checked. Not a bitmap
// (that is bitmap.ts) and not a ClickHouse state (clickhouse-state.ts). CRoaring accepts unsorted
// and overlapping containers and then answers wrongly, so bytes from outside pass `checkPortable`
// first; bytes of ours, under a checksum, pass `readPortableHeader` alone.
//
//   without runs: u32 12346 | u32 n                     | n x (u16 key, u16 cardinality - 1) | n x u32 offset
//   with runs:    u16 12347 | u16 n - 1 | run flags     | n x (u16 key, u16 cardinality - 1) | offsets if n >= 4
//   containers:   array: cardinality x u16 (<= 4096) | bitset: 8192 bytes | runs: u16 m, m x (u16 start, u16 length - 1)

import { MusterError } from '../base/errors.ts';

const cookieWithoutRuns = 12346;
const cookieWithRuns = 12347;
const offsetsFromContainers = 4;
const arrayCardinalityMax = 4096;
const bitsetBytes = 8192;

/** Where everything in a portable bitmap is; positions are relative to its first byte. */
export interface PortableHeader {
  readonly containers: number;
  readonly cardinality: number;
  readonly keys: Uint16Array;
  /** Start of each container and, last, the end of the bitmap. */
  readonly starts: Uint32Array;
  readonly cardinalities: Uint32Array;
  readonly isRun: Uint8Array;
}

/**
 * Walks the header and places every container. Throws INCORRECT_DATA when keys don't ascend, when
 * anything lies outside the bytes, or when offsets disagree with sizes. Reads no container but the
 * counts of runs: cost is by containers, not by members.
 */
export function readPortableHeader(bytes: Uint8Array): PortableHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  need(bytes, 4);
  const cookie = view.getUint32(0, true);
  const withRuns = (cookie & 0xffff) === cookieWithRuns;
  if (!withRuns && cookie !== cookieWithoutRuns) refuse(`unknown cookie ${cookie}`);
  if (!withRuns) need(bytes, 8);
  const containers = withRuns ? (cookie >>> 16) + 1 : view.getUint32(4, true);
  if (containers > 65536) refuse(`${containers} containers`);
  const layout = headerLayout(containers, withRuns);
  need(bytes, layout.start);
  return placeContainers(view, layout);
}

/** Where the parts of a header lie: it is `start` bytes long. */
export function headerLayout(containers: number, withRuns: boolean): HeaderLayout {
  const flagsAt = withRuns ? 4 : 8;
  const keysAt = withRuns ? flagsAt + ((containers + 7) >>> 3) : 8;
  const offsetsAt = keysAt + 4 * containers;
  const withOffsets = !withRuns || containers >= offsetsFromContainers;
  const start = offsetsAt + (withOffsets ? 4 * containers : 0);
  return { containers, withRuns, withOffsets, flagsAt, keysAt, offsetsAt, start };
}

/** Bytes of a container; `runs` counts where it is one of runs. */
export function containerBytesOf(cardinality: number, runs: number | undefined): number {
  if (runs !== undefined) return 2 + 4 * runs;
  return cardinality > arrayCardinalityMax ? bitsetBytes : 2 * cardinality;
}

/** Containers of a bitmap, in the order of their keys. */
export type ContainerList = Pick<PortableHeader, 'keys' | 'cardinalities' | 'isRun'>;

/** Writes the header of a bitmap of these containers, of which each takes `bytes`, into `out`. */
export function writePortableHeader(
  out: Uint8Array,
  list: ContainerList,
  bytes: (container: number) => number,
): void {
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  const containers = list.keys.length;
  const withRuns = list.isRun.includes(1);
  const layout = headerLayout(containers, withRuns);
  if (withRuns) view.setUint32(0, cookieWithRuns + (containers - 1) * 65536, true);
  else {
    view.setUint32(0, cookieWithoutRuns, true);
    view.setUint32(4, containers, true);
  }
  let at = layout.start;
  for (let i = 0; i < containers; i++) {
    if (list.isRun[i]) out[layout.flagsAt + (i >>> 3)]! |= 1 << (i & 7);
    view.setUint16(layout.keysAt + 4 * i, list.keys[i]!, true);
    view.setUint16(layout.keysAt + 4 * i + 2, list.cardinalities[i]! - 1, true);
    if (layout.withOffsets) view.setUint32(layout.offsetsAt + 4 * i, at, true);
    at += bytes(i);
  }
}

/**
 * The strict check for bytes of unknown origin: all of readPortableHeader, every container sorted
 * and unique, counts as promised, runs apart and inside the container, no byte left over. Throws
 * INCORRECT_DATA. Cost: by bytes.
 */
export function checkPortable(bytes: Uint8Array): PortableHeader {
  const header = readPortableHeader(bytes);
  const end = header.starts[header.containers]!;
  if (end !== bytes.length) refuse(`${bytes.length - end} bytes after the bitmap`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < header.containers; i++) checkContainer(view, header, i);
  return header;
}

/** All members in ascending order, for a header of these bytes whose containers were checked. */
export function portableCodes(bytes: Uint8Array, header: PortableHeader): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Uint32Array(header.cardinality);
  let n = 0;
  for (let i = 0; i < header.containers; i++) {
    const base = header.keys[i]! * 65536;
    const at = header.starts[i]!;
    const cardinality = header.cardinalities[i]!;
    if (header.isRun[i]) n = runCodes(view, { at, base, out, n });
    else if (cardinality > arrayCardinalityMax) n = bitsetCodes(view, { at, base, out, n });
    else for (let k = 0; k < cardinality; k++) out[n++] = base + view.getUint16(at + 2 * k, true);
  }
  return out;
}

export interface HeaderLayout {
  readonly containers: number;
  readonly withRuns: boolean;
  readonly withOffsets: boolean;
  readonly flagsAt: number;
  readonly keysAt: number;
  readonly offsetsAt: number;
  readonly start: number;
}

function placeContainers(view: DataView, layout: HeaderLayout): PortableHeader {
  const { containers, keysAt, offsetsAt } = layout;
  const keys = new Uint16Array(containers);
  const starts = new Uint32Array(containers + 1);
  const cardinalities = new Uint32Array(containers);
  const isRun = new Uint8Array(containers);
  let at = layout.start;
  let total = 0;
  for (let i = 0; i < containers; i++) {
    const key = view.getUint16(keysAt + 4 * i, true);
    if (i > 0 && key <= keys[i - 1]!) refuse(`container key ${key} does not ascend`);
    const cardinality = view.getUint16(keysAt + 4 * i + 2, true) + 1;
    const run =
      layout.withRuns && (view.getUint8(layout.flagsAt + (i >>> 3)) & (1 << (i & 7))) !== 0;
    if (layout.withOffsets && view.getUint32(offsetsAt + 4 * i, true) !== at) {
      refuse(`container ${i} is at ${at}, its offset says otherwise`);
    }
    keys[i] = key;
    starts[i] = at;
    cardinalities[i] = cardinality;
    isRun[i] = run ? 1 : 0;
    total += cardinality;
    at += containerBytes(view, { at, cardinality, run });
    if (at > view.byteLength) refuse('container beyond the end');
  }
  starts[containers] = at;
  return { containers, cardinality: total, keys, starts, cardinalities, isRun };
}

function containerBytes(view: DataView, c: { at: number; cardinality: number; run: boolean }) {
  if (!c.run) return containerBytesOf(c.cardinality, undefined);
  if (c.at + 2 > view.byteLength) return refuse('run container beyond the end');
  return containerBytesOf(c.cardinality, view.getUint16(c.at, true));
}

function checkContainer(view: DataView, header: PortableHeader, i: number): void {
  const at = header.starts[i]!;
  const cardinality = header.cardinalities[i]!;
  let counted = cardinality;
  if (header.isRun[i]) counted = countRuns(view, at);
  else if (cardinality > arrayCardinalityMax) counted = countBits(view, at);
  else checkArray(view, at, cardinality);
  if (counted !== cardinality) {
    refuse(`container ${i} holds ${counted} members, its header says ${cardinality}`);
  }
}

function checkArray(view: DataView, at: number, cardinality: number): void {
  let previous = -1;
  for (let k = 0; k < cardinality; k++) {
    const value = view.getUint16(at + 2 * k, true);
    if (value <= previous) refuse(`member ${value} after ${previous} in an array container`);
    previous = value;
  }
}

function countRuns(view: DataView, at: number): number {
  const runs = view.getUint16(at, true);
  if (runs === 0) refuse('run container without runs');
  let previousEnd = -2;
  let counted = 0;
  for (let k = 0; k < runs; k++) {
    const start = view.getUint16(at + 2 + 4 * k, true);
    const length = view.getUint16(at + 4 + 4 * k, true);
    if (start <= previousEnd + 1) refuse(`run at ${start} overlaps or touches the one before`);
    previousEnd = start + length;
    if (previousEnd > 65535) refuse(`run from ${start} passes the end of its container`);
    counted += length + 1;
  }
  return counted;
}

function countBits(view: DataView, at: number): number {
  let counted = 0;
  for (let k = 0; k < bitsetBytes; k += 4) counted += popcount(view.getUint32(at + k, true));
  return counted;
}

export function popcount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

interface Cursor {
  readonly at: number;
  readonly base: number;
  readonly out: Uint32Array;
  readonly n: number;
}

function runCodes(view: DataView, cursor: Cursor): number {
  let n = cursor.n;
  const runs = view.getUint16(cursor.at, true);
  for (let k = 0; k < runs; k++) {
    const start = cursor.base + view.getUint16(cursor.at + 2 + 4 * k, true);
    const length = view.getUint16(cursor.at + 4 + 4 * k, true);
    for (let v = 0; v <= length; v++) cursor.out[n++] = start + v;
  }
  return n;
}

function bitsetCodes(view: DataView, cursor: Cursor): number {
  let n = cursor.n;
  for (let w = 0; w < 2048; w++) {
    let word = view.getUint32(cursor.at + 4 * w, true);
    while (word !== 0) {
      const low = word & -word;
      cursor.out[n++] = cursor.base + w * 32 + (31 - Math.clz32(low));
      word ^= low;
    }
  }
  return n;
}

function need(bytes: Uint8Array, length: number): void {
  if (bytes.length < length) refuse(`${bytes.length} bytes, at least ${length} needed`);
}

function refuse(why: string): never {
  throw new MusterError('INCORRECT_DATA', `not a roaring bitmap in the portable format: ${why}`);
}
