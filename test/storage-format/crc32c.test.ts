import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32c } from '../../storage-format/crc32c.ts';

function naive(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

it('gives the published vectors', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

it('equals its naive twin at every alignment', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(7), (bytes, skip) => {
      const view = bytes.subarray(Math.min(skip, bytes.length));
      expect(crc32c(view)).toBe(naive(view));
    }),
  );
});

it('continues where it stopped', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      const at = Math.min(cut, bytes.length);
      expect(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at)))).toBe(crc32c(bytes));
    }),
  );
});

it('equals its naive twin at every length, whatever was summed before', () => {
  const lengths = fc.array(fc.integer({ min: 1600, max: 9000 }), { minLength: 1, maxLength: 6 });
  const bytes = Uint8Array.from({ length: 9007 }, (_, i) => (i * 2654435761) >>> 11);
  fc.assert(
    fc.property(lengths, fc.nat(7), fc.nat(0xffff_ffff), (many, skip, previous) => {
      for (const length of many) {
        const view = bytes.subarray(skip, skip + length);
        expect(crc32c(view)).toBe(naive(view));
      }
      const view = bytes.subarray(skip, skip + many[0]!);
      const [head, tail] = [view.subarray(0, 16), view.subarray(16)];
      expect(crc32c(tail, crc32c(head, previous))).toBe(crc32c(view, previous));
    }),
    { numRuns: 30 },
  );
});

it('equals its naive twin over long runs', () => {
  const bytes = Uint8Array.from({ length: 200_001 }, (_, i) => (i * 2654435761) >>> 13);
  for (const length of [2047, 2048, 2049, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    expect(crc32c(bytes.subarray(1, 1 + length))).toBe(naive(bytes.subarray(1, 1 + length)));
  }
  expect(crc32c(bytes.subarray(70_000), crc32c(bytes.subarray(0, 70_000)))).toBe(naive(bytes));
});
