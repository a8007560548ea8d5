// Sets of codes at the edges of the format: around the small/large threshold, roaring's container
// kinds and container borders, and the ends of the code space; and the types of integer ids.
import * as fc from 'fast-check';
import type { IntegerName } from '../../storage-format/data-type.ts';

export const integerNames: readonly IntegerName[] = [
  'UInt8',
  'Int8',
  'UInt16',
  'Int16',
  'UInt32',
  'Int32',
  'UInt64',
  'Int64',
];

const lastCode = 2 ** 32 - 1;

function sequence(count: number, start = 0, step = 1): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => start + i * step);
}

/** By cardinality, dense and with gaps; all sorted and unique. */
export const edgeSets: readonly Uint32Array[] = [
  sequence(0),
  sequence(1),
  Uint32Array.of(lastCode),
  Uint32Array.of(0, lastCode),
  Uint32Array.of(65535, 65536),
  sequence(32),
  sequence(33),
  sequence(33, 7, 3),
  sequence(2047, 5),
  sequence(2048, 5, 2),
  sequence(2049, 5, 2),
  sequence(4095, 1, 3),
  sequence(4096, 65_000, 3),
  sequence(4097, 2, 3),
  sequence(65_535),
  sequence(65_536),
  sequence(65_537),
  sequence(65_536, lastCode - 65_535),
  sequence(5_000, 0, 100_000 / 5),
  sequence(3_000, 0, 1_000_003),
];

/** Random sets: a few clusters of a random density anywhere in a small or the whole code space. */
export const codeSets: fc.Arbitrary<Uint32Array> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...edgeSets) },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.record({
          start: fc.oneof(fc.nat(200_000), fc.nat(lastCode)),
          count: fc.oneof(fc.nat(40), fc.nat(6000)),
          step: fc.integer({ min: 1, max: 50 }),
        }),
        { maxLength: 5 },
      )
      .map((clusters) => {
        const codes = new Set<number>();
        for (const { start, count, step } of clusters) {
          for (let i = 0; i < count; i++) codes.add(Math.min(lastCode, start + i * step));
        }
        return Uint32Array.from(codes).sort();
      }),
  },
);

/** Equality without building millions of assertion objects. */
export function sameCodes(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((code, i) => code === b[i]);
}
