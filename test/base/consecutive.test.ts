import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consecutive,
  consecutiveStart,
  firstAtLeast,
  joinedNumbers,
} from '../../base/consecutive.ts';

const range = fc
  .tuple(fc.nat(100_000), fc.nat(70_000))
  .map(([start, length]) => ({ start, end: start + length }));

const naive = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, i) => start + i);

describe('numbers that follow each other', () => {
  it('are those of the range, known as such, also after the shared array grew', () => {
    const before = consecutive(3, 9);
    fc.assert(
      fc.property(range, ({ start, end }) => {
        const numbers = consecutive(start, end);
        expect(numbers).toEqual(Int32Array.from(naive(start, end)));
        expect(consecutiveStart(numbers)).toBe(start);
        expect(consecutiveStart(numbers.subarray(1))).toBe(start + Math.min(1, numbers.length));
      }),
      { numRuns: 20 },
    );
    expect([...before]).toEqual(naive(3, 9));
    expect(consecutiveStart(before)).toBe(3);
  });

  it('share one array: no bytes are taken for another range within it', () => {
    expect(consecutive(5, 50).buffer).toBe(consecutive(7, 8).buffer);
  });

  it('are an array of their own beyond the bound, and unknown as others are', () => {
    const far = consecutive(8 * 1024 * 1024 - 1, 8 * 1024 * 1024 + 2);
    expect([...far]).toEqual([8_388_607, 8_388_608, 8_388_609]);
    expect(consecutiveStart(far)).toBeUndefined();
    expect(consecutiveStart(Int32Array.of(0, 1, 2))).toBeUndefined();
  });
});

describe('arrays that are joined', () => {
  const part = fc.oneof(
    range.map(({ start, end }) => consecutive(start % 50, (start % 50) + ((end - start) % 20))),
    fc.array(fc.nat(50)).map((numbers) => Int32Array.from(numbers)),
  );

  it('hold the numbers of all parts in order', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        expect([...joinedNumbers(parts)]).toEqual(parts.flatMap((one) => [...one]));
      }),
    );
  });

  it('are a range where each goes on with the one before', () => {
    const joined = joinedNumbers([consecutive(4, 9), consecutive(9, 9), consecutive(9, 20)]);
    expect(joined).toEqual(Int32Array.from(naive(4, 20)));
    expect(consecutiveStart(joined)).toBe(4);
    expect(
      consecutiveStart(joinedNumbers([consecutive(4, 9), consecutive(10, 20)])),
    ).toBeUndefined();
  });
});

it('the first that is at least a number, from a place on, is found as by looking at each', () => {
  const numbers = fc.array(fc.nat(40)).map((all) => Int32Array.from(all).sort());
  fc.assert(
    fc.property(numbers, fc.nat(41), fc.nat(40), (ascending, least, place) => {
      const from = Math.min(place, ascending.length);
      const found = ascending.findIndex((number, at) => at >= from && number >= least);
      expect(firstAtLeast(ascending, least, from)).toBe(found < 0 ? ascending.length : found);
    }),
  );
});
