// Bytes through one of zlib's streams, as they come: for rows that lie packed in files and objects.

import { pipeline, Readable } from 'node:stream';
import type { Gunzip, InflateRaw } from 'node:zlib';

/** Throws what the chunks throw, and zlib's error for what is damaged or cut off. */
export async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  unpacker: Gunzip | InflateRaw,
): AsyncGenerator<Uint8Array> {
  // What goes wrong is told by the loop.
  pipeline(Readable.from(chunks), unpacker, () => undefined);
  for await (const chunk of unpacker) yield chunk as Uint8Array;
}
