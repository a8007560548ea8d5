import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Batch } from '../../../engine/batch/batch.ts';
import { isWholeGroup, slicesOf, slicesOfGroup } from '../../../engine/batch/slices.ts';

test('ranges of a group partition all codes, and none is empty', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), fc.integer({ min: 1, max: 9 }), (next, ranges) => {
      const slices = slicesOfGroup(3, next, ranges);
      expect(slices[0]?.codes.start).toBe(0);
      expect(slices.at(-1)?.codes.end).toBe(2 ** 32);
      expect(slices.at(-1)?.codes.start).toBeLessThanOrEqual(next);
      slices.forEach((slice, i) => {
        expect(slice.codes.end).toBeGreaterThan(slice.codes.start);
        if (i > 0) expect(slice.codes.start).toBe(slices[i - 1]?.codes.end);
      });
      expect(slices.length).toBeLessThanOrEqual(ranges);
    }),
  );
});

test('few ranges of few containers are even; many whole ones are not cut', () => {
  const container = 2 ** 16;
  const starts = (containers: number, ranges: number) =>
    slicesOfGroup(0, Math.round(containers * container), ranges).map(
      ({ codes }) => codes.start / container,
    );
  expect(starts(6.04, 2)).toEqual([0, 3]);
  expect(starts(7, 2)).toEqual([0, 3.5]);
  expect(starts(7, 3)).toEqual([0, 2, 4]);
  expect(starts(33, 2)).toEqual([0, 16]);
  expect(starts(16, 4)).toEqual([0, 4, 8, 12]);
});

test('a batch has slices for the groups of its largest dictionary, one without dictionaries', () => {
  const ref = { dictionary: 1, domain: 'integer', segments: [] } as const;
  const dictionaries = [
    { ...ref, groups: 2, nextCodes: [5, 5] },
    { ...ref, groups: 3, nextCodes: [1, 30, 0] },
  ];
  const batch = { dictionaries, fragments: [] } as unknown as Batch;
  expect(slicesOf(batch).map((slice) => slice.group)).toEqual([0, 1, 2]);
  expect(slicesOf(batch, 3).filter((slice) => slice.group === 1)).toHaveLength(3);
  const none = slicesOf({ ...batch, dictionaries: [] }, 3);
  expect(none).toHaveLength(1);
  expect(none.every(isWholeGroup)).toBe(true);
});

test('a batch about rows alone has no more slices than stripes', () => {
  const stripe = { shape: 'unsplit', rows: 1, parts: [] };
  const batch = (stripes: number) =>
    ({
      dictionaries: [],
      fragments: [{ source: 0 }],
      sources: [{ groups: 1, stripes: Array.from({ length: stripes }, () => stripe) }],
    }) as unknown as Batch;
  expect(slicesOf(batch(9), 3, 2)).toHaveLength(6);
  expect(slicesOf(batch(4), 3, 2)).toHaveLength(4);
  expect(slicesOf(batch(0), 3, 2)).toHaveLength(1);
});
