// Compression of answers: what the client accepts and the server speaks.

import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateSync,
  gzipSync,
} from 'node:zlib';

export type AnswerEncoding = 'identity' | 'br' | 'gzip' | 'deflate';

/** ClickHouse's default for HTTP: little work per byte. */
const level = 3;
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: level } };

/** Compression is used only where the client asks for it twice: by setting and by header. */
export function chooseEncoding(enabled: boolean, accepted: string | undefined): AnswerEncoding {
  if (!enabled || accepted === undefined) return 'identity';
  const names = accepted
    .split(',')
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim());
  for (const encoding of ['br', 'gzip', 'deflate'] as const) {
    if (names.includes(encoding)) return encoding;
  }
  return 'identity';
}

export function compressedWhole(body: Uint8Array, encoding: AnswerEncoding): Uint8Array {
  if (encoding === 'br') return brotliCompressSync(body, brotli);
  return encoding === 'gzip' ? gzipSync(body, { level }) : deflateSync(body, { level });
}

/** A stream that compresses into `target` and ends it. */
export function compressor(
  encoding: AnswerEncoding,
  target: NodeJS.WritableStream,
): NodeJS.WritableStream {
  const stream =
    encoding === 'br'
      ? createBrotliCompress(brotli)
      : encoding === 'gzip'
        ? createGzip({ level })
        : createDeflate({ level });
  stream.pipe(target);
  // A client that is gone takes nothing any more: whoever waits for room must learn it.
  target.once('close', () => stream.destroy());
  return stream;
}
