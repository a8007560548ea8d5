// When a slow invocation is sent a second time, and how often all together.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HedgeBudget,
  hedgeFloorMs,
  hedgesDue,
  type InvocationProgress,
} from '../../../../engine/batch/fan-out/hedging.ts';

function progress(done: readonly number[], late: readonly number[]): InvocationProgress[] {
  return [
    ...done.map((finishedAt) => ({ startedAt: 0, finishedAt, hedged: false })),
    ...late.map((startedAt) => ({ startedAt, hedged: false })),
  ];
}
const hundreds = (count: number) => Array.from({ length: count }, () => 100);

describe('due', () => {
  it('nothing before nine tenths are done', () => {
    expect(hedgesDue(progress(hundreds(17), [0, 0, 0]), 1e6, 9)).toEqual({ reissue: [] });
    expect(hedgesDue(progress(hundreds(18), [0, 0]), 1e6, 9).reissue).toEqual([18, 19]);
  });

  it('only what is slower than half as long again as the others', () => {
    const twenty = progress(hundreds(19), [0]);
    expect(hedgesDue(twenty, 149, 9)).toEqual({ reissue: [], lookAt: 150 });
    expect(hedgesDue(twenty, 150, 9)).toEqual({ reissue: [19] });
    const later = progress(hundreds(18), [0, 70]);
    expect(hedgesDue(later, 160, 9)).toEqual({ reissue: [18], lookAt: 220 });
  });

  it('by the 95th percentile, not by the slowest', () => {
    const one = progress([...hundreds(19), 5000], [0, 0]);
    expect(hedgesDue(one, 151, 9).reissue).toEqual([20, 21]);
    const two = progress([...hundreds(17), 500, 500], [0]);
    expect(hedgesDue(two, 151, 9)).toEqual({ reissue: [], lookAt: 750 });
  });

  it('not before a second one could win', () => {
    const quick = progress(
      hundreds(9).map(() => 2),
      [0],
    );
    expect(hedgesDue(quick, hedgeFloorMs - 1, 9)).toEqual({ reissue: [], lookAt: hedgeFloorMs });
    expect(hedgesDue(quick, hedgeFloorMs, 9).reissue).toEqual([9]);
  });

  it('each once, slowest first, within the budget', () => {
    const late = progress(hundreds(27), [30, 10, 20]);
    expect(hedgesDue(late, 1000, 2).reissue).toEqual([28, 29]);
    expect(hedgesDue(late, 1000, 0)).toEqual({ reissue: [] });
    const hedged = late.map((one, i) => (i === 28 ? { ...one, hedged: true } : one));
    expect(hedgesDue(hedged, 1000, 9).reissue).toEqual([29, 27]);
  });

  it('a lone invocation is left alone, and so is a finished dispatch', () => {
    expect(hedgesDue(progress([], [0]), 1e6, 9)).toEqual({ reissue: [] });
    expect(hedgesDue(progress(hundreds(5), []), 1e6, 9)).toEqual({ reissue: [] });
    expect(hedgesDue(progress([100], [0]), 1e6, 9).reissue).toEqual([1]);
  });
});

describe('the budget', () => {
  it('is a tenth, also over many small dispatches', () => {
    const budget = new HedgeBudget();
    let sent = 0;
    let hedged = 0;
    for (let i = 0; i < 100; i++) {
      budget.earn(4);
      sent += 4;
      const now = Math.min(1, budget.available);
      budget.spend(now);
      hedged += now;
      expect(hedged).toBeLessThanOrEqual(sent / 10);
    }
    expect(hedged).toBe(40);
  });

  it('never lets through more than a tenth, whatever comes in which order', () => {
    const dispatches = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat(40)));
    fc.assert(
      fc.property(dispatches, (all) => {
        const budget = new HedgeBudget();
        let sent = 0;
        let hedged = 0;
        for (const [count, wanted] of all) {
          budget.earn(count);
          sent += count;
          const now = Math.min(wanted, budget.available);
          budget.spend(now);
          hedged += now;
          expect(hedged).toBeLessThanOrEqual(sent / 10 + 1e-9);
        }
      }),
    );
  });

  it('forgets what was saved long ago', () => {
    const budget = new HedgeBudget();
    budget.earn(1e6);
    expect(budget.available).toBe(32);
  });
});
