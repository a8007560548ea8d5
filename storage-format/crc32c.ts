// CRC32C (Castagnoli, reflected polynomial 0x82f63b78, initial and final XOR all ones), the checksum
// of every extent, index page and part. Slicing by 8: eight table look-ups per eight bytes instead
// of eight dependent ones (about five times a byte-wise loop); long runs go through kernels that fold
// whole vectors and use tables for the little that is left: 4 to 5 times as fast, copies included
// (bench/kernels-bench). The tests hold the naive twin.

import { type KernelMemory, scratchKernels } from '../kernels/kernel-memory.ts';

const polynomial = 0x82f63b78;
const tables = makeTables();

/** 16 x 256 words: row k is the checksum of a byte that k zeros follow. */
export const crcTables: Int32Array = tables;

/**
 * The checksum of `bytes`; with `previous`, of everything before them followed by them:
 * crc32c(b, crc32c(a)) equals crc32c(a + b).
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  return bytes.length < kernelBytesMin ? crcOfFew(bytes, previous) : crcOfMany(bytes, previous);
}

/** Copied in at a time: what the second cache level holds. */
const chunkBytes = 65536;
const kernelBytesMin = 2048;
/** Bytes that a fold leaves, and zeros before what it folds (kernels/assembly/crc-fold.ts). */
const farBytes = 209 * 16;
const nearBytes = 209 * 4;
const slackBytes = 32;

interface Room {
  readonly tables: number;
  readonly chunk: number;
  readonly far: number;
  readonly near: number;
}

let room: Room | undefined;

function reserveRoom(kernels: KernelMemory): Room {
  const words = kernels.reserve(tables.byteLength);
  kernels.u32(words, tables.length).set(tables);
  const [chunk, far, near] = [chunkBytes, 2 * farBytes, farBytes].map(
    (bytes) => kernels.reserve(farBytes + bytes + farBytes + slackBytes) + farBytes,
  );
  return { tables: words, chunk: chunk!, far: far!, near: near! };
}

function crcOfMany(bytes: Uint8Array, previous: number): number {
  const kernels = scratchKernels();
  room ??= reserveRoom(kernels);
  const chunk = kernels.u8(room.chunk, chunkBytes);
  let crc = ~previous;
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const part = bytes.subarray(at, at + chunkBytes);
    chunk.set(part);
    crc = crcOfChunk(crc, part.length, { kernels, room });
  }
  return ~crc >>> 0;
}

/** The register goes into the first bytes: what is folded has none, and ends as what is left of it. */
function crcOfChunk(
  crc: number,
  length: number,
  {
    kernels,
    room: { tables: table, chunk, far, near },
  }: { readonly kernels: KernelMemory; readonly room: Room },
): number {
  const { calls } = kernels;
  if (length < 2 * nearBytes) return calls.crc32c(crc, chunk, length, table);
  const first = kernels.u32(chunk, 1);
  first[0] = first[0]! ^ crc;
  const isLong = length >= 2 * farBytes;
  const left = isLong ? calls.foldFar(chunk, length, far) : length;
  const least = calls.foldNear(isLong ? far : chunk, left, near);
  return calls.crc32c(0, near, least, table);
}

function crcOfFew(bytes: Uint8Array, previous: number): number {
  let crc = ~previous;
  let at = 0;
  const misaligned = (4 - (bytes.byteOffset & 3)) & 3;
  const head = Math.min(misaligned, bytes.length);
  while (at < head) crc = (tables[(crc ^ (bytes[at++] ?? 0)) & 255] ?? 0) ^ (crc >>> 8);
  const words = (bytes.length - at) >>> 3;
  if (words > 0) {
    const view = new Int32Array(bytes.buffer, bytes.byteOffset + at, words * 2);
    crc = crcWords(view, crc);
    at += words * 8;
  }
  while (at < bytes.length) crc = (tables[(crc ^ (bytes[at++] ?? 0)) & 255] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

// One flat table: a single base address for all look-ups.
function crcWords(words: Int32Array, start: number): number {
  const t = tables;
  let crc = start;
  for (let i = 0; i < words.length; i += 2) {
    const low = crc ^ words[i]!;
    const high = words[i + 1]!;
    crc =
      t[1792 + (low & 255)]! ^
      t[1536 + ((low >>> 8) & 255)]! ^
      t[1280 + ((low >>> 16) & 255)]! ^
      t[1024 + (low >>> 24)]! ^
      t[768 + (high & 255)]! ^
      t[512 + ((high >>> 8) & 255)]! ^
      t[256 + ((high >>> 16) & 255)]! ^
      t[high >>> 24]!;
  }
  return crc;
}

function makeTables(): Int32Array {
  const made = new Int32Array(16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256]!;
    made[at] = made[before & 255]! ^ (before >>> 8);
  }
  return made;
}
