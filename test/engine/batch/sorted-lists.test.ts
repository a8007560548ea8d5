// Lists as they came become lists of distinct ids, ascending by ordinal, as a naive look at each row
// makes them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { internedLists } from '../../../engine/batch/sorted-lists.ts';

const row = fc.oneof(
  fc.array(fc.bigInt({ min: 0n, max: 5n }), { maxLength: 8 }),
  fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 60 }),
);

it('keeps each id of a row once, and the rows apart', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      let end = 0;
      const offsets = Uint32Array.from([0, ...rows.map((ids) => (end += ids.length))]);
      const ids = { domain: 'integer', values: BigUint64Array.from(rows.flat()) } as const;
      const lists = internedLists({ offsets, ids });
      const keys = lists.keys as { readonly values: BigUint64Array };
      expect(new Set(keys.values).size).toBe(keys.values.length);
      for (const [i, given] of rows.entries()) {
        const ordinals = lists.ordinals.subarray(lists.offsets[i], lists.offsets[i + 1]);
        expect([...ordinals]).toEqual([...ordinals].toSorted((a, b) => a - b));
        const found = Array.from(ordinals, (ordinal) => lists.keys.values[ordinal]);
        expect(found.length).toBe(new Set(given).size);
        expect(new Set(found)).toEqual(new Set(given));
      }
    }),
  );
});

it('takes texts, too', () => {
  const ids = { domain: 'string', values: ['b', 'a', 'b', 'c'] } as const;
  const lists = internedLists({ offsets: Uint32Array.of(0, 3, 3, 4), ids });
  expect(lists.keys.values).toEqual(['b', 'a', 'c']);
  expect([...lists.offsets]).toEqual([0, 2, 2, 3]);
});
