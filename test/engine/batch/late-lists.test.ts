// Lists that are interned late are the same lists, and an insert gets them as they came.
import { expect, it } from 'vitest';
import { asTheyAre, LateLists } from '../../../engine/batch/late-lists.ts';
import { internedLists } from '../../../engine/batch/sorted-lists.ts';

const given = {
  offsets: Uint32Array.of(0, 3, 3, 5),
  ids: { domain: 'integer', values: BigUint64Array.of(9n, 4n, 9n, 4n, 2n ** 64n - 1n) },
} as const;

it('has the ordinals of interned lists, once they are asked for', () => {
  const late = new LateLists(given);
  const { keys, offsets, ordinals } = late;
  expect({ keys, offsets, ordinals }).toEqual(internedLists(given));
  expect(late.rows).toBe(3);
  expect(late.domain).toBe('integer');
});

it('leaves them to an insert as they came', () => {
  expect(asTheyAre(new LateLists(given))).toEqual({ kind: 'lists', lists: given });
  const ids = internedLists(given);
  expect(asTheyAre(ids)).toEqual({ kind: 'ids', ids });
});
