// Runs of consecutive rows, which are remembered where they are long; rows that are taken again.

import { expect, test } from 'vitest';
import { consecutiveEnd, SetList, setsOf, TakenSets } from '../../storage-format/set-vector.ts';

test.each([10, 5000, 70_000])(
  'runs of %i rows, from anywhere in them, asked in any order',
  (run) => {
    const rows = Int32Array.from({ length: 3 * run }, (_, i) => i + 7 * Math.floor(i / run));
    for (let time = 0; time < 2; time++) {
      for (const start of [0, 1, run - 1, run, 2 * run - 2, 2 * run + 3, 5]) {
        const naturalEnd = (Math.floor(start / run) + 1) * run;
        for (const end of [start + 1, naturalEnd - 1, naturalEnd, 3 * run].filter(
          (e) => e > start,
        )) {
          expect(consecutiveEnd(rows, start, end)).toBe(Math.min(end, naturalEnd));
        }
      }
    }
  },
);

test('a row that is taken again is the same object; -1 is empty', () => {
  const vector = new TakenSets(
    new TakenSets(new SetList([Uint32Array.of(1, 2), Uint32Array.of(3)]), Int32Array.of(1, 0)),
    Int32Array.of(0, 1, -1, 0, 1),
  );
  const sets = setsOf(vector);
  expect(sets.map((set) => [...(set as Uint32Array)])).toEqual([[3], [1, 2], [], [3], [1, 2]]);
  expect(sets[3]).toBe(sets[0]);
  expect(new Set(sets).size).toBe(3);
});
