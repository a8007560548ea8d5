// LZ4's frame format, read as a stream: block after block, each unpacked into the window of 64 KiB
// behind it. Checksums of blocks and content are stepped over: files of formats with checksums of
// their own are what is packed so, and a bad block fails by itself.
//
//   u32 184d2204 | u8 flags | u8 block size | [u64 content size] | [u32 dictionary] | u8 header check
//   blocks: u32 size (top bit: stored) | bytes | [u32 check], until a size of 0 | [u32 content check]

import { MusterError } from '../../base/errors.ts';
import { ByteStream } from './byte-stream.ts';

const magic = 0x184d2204;
const skippableMagic = 0x184d2a5;
const windowBytes = 64 * 1024;
const blockBytesMax = 4 * 1024 * 1024;
/** A byte of a block says at most so many. */
const expansionMax = 255;
/** Of one frame in memory, unpacked. */
const frameBytesMax = 1024 * 1024 * 1024;

export async function* lz4Frames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new ByteStream(bytes);
  while (await input.hasMore()) {
    const word = (await input.take(4)).readUInt32LE();
    if (word >>> 4 === skippableMagic) {
      await input.skip((await input.take(4)).readUInt32LE());
      continue;
    }
    if (word !== magic) throw bad('it does not begin as one');
    yield* frame(input);
  }
}

async function* frame(input: ByteStream): AsyncGenerator<Uint8Array> {
  const [flags = 0] = await input.take(2);
  if (flags >>> 6 !== 1) throw bad(`version ${flags >>> 6}`);
  const isLinked = (flags & 0x20) === 0;
  const checkBytes = (flags & 0x10) === 0 ? 0 : 4;
  await input.skip(((flags & 8) === 0 ? 0 : 8) + ((flags & 1) === 0 ? 0 : 4) + 1);
  let window = Buffer.alloc(0);
  for (;;) {
    const size = (await input.take(4)).readUInt32LE();
    if (size === 0) break;
    const packedBytes = size & 0x7fff_ffff;
    if (packedBytes > blockBytesMax) throw bad(`a block of ${packedBytes} bytes`);
    const packed = await input.take(packedBytes);
    await input.skip(checkBytes);
    const out = size >>> 31 === 1 ? Buffer.from(packed) : unpackBlock(packed, window);
    if (isLinked) window = Buffer.concat([window, out]).subarray(-windowBytes);
    yield out;
  }
  await input.skip((flags & 4) === 0 ? 0 : 4);
}

/** One whole frame that is in memory. */
export function unpackLz4Frame(packed: Buffer): Buffer {
  if (packed.length < 7 || packed.readUInt32LE() !== magic) throw bad('it does not begin as one');
  const flags = packed[4] as number;
  const isLinked = (flags & 0x20) === 0;
  let at = 7 + ((flags & 8) === 0 ? 0 : 8) + ((flags & 1) === 0 ? 0 : 4);
  let window = Buffer.alloc(0);
  const out: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    if (at + 4 > packed.length) throw bad('it ends early');
    const size = packed.readUInt32LE(at);
    if (size === 0) return Buffer.concat(out);
    const end = at + 4 + (size & 0x7fff_ffff);
    if (end > packed.length) throw bad('it ends early');
    const block = packed.subarray(at + 4, end);
    const unpacked = size >>> 31 === 1 ? block : unpackBlock(block, window);
    if (isLinked) window = Buffer.concat([window, unpacked]).subarray(-windowBytes);
    out.push(unpacked);
    bytes += unpacked.length;
    if (bytes > frameBytesMax) throw bad(`more than ${frameBytesMax} bytes`);
    at = end + ((flags & 0x10) === 0 ? 0 : 4);
  }
}

/** Sequences of literals and copies; `window`: what copies may reach back into. */
function unpackBlock(packed: Buffer, window: Buffer): Buffer {
  const bytesMax = Math.min(blockBytesMax, expansionMax * packed.length);
  const out = Buffer.allocUnsafe(window.length + bytesMax);
  window.copy(out);
  let to = window.length;
  let at = 0;
  const length = (nibble: number): number => {
    let total = nibble;
    if (nibble < 15) return total;
    for (;;) {
      const more = packed[at++];
      if (more === undefined) throw bad('a block ends early');
      total += more;
      if (more < 255) return total;
    }
  };
  while (at < packed.length) {
    const token = packed[at++] as number;
    const literals = length(token >>> 4);
    if (at + literals > packed.length || to + literals > out.length) throw bad('a block too long');
    packed.copy(out, to, at, at + literals);
    at += literals;
    to += literals;
    if (at === packed.length) break;
    if (at + 2 > packed.length) throw bad('a block ends early');
    const distance = packed.readUInt16LE(at);
    at += 2;
    const count = length(token & 15) + 4;
    if (distance === 0 || distance > to || to + count > out.length)
      throw bad('a copy from nowhere');
    for (let i = 0; i < count; i++, to++) out[to] = out[to - distance] as number;
  }
  return out.subarray(window.length, to);
}

function bad(why: string): MusterError {
  return new MusterError('INCORRECT_DATA', `not an LZ4 frame: ${why}`);
}
