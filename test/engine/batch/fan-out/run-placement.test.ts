// Runs of pieces against the naive twin: every way to cut them.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadOf, type Piece, placeRuns } from '../../../../engine/batch/fan-out/run-placement.ts';

type P = Piece<number>;

function bestOfAll(pieces: readonly P[], runs: number): number {
  if (runs === 1 || pieces.length <= 1) return loadOf(pieces);
  let best = loadOf(pieces);
  for (let end = 1; end < pieces.length; end++) {
    const rest = bestOfAll(pieces.slice(end), runs - 1);
    best = Math.min(best, Math.max(loadOf(pieces.slice(0, end)), rest));
  }
  return best;
}

const pieces = fc
  .array(
    fc.record({
      first: fc.boolean(),
      fixedMs: fc.nat(20),
      divisibleMs: fc.nat(20),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) => {
    let group = 0;
    let fixedMs = 0;
    return all.map(({ first, ...one }, slice): P => {
      if (first || slice === 0) {
        group++;
        fixedMs = one.fixedMs;
      }
      return { slice, group, fixedMs, divisibleMs: one.divisibleMs };
    });
  });

it('the heaviest run is as light as with the best of all cuts', () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 4 }), (all, runsMax) => {
      const runs = placeRuns(all, runsMax);
      expect(runs.flat()).toEqual(all);
      expect(runs.length).toBeLessThanOrEqual(runsMax);
      expect(runs.every((run) => run.length > 0)).toBe(true);
      const heaviest = Math.max(...runs.map(loadOf));
      expect(heaviest).toBeLessThanOrEqual(bestOfAll(all, runsMax) * (1 + 1e-5));
    }),
  );
});

it('a group pays once for what is fixed, in each run that has a piece of it', () => {
  const piece = { group: 1, fixedMs: 10, divisibleMs: 1 };
  expect(loadOf([0, 1, 2].map((slice) => ({ ...piece, slice })))).toBe(13);
  expect(
    placeRuns(
      [0, 1, 2].map((slice) => ({ ...piece, slice })),
      3,
    ),
  ).toHaveLength(3);
});
