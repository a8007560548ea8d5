// zstd's frames, one after another: cut at their ends without being unpacked, bounded by the number of
// their blocks, then unpacked each as a whole.
//
//   u32 fd2fb528 | u8 descriptor | [u8 window] | [dictionary 1, 2, 4] | [content size 1, 2, 4, 8]
//   blocks: u24 (last : 1, type : 2, size : 21) | bytes (1 where the type is 1), until the last | [u32 check]

import { MusterError } from '../../base/errors.ts';
import { unpackZstdFrame } from '../formats/parquet/parquet-file.ts';
import { ByteStream } from './byte-stream.ts';

const magic = 0xfd2fb528;
const skippableMagic = 0x184d2a5;
const blockBytesMax = 128 * 1024;
/** Of one frame, unpacked. */
const frameBytesMax = 1024 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

export async function* zstdFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new ByteStream(bytes);
  while (await input.hasMore()) {
    const start = await input.take(4);
    const word = start.readUInt32LE();
    if (word >>> 4 === skippableMagic) {
      await input.skip((await input.take(4)).readUInt32LE());
      continue;
    }
    if (word !== magic) throw bad('it does not begin as one');
    const unpacked = unpack(await restOfFrame(input, start));
    for (let at = 0; at < unpacked.length; at += pieceBytes) {
      yield unpacked.subarray(at, at + pieceBytes);
    }
  }
}

async function restOfFrame(input: ByteStream, start: Buffer): Promise<Buffer> {
  const descriptor = await input.take(1);
  const flags = descriptor[0] as number;
  const pieces = [start, descriptor, await input.take(headerBytes(flags))];
  let blocks = 0;
  for (;;) {
    const header = await input.take(3);
    const word = header.readUIntLE(0, 3);
    const type = (word >>> 1) & 3;
    const size = type === 1 ? 1 : word >>> 3;
    // A block of type 1 is one byte, repeated: it still is at most a block when unpacked.
    if (type === 3 || word >>> 3 > blockBytesMax) throw bad('a block of no known kind');
    if (++blocks * blockBytesMax > frameBytesMax) throw bad(`more than ${frameBytesMax} bytes`);
    pieces.push(header, await input.take(size));
    if ((word & 1) === 1) break;
  }
  if ((flags & 4) !== 0) pieces.push(await input.take(4));
  return Buffer.concat(pieces);
}

/** What follows the descriptor: window, dictionary, content size. */
function headerBytes(flags: number): number {
  const isSingle = (flags & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][flags & 3] as number;
  const content = [isSingle ? 1 : 0, 2, 4, 8][flags >>> 6] as number;
  return (isSingle ? 0 : 1) + dictionary + content;
}

/** One whole frame that is in memory. */
export function unpackBoundedZstdFrame(frame: Buffer): Uint8Array {
  if (frame.length < 5 || frame.readUInt32LE() !== magic) throw bad('it does not begin as one');
  let at = 5 + headerBytes(frame[4] as number);
  for (let blocks = 1; ; blocks++) {
    if (at + 3 > frame.length) throw bad('it ends early');
    const word = frame.readUIntLE(at, 3);
    if (word >>> 3 > blockBytesMax) throw bad('a block of no known kind');
    if (blocks * blockBytesMax > frameBytesMax) throw bad(`more than ${frameBytesMax} bytes`);
    at += 3 + (((word >>> 1) & 3) === 1 ? 1 : word >>> 3);
    if ((word & 1) === 1) return unpack(frame);
  }
}

function unpack(frame: Buffer): Uint8Array {
  try {
    return unpackZstdFrame(frame);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MusterError('INCORRECT_DATA', `not a zstd frame: ${why}`, { cause });
  }
}

function bad(why: string): MusterError {
  return new MusterError('INCORRECT_DATA', `not a zstd frame: ${why}`);
}
