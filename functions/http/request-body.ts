// The body of a request as it arrives: decompressed, never buffered whole, and never taken as ended
// when the client was cut off.

import { once } from 'node:events';
import { createBrotliDecompress, createGunzip, createInflate, type Gunzip } from 'node:zlib';
import { MusterError } from '../../base/errors.ts';
import { type Exchange, headerOf } from './exchange.ts';

/** Statements other than INSERT are read whole; a longer one is refused. */
export const statementBytesMax = 1024 * 1024;

/** Chunks of the decompressed body. Leaving the loop early leaves the connection usable. */
export function requestBody(exchange: Exchange): AsyncGenerator<Uint8Array> {
  const encoding = headerOf(exchange.headers, 'content-encoding')?.toLowerCase() ?? 'identity';
  const raw = exchange.body();
  switch (encoding) {
    case 'identity':
    case '':
      return raw;
    case 'gzip':
    case 'x-gzip':
      return decompressed(raw, createGunzip());
    case 'deflate':
      return decompressed(raw, createInflate());
    case 'br':
      return decompressed(raw, createBrotliDecompress());
    default:
      throw new MusterError(
        'NOT_IMPLEMENTED',
        `Content-Encoding ${encoding} is not supported: use gzip, deflate or br`,
      );
  }
}

async function* decompressed(
  chunks: AsyncGenerator<Uint8Array>,
  inflater: Gunzip,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  const pump = (async () => {
    try {
      for await (const chunk of chunks) {
        if (inflater.destroyed) return;
        if (!inflater.write(chunk)) {
          await Promise.race([once(inflater, 'drain'), once(inflater, 'close')]);
        }
      }
      inflater.end();
    } catch (error) {
      failure ??= error;
      inflater.destroy(error instanceof Error ? error : undefined);
    }
  })();
  try {
    for await (const chunk of inflater) yield chunk;
  } catch (cause) {
    if (failure instanceof MusterError) throw failure;
    throw new MusterError('INCORRECT_DATA', 'The compressed body is damaged or cut off', { cause });
  } finally {
    inflater.destroy();
    await pump;
  }
}

/** The chunks joined; QUERY_IS_TOO_LARGE (413) beyond `bytesMax`. */
export async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer> {
  const gathered: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    gathered.push(chunk);
  }
  return gathered.length === 1 ? Buffer.from(gathered[0] as Uint8Array) : Buffer.concat(gathered);
}

export function tooLarge(bytesMax: number): MusterError {
  return new MusterError(
    'QUERY_IS_TOO_LARGE',
    `The statement is longer than ${bytesMax} bytes; only INSERT data may be`,
  );
}
