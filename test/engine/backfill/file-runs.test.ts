// Runs of files: that they are the files, cut alike and bounded, and that workers who take them by turns
// seldom take the same.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstRun, nextRun, runsOf, withoutFiles } from '../../../engine/backfill/file-runs.ts';
import type { SourceFile } from '../../../engine/backfill/source-files.ts';
import { memorySource } from './memory-source.ts';

const mebibyte = 1024 * 1024;

async function filesOf(sizes: readonly number[]): Promise<readonly SourceFile[]> {
  const named = sizes.map((bytes, i) => [`f${String(i).padStart(5, '0')}`, bytes] as const);
  const source = memorySource(Object.fromEntries(named.map(([name]) => [name, ''])));
  const listed = await source.list(new AbortController().signal);
  return listed.map((file, i) => ({ ...file, bytes: sizes[i] ?? 0 }));
}

describe('runs', () => {
  it('are all files in their order, none of them empty, whatever their sizes', async () => {
    const size = fc.integer({ min: 0, max: 40 * mebibyte });
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 200 }), async (sizes) => {
        const files = await filesOf(sizes);
        const runs = runsOf(files);
        expect(runs.flatMap((run) => run.files)).toEqual(files);
        expect(runs.map(({ index }) => index)).toEqual(runs.map((_, i) => i));
        for (const run of runs) {
          const before = run.files.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
          expect(run.files.length).toBeGreaterThan(0);
          expect(before).toBeLessThan(24 * mebibyte);
        }
      }),
    );
  });

  it('hold many small files, and few of a few', async () => {
    const lengths = async (count: number, bytes: number) =>
      runsOf(await filesOf(new Array<number>(count).fill(bytes))).map((run) => run.files.length);
    expect((await lengths(10_000, 1000))[0]).toBe(64);
    expect((await lengths(1000, 1.5 * mebibyte))[0]).toBe(16);
    expect(await lengths(24, 1000)).toEqual(new Array<number>(24).fill(1));
    expect((await lengths(1000, 100 * mebibyte))[0]).toBe(1);
  });
});

describe('workers', () => {
  /** Each takes a run, all at once, and so on: how often one was taken by two. */
  async function twice(workers: number, together: boolean, random: () => number): Promise<number> {
    let left = runsOf(await filesOf(new Array<number>(1000).fill(1.5 * mebibyte)));
    const hasBegun = new Set<number>();
    const last: (number | undefined)[] = new Array<undefined>(workers).fill(undefined);
    let lost = 0;
    while (left.length > 0) {
      const now = last.map((before, index) => {
        const share = together ? { index, of: workers } : { index: 0, of: 1 };
        return hasBegun.has(index)
          ? nextRun(left, before, random())
          : firstRun(left, share, random());
      });
      now.forEach((run, worker) => {
        hasBegun.add(worker);
        const isLost = now.indexOf(run) < worker;
        last[worker] = isLost ? undefined : run.index;
        if (isLost) lost++;
      });
      const loaded = now.flatMap(({ files }) => files);
      left = withoutFiles(left, loaded);
    }
    return lost;
  }

  it('take all runs, and seldom the same', async () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (const workers of [1, 2, 4]) {
      for (const together of [true, false]) {
        let worst = 0;
        for (let i = 0; i < 20; i++)
          worst = Math.max(worst, await twice(workers, together, random));
        // Of 63 runs.
        expect(worst, `${workers} workers`).toBeLessThanOrEqual(3 * (workers - 1));
      }
    }
  });
});
