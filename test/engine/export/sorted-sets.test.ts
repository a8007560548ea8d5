// Many sets sorted from pieces, beside sorting each as a whole: tiny ones together, large ones merged.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { IdChunk } from '../../../engine/export/id-chunks.ts';
import { sortedSets } from '../../../engine/export/sorted-sets.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-sorted-sets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const context = {
  clock: systemClock,
  files: { spool: { folder, bytesMax: 2 ** 30 } },
  signal: new AbortController().signal,
};
const ascending = (ids: readonly bigint[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

/** Chunk c has the ids of every set that fall to it. */
async function* chunksOf(sets: readonly (readonly bigint[])[], count: number) {
  for (let c = 0; c < count; c++) {
    const own = sets.map((ids) => ascending(ids.filter((id) => Number(id % BigInt(count)) === c)));
    const offsets = new Uint32Array(sets.length + 1);
    own.forEach((ids, row) => (offsets[row + 1] = offsets[row]! + ids.length));
    const keys = { domain: 'integer', values: BigUint64Array.from(own.flat()) } as const;
    yield { offsets, keys } satisfies IdChunk;
  }
}

it('each set ascends, in the order of the sets, however little is held at once', async () => {
  const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const set = fc.uniqueArray(id, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(set, { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 40 }),
      async (sets, chunks, idsAtOnce) => {
        const found = sets.map((): bigint[] => []);
        let last = 0;
        for await (const piece of sortedSets(chunksOf(sets, chunks), context, idsAtOnce)) {
          const { firstRow, offsets, keys } = piece;
          expect(firstRow).toBeGreaterThanOrEqual(last);
          last = firstRow;
          for (let r = 0; r + 1 < offsets.length; r++) {
            const values = keys.values.slice(offsets[r], offsets[r + 1]) as BigUint64Array;
            found[firstRow + r]!.push(...values);
          }
        }
        expect(found).toEqual(sets.map(ascending));
      },
    ),
  );
});
