// Reads checksummed pieces of a part: from bytes already held, or by ranged reads in which near
// pieces are fetched together. Every piece is checked before anyone decodes it.

import type { ByteRange } from '../base/byte-range.ts';
import { crc32c } from './crc32c.ts';
import { corrupt } from './index-trailer.ts';

/** Reads a range of the part's object. Ranges are relative to the object. */
export type RangeReader = (range: ByteRange) => Promise<Uint8Array>;

/** A run of bytes of a part, made of one or more checksummed pieces. */
export interface WantedBytes {
  /** Relative to the part. */
  readonly at: number;
  readonly pieces: readonly { readonly bytes: number; readonly checksum: number }[];
  /** For errors. */
  readonly name: string;
}

/** A part within its object, and what is already known of it. */
export interface PartBytes {
  readonly key: string;
  /** Of the part within its object. */
  readonly offset: number;
  /** Bytes of the part that the index read brought along, and where they start in the part. */
  readonly held: Uint8Array;
  readonly heldAt: number;
}

/** Pieces with less between them than this are fetched by one read. */
const gapBytesMax = 16 * 1024;
/** A read that joins pieces stays below this, so that reads can run side by side. */
const joinedBytesMax = 8 * 1024 * 1024;

/**
 * The bytes of each wanted run, in the order asked. Reads run concurrently. Throws CORRUPTED_DATA
 * `corrupt part <key>: extent <name>` when a checksum differs or the object is too short.
 */
export async function readExtents(
  part: PartBytes,
  wanted: readonly WantedBytes[],
  read: RangeReader,
): Promise<Uint8Array[]> {
  const runs = wanted.map((want) => ({ start: want.at, end: want.at + lengthOf(want) }));
  const found = await readUnchecked(part, runs, read);
  return wanted.map((want, i) => checkPieces(part.key, want, found[i]!));
}

/** As readExtents, for bytes that carry their own checksum. `runs`: relative to the part. */
export async function readUnchecked(
  part: PartBytes,
  runs: readonly ByteRange[],
  read: RangeReader,
): Promise<Uint8Array[]> {
  const found = runs.map((run) => heldBytes(part, run));
  const missing: Missing[] = [];
  runs.forEach((run, i) => {
    if (found[i] === undefined) missing.push({ i, ...run });
  });
  if (missing.length > 0) await fetchMissing(part, { missing, found, read });
  return found.map((bytes) => bytes!);
}

/** The checked bytes of a run that is held already; undefined when a read is needed. */
export function readHeld(part: PartBytes, want: WantedBytes): Uint8Array | undefined {
  const bytes = heldBytes(part, { start: want.at, end: want.at + lengthOf(want) });
  return bytes === undefined ? undefined : checkPieces(part.key, want, bytes);
}

export function checkPieces(key: string, want: WantedBytes, bytes: Uint8Array): Uint8Array {
  let at = 0;
  for (const piece of want.pieces) {
    if (crc32c(bytes.subarray(at, at + piece.bytes)) !== piece.checksum) {
      corrupt(key, `extent ${want.name}`);
    }
    at += piece.bytes;
  }
  return bytes;
}

function lengthOf(want: WantedBytes): number {
  return want.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
}

interface Missing {
  readonly i: number;
  readonly start: number;
  readonly end: number;
}

function heldBytes(part: PartBytes, run: ByteRange): Uint8Array | undefined {
  const start = run.start - part.heldAt;
  const end = run.end - part.heldAt;
  return start >= 0 && end <= part.held.length ? part.held.subarray(start, end) : undefined;
}

interface Fetch {
  readonly missing: Missing[];
  readonly found: (Uint8Array | undefined)[];
  readonly read: RangeReader;
}

async function fetchMissing(part: PartBytes, fetch: Fetch): Promise<void> {
  const runs: Missing[][] = [];
  let end = -1;
  for (const piece of [...fetch.missing].sort((a, b) => a.start - b.start)) {
    const run = runs.at(-1);
    const near = piece.start - end <= gapBytesMax;
    if (run !== undefined && near && piece.end - run[0]!.start <= joinedBytesMax) run.push(piece);
    else runs.push([piece]);
    end = Math.max(end, piece.end);
  }
  await Promise.all(runs.map((run) => fetchRun(part, run, fetch)));
}

async function fetchRun(part: PartBytes, run: readonly Missing[], fetch: Fetch): Promise<void> {
  const start = run[0]!.start;
  const end = run.reduce((max, piece) => Math.max(max, piece.end), start);
  if (end === start) {
    for (const piece of run) fetch.found[piece.i] = new Uint8Array(0);
    return;
  }
  const range = { start: part.offset + start, end: part.offset + end };
  const bytes = await fetch.read(range);
  if (bytes.length !== end - start) {
    corrupt(part.key, `envelope: ${bytes.length} bytes where ${end - start} were asked for`);
  }
  for (const piece of run) {
    fetch.found[piece.i] = bytes.subarray(piece.start - start, piece.end - start);
  }
}
