// Streams of packed files, unpacked: gzip by Node, LZ4's frames by a decoder of blocks, zstd's frames
// one after another. What a frame promises is bounded before memory is asked for.

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MusterError } from '../../base/errors.ts';
import type { Packing } from './file-format.ts';
import { lz4Frames } from './lz4-frames.ts';
import { zstdFrames } from './zstd-frames.ts';

export function unpacked(
  bytes: AsyncIterable<Uint8Array>,
  packing: Packing,
): AsyncIterable<Uint8Array> {
  switch (packing) {
    case 'none':
      return bytes;
    case 'gzip':
      return gunzipped(bytes);
    case 'lz4':
      return lz4Frames(bytes);
    default:
      return zstdFrames(bytes);
  }
}

async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // The error is the reader's to see.
  const out = pipeline(Readable.from(bytes), gunzip, () => {});
  try {
    yield* out as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MusterError('INCORRECT_DATA', `not whole gzip: ${why}`, { cause });
  }
}
