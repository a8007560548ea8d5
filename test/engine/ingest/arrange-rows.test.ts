import { describe, expect, it } from 'vitest';
import { arrangeRows } from '../../../engine/ingest/arrange-rows.ts';
import type { Column } from '../../../storage-format/column.ts';

const strings = (...values: string[]): Column => ({ kind: 'string', values });
const numbers = (...values: number[]): Column => ({
  kind: 'number',
  values: Uint32Array.from(values),
});
const none = { types: [], columns: [] };
const stringKey = (column: Column) => ({ types: [{ kind: 'String' } as const], columns: [column] });

/** Source rows of each merged row, by partition. */
function arranged(options: Parameters<typeof arrangeRows>[0]): number[][][] {
  return arrangeRows(options).map(({ rows }) =>
    Array.from({ length: rows.starts.length - 1 }, (_, i) => [
      ...rows.order.subarray(rows.starts[i], rows.starts[i + 1]),
    ]),
  );
}

describe('storage order', () => {
  const key = strings('b', 'a', 'b', 'a');

  it('merges equal keys of an AggregatingMergeTree, in order of arrival', () => {
    const options = { rows: 4, partition: none, sortingKey: stringKey(key) };
    expect(arranged({ ...options, engine: 'AggregatingMergeTree' })).toEqual([
      [
        [1, 3],
        [0, 2],
      ],
    ]);
    expect(arranged({ ...options, engine: 'MergeTree' })).toEqual([[[1], [3], [0], [2]]]);
  });

  it('keeps of a ReplacingMergeTree the largest version, of equal versions the last', () => {
    const options = { rows: 4, engine: 'ReplacingMergeTree', partition: none } as const;
    const sortingKey = stringKey(key);
    expect(arranged({ ...options, sortingKey, version: numbers(9, 1, 5, 1) })).toEqual([
      [[3], [0]],
    ]);
    expect(arranged({ ...options, sortingKey })).toEqual([[[3], [2]]]);
  });

  it('never merges across partitions', () => {
    const partition = stringKey(strings('x', 'x', 'y', 'x'));
    const options = { rows: 4, engine: 'AggregatingMergeTree', partition } as const;
    expect(arranged({ ...options, sortingKey: stringKey(key) })).toEqual([[[1, 3], [0]], [[2]]]);
  });

  it('merges everything under an empty sorting key, and nothing of no rows', () => {
    const options = { engine: 'AggregatingMergeTree', partition: none, sortingKey: none } as const;
    expect(arranged({ ...options, rows: 3 })).toEqual([[[0, 1, 2]]]);
    expect(arranged({ ...options, rows: 0 })).toEqual([]);
  });
});
