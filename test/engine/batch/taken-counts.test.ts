// Counts of taken rows are the taken counts of rows; nothing else is asked otherwise.

import { expect, test } from 'vitest';
import { type Ask, type Batch, batchFormat, type SetColumn } from '../../../engine/batch/batch.ts';
import { takenCounts } from '../../../engine/batch/taken-counts.ts';

const stored: SetColumn = {
  op: 'stored',
  dictionary: 0,
  source: 0,
  columnId: 1,
  rows: Int32Array.of(4, 5, 6),
};
const take = (...index: number[]): SetColumn => ({
  op: 'take',
  of: 0,
  index: Int32Array.from(index),
});

function batchOf(sets: readonly SetColumn[], asks: readonly Ask[]): Batch {
  const rest = { format: batchFormat, namespace: 1, queryId: 'q', deadline: 1 } as const;
  return { ...rest, sources: [], dictionaries: [], fragments: [], sets, asks };
}

test('rows that are more than those they are taken of', () => {
  const asks: Ask[] = [
    { ask: 'card', of: 1 },
    { ask: 'any', of: 1 },
  ];
  const { batch, finish } = takenCounts(batchOf([stored, take(2, -1, 0, 2)], asks));
  expect(batch.sets).toEqual([stored]);
  expect(batch.asks).toEqual([
    { ask: 'card', of: 0 },
    { ask: 'any', of: 0 },
  ]);
  const answers = finish([
    { ask: 'card', counts: Float64Array.of(7, 0, 9) },
    { ask: 'any', flags: Uint8Array.of(1, 0, 1) },
  ]);
  expect(answers).toEqual([
    { ask: 'card', counts: Float64Array.of(9, 0, 7, 9) },
    { ask: 'any', flags: Uint8Array.of(1, 0, 1, 1) },
  ]);
});

test('fewer rows, other questions and nodes that are needed otherwise stay', () => {
  const sets = [stored, take(1, 1), take(0, 1, 2, 0)];
  const asks: Ask[] = [
    { ask: 'card', of: 1 },
    { ask: 'digest', of: 2 },
    { ask: 'card', of: 2 },
  ];
  const { batch, finish } = takenCounts(batchOf(sets, asks));
  expect(batch.sets).toEqual(sets);
  expect(batch.asks).toEqual([...asks.slice(0, 2), { ask: 'card', of: 0 }]);
  const digest = { ask: 'digest', words: new Uint32Array(16) } as const;
  const few = { ask: 'card', counts: Float64Array.of(2, 2) } as const;
  const found = finish([few, digest, { ask: 'card', counts: Float64Array.of(1, 2, 3) }]);
  expect(found).toEqual([few, digest, { ask: 'card', counts: Float64Array.of(1, 2, 3, 1) }]);
});
