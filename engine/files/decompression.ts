// Text formats in gzip, brotli or zstd, by the name's ending or as a table function was told.

import { PassThrough, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { MusterError } from '../../base/errors.ts';
import { zstdFrames } from '../backfill/zstd-frames.ts';
import type { Compression } from './file-request.ts';

export async function* decompressed(
  bytes: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  if (compression === 'none') {
    yield* bytes;
    return;
  }
  if (compression === 'zstd') {
    yield* zstdFrames(bytes);
    return;
  }
  const unpack = compression === 'gzip' ? zlib.createGunzip() : zlib.createBrotliDecompress();
  const source = Readable.from(bytes);
  source.on('error', (error) => unpack.destroy(error));
  source.pipe(unpack);
  try {
    yield* unpack as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MusterError('INCORRECT_DATA', `Can't unpack ${compression}: ${why}`, { cause });
  } finally {
    source.destroy();
    unpack.destroy();
  }
}

/** What is written to it comes out packed. */
export function packer(compression: Compression): Transform {
  if (compression === 'none') return new PassThrough();
  if (compression === 'gzip') return zlib.createGzip({ level: 3 });
  const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  return compression === 'brotli' ? zlib.createBrotliCompress(quality) : zstd();
}

/** Node has it from version 22.15 on. */
function zstd(): Transform {
  const make = (zlib as Readonly<Record<string, unknown>>)['createZstdCompress'];
  if (typeof make === 'function') return (make as () => Transform)();
  throw new MusterError(
    'NOT_IMPLEMENTED',
    `Packing with zstd needs Node 22.15 or newer, and this is ${process.version}: gzip is there`,
  );
}
