// The messages of an Arrow stream or file, passed on one by one when what they say of themselves has
// been checked (arrow-metadata.ts). A file is the stream that follows its first 8 bytes; it must come to
// the stream's end, so that one that was cut off between two batches is not taken for whole.
//
//   messages: [u32 ffffffff] | u32 length of metadata | metadata | body, until a length of 0

import { ByteStream } from './byte-stream.ts';
import { type ArrowShape, checkArrowMessage, notArrow } from './arrow-metadata.ts';

const magic = 'ARROW1\0\0';
const continuation = 0xffff_ffff;
const metadataBytesMax = 64 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
/** Of one batch, unpacked. */
const unpackedBytesMax = 2 ** 31;

/** INCORRECT_DATA; CANNOT_READ_ALL_DATA where bytes are missing. */
export async function* arrowMessages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new ByteStream(bytes);
  const isFile = await input.startsWith(magic);
  if (isFile) await input.skip(magic.length);
  let shape: ArrowShape | undefined;
  let goesOn = true;
  while (goesOn) {
    const head = await messageHead(input);
    const length = head.readUInt32LE(head.length - 4);
    if (length === 0) return yield head;
    if (length > metadataBytesMax) throw notArrow(`metadata of ${length} bytes`);
    const metadata = await input.take(length);
    const message = checkArrowMessage(metadata, shape);
    shape ??= message.shape;
    yield Buffer.concat([head, metadata]);
    if (message.packedAt.length > 0) {
      yield checkPacked(await input.take(message.bodyBytes), message.packedAt);
    } else {
      yield* bodyPieces(input, message.bodyBytes);
    }
    goesOn = isFile || (await input.hasMore());
  }
}

async function messageHead(input: ByteStream): Promise<Buffer> {
  const word = await input.take(4);
  if (word.readUInt32LE() !== continuation) return word;
  return Buffer.concat([word, await input.take(4)]);
}

async function* bodyPieces(input: ByteStream, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const piece = await input.takeSome(Math.min(left, pieceBytes));
    left -= piece.length;
    yield piece;
  }
}

/** Packed buffers begin with their length when unpacked; -1: they are not packed. */
function checkPacked(body: Buffer, starts: readonly number[]): Buffer {
  let total = 0;
  for (const start of starts) {
    const length = Number(body.readBigInt64LE(start));
    if (length < -1) throw notArrow(`a buffer of ${length} bytes`);
    total += Math.max(length, 0);
  }
  if (total > unpackedBytesMax) throw notArrow(`a batch of ${total} bytes`);
  return body;
}
