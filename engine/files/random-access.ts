// Bytes that can be read anywhere: what formats with a footer need of a file, wherever it is.

import type { ByteRange } from '../../base/byte-range.ts';

export interface RandomAccess {
  /** Of the whole file. */
  readonly bytes: number;
  /** Exactly these bytes, in memory that nobody else writes to. The range lies inside the file. */
  read(range: ByteRange): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Bytes that are in memory already. */
export function inMemory(bytes: Uint8Array): RandomAccess {
  return {
    bytes: bytes.length,
    read: async ({ start, end }) => bytes.slice(start, end),
    close: async () => {},
  };
}
