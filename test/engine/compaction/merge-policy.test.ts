// The policy as data: few stripes, each row rewritten few times, whatever comes in which order.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StripeEntry } from '../../../catalog/entry.ts';
import type { CatalogVersion } from '../../../catalog/schema.ts';
import {
  type LaneOptions,
  type MergeRun,
  planDueMerges,
  planWholeMerges,
} from '../../../engine/compaction/merge-policy.ts';
import { samplePlace, sampleStripe } from '../../catalog/samples.ts';

const mega = 1024 * 1024;
const options: LaneOptions = {
  isPlaced: false,
  schemaVersion: 1,
  limits: { bytesMax: 256 * mega, rowsMax: 10 * mega },
};

let version = 0;

function stripe(rows: number, changes: Partial<StripeEntry> = {}): StripeEntry {
  const first = { version: ++version as CatalogVersion, ordinal: 0 };
  const parts = [samplePlace(String(version), 100 + 20 * rows)];
  const groupBytes = [4 * rows];
  return { ...sampleStripe(1, rows, { parts, groupBytes }), first, last: first, ...changes };
}

/** Rows and bytes add up, as where no keys are equal. */
function merged(run: MergeRun): StripeEntry {
  const rows = run.reduce((sum, one) => sum + one.rows, 0);
  const { first, partition, parts } = run[0]!;
  const { groupFirst } = parts[0]!;
  const place = { ...samplePlace(String(version), 100 + 20 * rows), groupFirst };
  return stripe(rows, { first, last: run.at(-1)!.last, partition, parts: [place] });
}

function replaced(stripes: readonly StripeEntry[], runs: readonly MergeRun[]): StripeEntry[] {
  const outputs = new Map(runs.map((run) => [run[0]!, merged(run)]));
  const gone = new Set(runs.flat());
  return stripes.flatMap((one) => {
    const output = outputs.get(one);
    if (output !== undefined) return [output];
    return gone.has(one) ? [] : [one];
  });
}

describe('what is due', () => {
  it.each([1, 10, 1000])('keeps stripes of %i rows an insert few', (rows) => {
    let stripes: StripeEntry[] = [];
    let rewritten = 0;
    let merges = 0;
    let most = 0;
    const inserts = 10_000;
    for (let i = 0; i < inserts; i++) {
      stripes.push(stripe(rows));
      for (;;) {
        const runs = planDueMerges(stripes, options);
        if (runs.length === 0) break;
        merges++;
        rewritten += runs.flat().reduce((sum, one) => sum + one.rows, 0);
        stripes = replaced(stripes, runs);
      }
      most = Math.max(most, stripes.length);
    }
    const levels = Math.ceil(Math.log2(inserts) / 3);
    expect(stripes.reduce((sum, one) => sum + one.rows, 0)).toBe(inserts * rows);
    expect(most).toBeLessThanOrEqual(7 * levels);
    expect(rewritten / (inserts * rows)).toBeLessThanOrEqual(levels);
    expect(merges).toBeLessThan(inserts / 6);
  });

  it('keeps them few whatever the sizes, and merges neighbours alone', () => {
    const sizes = fc.array(fc.constantFrom(1, 3, 9, 70, 500, 4_000, 100_000), { maxLength: 400 });
    fc.assert(
      fc.property(sizes, (rows) => {
        let stripes: StripeEntry[] = [];
        for (const count of rows) {
          stripes.push(stripe(count));
          for (;;) {
            const runs = planDueMerges(stripes, options);
            if (runs.length === 0) break;
            for (const run of runs) {
              const at = stripes.indexOf(run[0]!);
              expect(stripes.slice(at, at + run.length)).toEqual(run);
              expect(run.length).toBeGreaterThan(1);
            }
            stripes = replaced(stripes, runs);
          }
        }
        expect(stripes.length).toBeLessThanOrEqual(8 * 7);
      }),
      { numRuns: 30, seed: 5 },
    );
  });

  it('looks at each partition, and each group of placed rows, for itself', () => {
    const place = (groupFirst: number) => [{ ...samplePlace('x'), groupFirst, groupCount: 1 }];
    const stripes = Array.from({ length: 16 }, (_, i) => stripe(1, { parts: place(i % 2) }));
    expect(planDueMerges(stripes, options).map((run) => run.length)).toEqual([16]);
    const runs = planDueMerges(stripes, { ...options, isPlaced: true });
    expect(runs.map((run) => run.map(({ parts }) => parts[0]!.groupFirst))).toEqual([
      new Array(8).fill(0),
      new Array(8).fill(1),
    ]);
    const apart = Array.from({ length: 14 }, (_, i) => stripe(1, { partition: i < 7 ? 'a' : 'b' }));
    expect(planDueMerges(apart, options)).toEqual([]);
    expect(planWholeMerges(apart, options)).toEqual([apart.slice(0, 7), apart.slice(7)]);
  });
});

describe('limits', () => {
  it('leave what is large alone, and everything between', () => {
    const large = stripe(1, { parts: [samplePlace('x', 200 * mega)] });
    const row = () => stripe(1);
    const stripes = [row(), row(), large, row(), row(), row()];
    const whole = planWholeMerges(stripes, options);
    // Two before it fit with it, not what comes after in the same run of 256 MB.
    expect(whole).toEqual([stripes]);
    const limits = { bytesMax: mega, rowsMax: 100 };
    expect(planWholeMerges(stripes, { ...options, limits })).toEqual([
      stripes.slice(0, 2),
      stripes.slice(3),
    ]);
    const rows = [stripe(60), stripe(60), stripe(30), stripe(101), stripe(1)];
    expect(planWholeMerges(rows, { ...options, limits })).toEqual([rows.slice(1, 3)]);
  });

  it('hold no more than 256 stripes in one merge', () => {
    const stripes = Array.from({ length: 600 }, () => stripe(1));
    expect(planWholeMerges(stripes, options).map((run) => run.length)).toEqual([256, 256, 88]);
    expect(planDueMerges(stripes, options).map((run) => run.length)).toEqual([256]);
  });

  it('keep rows of another schema as they are', () => {
    const stripes = [stripe(1), stripe(1), stripe(1, { schemaVersion: 2 }), stripe(1)];
    expect(planWholeMerges(stripes, options)).toEqual([stripes.slice(0, 2)]);
    expect(planDueMerges([], options)).toEqual([]);
  });
});
