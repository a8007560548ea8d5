// Runs of consecutive rows, which are remembered where they are long.

import { expect, test } from 'vitest';
import { consecutiveEnd } from '../../storage-format/set-vector.ts';

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
