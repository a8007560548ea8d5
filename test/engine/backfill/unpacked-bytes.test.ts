// Packed streams: whole ones come out, cut ones are refused at every byte, chunked in any way.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { formOfFile, type Packing } from '../../../engine/backfill/file-format.ts';
import { unpacked } from '../../../engine/backfill/unpacked-bytes.ts';

const text = Buffer.from('abcabcabcabcabcabcabcabc, and on it goes. '.repeat(3));

/** One stored block; then one of a literal and a copy of 23 bytes that overlaps itself. */
function lz4(): Buffer {
  const header = Buffer.from('04224d184040c0', 'hex');
  const stored = Buffer.alloc(4);
  stored.writeUInt32LE((0x8000_0000 | text.length) >>> 0);
  const copy = Buffer.from([0x3f, 0x61, 0x62, 0x63, 3, 0, 4, 0x10, 0x78]);
  const copied = Buffer.alloc(4);
  copied.writeUInt32LE(copy.length);
  return Buffer.concat([header, stored, text, copied, copy, Buffer.alloc(4)]);
}

/** One raw block and one of a byte that is repeated. */
function zstd(): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, text.length + 5]);
  const raw = Buffer.alloc(3);
  raw.writeUIntLE(text.length << 3, 0, 3);
  const repeated = Buffer.alloc(3);
  repeated.writeUIntLE((5 << 3) | (1 << 1) | 1, 0, 3);
  return Buffer.concat([header, raw, text, repeated, Buffer.from('z')]);
}

const packed: readonly [Packing, Buffer, string][] = [
  ['gzip', gzipSync(text), text.toString()],
  ['lz4', lz4(), `${text.toString()}${'abc'.repeat(9).slice(0, 26)}x`],
  ['zstd', zstd(), `${text.toString()}zzzzz`],
];

async function read(bytes: Buffer, packing: Packing, step = 7): Promise<string> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  const out: Uint8Array[] = [];
  for await (const chunk of unpacked(chunks(), packing)) out.push(Buffer.from(chunk));
  return Buffer.concat(out).toString('latin1');
}

describe.each(packed)('%s', (packing, bytes, expected) => {
  it('comes out whole, one frame or several', async () => {
    for (const step of [1, 7, 1000]) expect(await read(bytes, packing, step)).toBe(expected);
    expect(await read(Buffer.concat([bytes, bytes]), packing)).toBe(expected + expected);
  });

  it('cut anywhere is refused', async () => {
    for (let length = 1; length < bytes.length; length++) {
      await expect(read(bytes.subarray(0, length), packing), `${length}`).rejects.toThrow(
        MusterError,
      );
    }
  });

  it('that is something else is refused', async () => {
    await expect(read(Buffer.from('something else, not packed'), packing)).rejects.toThrow(
      MusterError,
    );
  });
});

it('names tell formats and packings', () => {
  expect(formOfFile('a/b.csv.gz', undefined)).toEqual({ format: 'CSV', packing: 'gzip' });
  expect(formOfFile('b.NATIVE', undefined)).toEqual({ format: 'Native', packing: 'none' });
  expect(formOfFile('part-0.zst', 'TSKV')).toEqual({ format: 'TSKV', packing: 'zstd' });
  expect(() => formOfFile('part-0', undefined)).toThrow(/doesn't tell/);
  expect(() => formOfFile('part-0.gz', undefined)).toThrow(/name one/);
});
