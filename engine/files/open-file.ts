// A file that a table function found: read as a stream or anywhere, wherever it lies.

import type { RandomAccess } from './random-access.ts';

export interface FoundFile {
  /** As the virtual column _path says it. */
  readonly path: string;
  /** The last part of the path: _file. */
  readonly name: string;
  /** From its beginning, as often as it is called. */
  stream(): AsyncIterable<Uint8Array>;
  /** Undefined where the place gives streams alone. To be closed. */
  access?(): Promise<RandomAccess>;
}

/** Where a table function writes. Nothing is visible before `finish`. */
export interface FileTarget {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Leaves nothing behind. Never throws. */
  abort(): Promise<void>;
}

/** Pieces of random access as a stream. */
export async function* streamOf(
  open: () => Promise<RandomAccess>,
  pieceBytes = 1024 * 1024,
): AsyncGenerator<Uint8Array> {
  const access = await open();
  try {
    for (let start = 0; start < access.bytes; start += pieceBytes) {
      yield await access.read({ start, end: Math.min(start + pieceBytes, access.bytes) });
    }
  } finally {
    await access.close();
  }
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
