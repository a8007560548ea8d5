// Sets within a range of codes, row by row and many rows at once, against filtered arrays.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RestrictedSets } from '../../../engine/worker/restricted-sets.ts';
import { setFromUnsorted, setToCodes } from '../../../storage-format/bitmap.ts';
import { FlatSets } from '../../../storage-format/flat-sets.ts';
import { SetList, setsOf, visitSpans } from '../../../storage-format/set-vector.ts';
import { StoredSlices } from '../../../storage-format/stored-slices.ts';

const ascending = (codes: readonly number[]) => [...new Set(codes)].toSorted((a, b) => a - b);
const edges = fc.constantFrom(0, 1, 65_535, 65_536, 131_072, 2 ** 31, 2 ** 32);
const code = fc.oneof(fc.nat(140_000), fc.constantFrom(65_535, 65_536, 2 ** 31, 2 ** 32 - 1));
const many = Array.from({ length: 9000 }, (_, i) => 15 * i);
const set = fc.oneof(fc.array(code, { maxLength: 9 }), fc.constant(many));

function membersOf(sets: RestrictedSets, start: number, end: number): number[] {
  const found: number[] = [];
  visitSpans(
    sets,
    { start, end },
    {
      flat: (codes, from, to) => found.push(...codes.subarray(from, to)),
      large: (large) => found.push(...setToCodes(large)),
    },
  );
  return ascending(found);
}

it('hold what is in the range', () => {
  const range = fc
    .tuple(edges, edges)
    .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
  fc.assert(
    fc.property(fc.array(set, { maxLength: 6 }), range, fc.nat(6), (rows, within, from) => {
      const inside = rows.map((row) =>
        ascending(row.filter((one) => within.start <= one && one < within.end)),
      );
      const of = new SetList(rows.map((row) => setFromUnsorted(Uint32Array.from(row))));
      const sets = new RestrictedSets(of, within);
      expect(setsOf(sets).map((one) => [...setToCodes(one)])).toEqual(inside);
      const start = Math.min(from, rows.length);
      expect(membersOf(sets, start, rows.length)).toEqual(ascending(inside.slice(start).flat()));
    }),
  );
});

it('are picked out of runs that are longer than what is picked at once', () => {
  const rows = 20_000;
  const codes = Uint32Array.from({ length: 2 * rows }, (_, i) => (i * 7919) % 100_000);
  const slices = new StoredSlices(rows);
  slices.addRun(0, new Uint32Array(rows).fill(2), codes);
  const sets = new RestrictedSets(slices, { start: 30_000, end: 60_001 });
  const expected = [...codes].filter((one) => 30_000 <= one && one < 60_001);
  expect(membersOf(sets, 0, rows)).toEqual(ascending(expected));
  const flat = new FlatSets(Uint32Array.of(0, 2), Uint32Array.of(5, 9));
  expect(membersOf(new RestrictedSets(flat, { start: 6, end: 2 ** 32 }), 0, 1)).toEqual([9]);
});
