// Keys that bring work to where its data is cached: by what is read, whoever asks.

import { expect, it } from 'vitest';
import type { Batch } from '../../../../engine/batch/batch.ts';
import { affinityOf } from '../../../../engine/batch/fan-out/affinity.ts';

const codesEnd = 2 ** 32;
const slices = [0, 1, 2].map((group) => ({ group, codes: { start: 0, end: codesEnd } }));

function batchOf(given: object): Batch {
  const base = { namespace: 7, queryId: 'a', dictionaries: [{ dictionary: 3 }], sources: [] };
  return { ...base, ...given } as unknown as Batch;
}

it('of sets is the dictionary, group and range, not the question', () => {
  const one = affinityOf(batchOf({}), slices.slice(1));
  expect(affinityOf(batchOf({ queryId: 'b', sets: [1, 2] }), slices.slice(1))).toBe(one);
  const others = [
    affinityOf(batchOf({}), slices),
    affinityOf(batchOf({ namespace: 8 }), slices.slice(1)),
    affinityOf(batchOf({ dictionaries: [{ dictionary: 4 }] }), slices.slice(1)),
    affinityOf(batchOf({}), [{ group: 1, codes: { start: 65_536, end: codesEnd } }]),
  ];
  expect(new Set([one, ...others]).size).toBe(5);
});

it('of detail rows is where the first stripe of the share lies', () => {
  const ranges = [0, 1].map((i) => ({
    group: 0,
    codes: { start: i * 2 ** 31, end: (i + 1) * 2 ** 31 },
  }));
  const stripes = ['a', 'b'].map((object) => ({ rows: 10, parts: [{ object, offset: 5 }] }));
  const rows = batchOf({ dictionaries: [], sources: [{ stripes }], slices: ranges });
  expect(affinityOf(rows, ranges.slice(0, 1))).toBe('7/a/5');
  expect(affinityOf(rows, ranges.slice(1))).toBe('7/b/5');
  expect(affinityOf(batchOf({ dictionaries: [] }), [])).toBe('7');
});
