// A batch whose sets are literals: workers make and fold them, and no store is asked.

import { systemClock } from '../base/clock.ts';
import { type Batch, batchFormat } from '../engine/batch/batch.ts';

const members = 400;
const deadlineMs = 3_600_000;

/**
 * Counts of `folds` rows, each the symmetric difference of two disjoint sets: 400 ids, spread by their
 * hashes over two groups, so that there is work for two.
 */
export function literalBatch(folds: number): Batch {
  const codes = Uint32Array.from({ length: members }, (_, i) => i);
  const keys = BigUint64Array.from(codes, (code) => BigInt(code) * 977n);
  const offsets = Uint32Array.of(0, 0.6 * members, members);
  const ids = { keys: { domain: 'integer', values: keys }, offsets, ordinals: codes } as const;
  return {
    format: batchFormat,
    namespace: 0,
    queryId: 'bench',
    deadline: systemClock.now() + deadlineMs,
    sources: [],
    dictionaries: [
      { dictionary: 0, domain: 'integer', groups: 2, nextCodes: [0, 0], segments: [] },
    ],
    sets: [
      { op: 'raw', dictionary: 0, ids },
      {
        op: 'fold',
        how: 'xor',
        of: 0,
        offsets: Uint32Array.from({ length: folds + 1 }, (_, i) => i * 2),
        index: Int32Array.from({ length: folds * 2 }, (_, i) => i % 2),
      },
    ],
    fragments: [],
    asks: [{ ask: 'card', of: 1 }],
  };
}
