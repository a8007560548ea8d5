import { describe, expect, it } from 'vitest';
import { maskIndex, repeat, take } from '../../../../engine/library/columns/take.ts';
import { columnOf, type Value, valueAt } from '../../../../engine/values/column-builder.ts';
import { type Column, columnLength } from '../../../../storage-format/column.ts';
import { concatColumns, sliceRows } from '../../../../storage-format/column-rows.ts';
import type { DataType } from '../../../../storage-format/data-type.ts';

const nullable = (inner: DataType): DataType => ({ kind: 'Nullable', inner });
const samples: readonly (readonly [DataType, readonly Value[]])[] = [
  [{ kind: 'Int8' }, [-1, 2, 3]],
  [{ kind: 'UInt64' }, [2n ** 64n - 1n, 0n, 5n]],
  [nullable({ kind: 'Int64' }), [null, -5n, 7n]],
  [nullable({ kind: 'String' }), ['a', null, 'é']],
  [{ kind: 'Array', item: nullable({ kind: 'UInt8' }) }, [[1, null], [], [3]]],
  [
    { kind: 'Tuple', fields: [{ type: { kind: 'UInt8' } }, { type: { kind: 'String' } }] },
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ],
  ],
];

const valuesOf = (column: Column): Value[] =>
  Array.from({ length: columnLength(column) }, (_, row) => valueAt(column, row));

describe.each(samples)('%j', (type, values) => {
  const column = columnOf(type, values);
  const at = (i: number): Value => values[i] ?? null;

  it('takes rows in any order, more than once', () => {
    expect(valuesOf(take(column, Int32Array.of(2, 0, 2)))).toEqual([at(2), at(0), at(2)]);
  });

  it('takes rows by a mask, slices, repeats and concatenates', () => {
    expect(valuesOf(take(column, maskIndex(Uint8Array.of(1, 0, 1))))).toEqual([at(0), at(2)]);
    expect(valuesOf(sliceRows(column, 1, 3))).toEqual([at(1), at(2)]);
    expect(valuesOf(repeat(sliceRows(column, 2, 3), 2))).toEqual([at(2), at(2)]);
    const both = concatColumns([sliceRows(column, 1, 3), column]);
    expect(valuesOf(both)).toEqual([at(1), at(2), ...values]);
  });

  it('gives the default, or NULL, for a missing row', () => {
    const missing = take(column, Int32Array.of(-1, 0));
    expect(columnLength(missing)).toBe(2);
    expect(valueAt(missing, 1)).toEqual(at(0));
    if (column.kind !== 'array' && column.kind !== 'tuple') {
      expect(valueAt(take(column, Int32Array.of(-1), true), 0)).toBeNull();
    }
  });
});

it('a mask tells the rows whose byte is not 0, whatever it is', () => {
  const bytes = [0, 1, 2, 127, 128, 255];
  for (let length = 0; length <= 6; length++) {
    for (let turn = 0; turn < 6; turn++) {
      const mask = Uint8Array.from({ length }, (_, i) => bytes[(i + turn) % 6]!);
      const rows = [...mask.keys()].filter((row) => mask[row] !== 0);
      expect([...maskIndex(mask)]).toEqual(rows);
    }
  }
});
