import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNot } from '../../base/byte-reader.ts';
import { decodeWideMap, encodeWideMap } from '../../storage-format/wide-state.ts';

/** Ids that share high halves now and then, and reach both ends of the domain. */
const idSet = fc
  .array(
    fc.tuple(
      fc.constantFrom(0, 1, 7, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff),
      fc.oneof(fc.constantFrom(0, 0xffff, 0x1_0000, 0xffff_ffff), fc.nat(0xffff_ffff)),
    ),
    { maxLength: 60 },
  )
  .map((pairs) => {
    const ids = new Set(pairs.map(([high, low]) => (BigInt(high) << 32n) | BigInt(low)));
    return BigUint64Array.from(ids).sort();
  });

describe('maps of 64-bit ids', () => {
  it('come back as they were, buckets of one id and of many', () => {
    fc.assert(
      fc.property(idSet, (ids) => {
        expect(decodeWideMap(encodeWideMap(ids), isNot('a map'))).toEqual(ids);
      }),
    );
  });

  it('of one id per bucket take 22 bytes each', () => {
    const ids = BigUint64Array.from({ length: 100 }, (_, i) => (BigInt(i) << 32n) | 5n);
    expect(encodeWideMap(ids).length).toBe(8 + 22 * 100);
  });

  it('that lie about a lone id are refused: offset, order, bytes left over', () => {
    const bytes = encodeWideMap(BigUint64Array.of(1n, (1n << 32n) | 5n));
    const wrongOffset = bytes.slice();
    wrongOffset[8 + 16] = 17;
    expect(() => decodeWideMap(wrongOffset, isNot('a map'))).toThrow(/portable/);
    const descending = bytes.slice();
    descending[8] = 9;
    expect(() => decodeWideMap(descending, isNot('a map'))).toThrow(/high half 1 after 9/);
    expect(() => decodeWideMap(Uint8Array.of(...bytes, 0), isNot('a map'))).toThrow(
      /1 bytes after/,
    );
    expect(() => decodeWideMap(bytes.subarray(0, -1), isNot('a map'))).toThrow(/portable|a map/);
  });
});
