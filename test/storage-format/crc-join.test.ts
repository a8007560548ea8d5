// Joined checksums are those of the joined bytes.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinedCrc } from '../../storage-format/crc-join.ts';
import { crc32c } from '../../storage-format/crc32c.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

it('is the checksum of both, one after the other', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(joinedCrc(crc32c(a), crc32c(b), b.length)).toBe(crc32c(Buffer.concat([a, b])));
    }),
  );
});

it('is so for long ones', () => {
  const a = Buffer.alloc(70_001, 'muster');
  const b = Buffer.alloc(3_000_017, 'of ids');
  expect(joinedCrc(crc32c(a), crc32c(b), b.length)).toBe(crc32c(Buffer.concat([a, b])));
});
