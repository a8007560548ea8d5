// Compression of answers: what the client accepts and the server speaks.

import { pipeline } from 'node:stream/promises';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import type { Reply } from './exchange.ts';

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

/** A reply whose chunks are compressed on their way; its head says so already. */
export function compressedReply(encoding: AnswerEncoding, reply: Reply): Reply {
  const compressor =
    encoding === 'br'
      ? createBrotliCompress(brotli)
      : encoding === 'gzip'
        ? createGzip({ level })
        : createDeflate({ level });
  const handOn = pipeline(compressor, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      // A client that is gone takes nothing any more: whoever waits for room must learn it.
      if (reply.closed) break;
      await reply.write(chunk);
    }
  });
  // Its only failure is that it is no longer wanted.
  const handedOn = handOn.catch(() => undefined);
  const compress = (chunk: Uint8Array): Promise<void> => {
    if (compressor.destroyed) return Promise.resolve();
    const written = new Promise<void>((resolve) => compressor.write(chunk, () => resolve()));
    return Promise.race([written, handedOn]);
  };
  const finish = async (): Promise<void> => {
    compressor.end();
    await handedOn;
  };
  return {
    get begun() {
      return reply.begun;
    },
    get closed() {
      return reply.closed;
    },
    head: (status, headers) => reply.head(status, headers),
    write: compress,
    end: async (chunk) => {
      if (chunk !== undefined) await compress(chunk);
      await finish();
      await reply.end();
    },
    breakOff: async () => {
      await finish();
      await reply.breakOff();
    },
  };
}
