// Numbers of rows behind those that were left out, beside counting them one by one.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SkippedRows } from '../../../engine/backfill/skipped-rows.ts';

it('rows keep their own numbers, whichever are left out', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (isBad) => {
      const skipped = new SkippedRows();
      const kept: number[] = [];
      isBad.forEach((bad, i) => {
        if (bad) skipped.add(i + 1);
        else kept.push(i + 1);
      });
      expect(kept.map((_, i) => skipped.rowOf(i))).toEqual(kept);
    }),
  );
});
