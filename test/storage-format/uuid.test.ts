// UUIDs in memory: their order is ClickHouse's (26.7: ORDER BY looks at the second half first), their
// text and RowBinary forms too. The fixed answers are ClickHouse's.

import { expect, it } from 'vitest';
import {
  formatUuid,
  nilUuid,
  parseUuid,
  uuidFromBinary,
  uuidToBinary,
} from '../../storage-format/uuid.ts';

it('text goes in with dashes or without, and comes out in lower case', () => {
  const text = '61f0c404-5cb3-11e7-907b-a6006ad3dba0';
  for (const form of [text, text.toUpperCase(), text.replaceAll('-', '')]) {
    expect(formatUuid(parseUuid(form))).toBe(text);
  }
  expect(formatUuid(nilUuid)).toBe('00000000-0000-0000-0000-000000000000');
});

it.each(['', 'abc', '61f0c404-5cb311e7-907b-a6006ad3dba0', 'x1f0c404-5cb3-11e7-907b-a6006ad3dba0'])(
  'refuses %j',
  (text) => {
    expect(() => parseUuid(text)).toThrow(expect.objectContaining({ code: 376 }));
  },
);

it('sorts as ClickHouse does', () => {
  const sorted = [
    'ffffffff-0000-0000-0000-000000000002',
    '10000000-0000-0000-8000-000000000002',
    '20000000-0000-0000-8000-000000000002',
    '00000000-0000-0000-ffff-000000000001',
  ];
  expect(sorted.toReversed().map(parseUuid).sort().map(formatUuid)).toEqual(sorted);
});

it('is two little-endian halves in RowBinary', () => {
  const value = parseUuid('00112233-4455-6677-8899-aabbccddeeff');
  const binary = uuidToBinary(value);
  expect(Buffer.from(binary, 'latin1').toString('hex')).toBe('7766554433221100ffeeddccbbaa9988');
  expect(uuidFromBinary(binary)).toBe(value);
});
