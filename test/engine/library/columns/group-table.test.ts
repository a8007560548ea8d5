import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupTable } from '../../../../engine/library/columns/group-table.ts';
import { columnOf, type Value, valueAt } from '../../../../engine/values/column-builder.ts';
import type { DataType } from '../../../../storage-format/data-type.ts';

const nullable = (inner: DataType): DataType => ({ kind: 'Nullable', inner });
const types: readonly DataType[] = [
  nullable({ kind: 'Int32' }),
  nullable({ kind: 'String' }),
  { kind: 'UInt64' },
  { kind: 'Array', item: { kind: 'UInt8' } },
];
const row = fc.tuple(
  fc.option(fc.integer({ min: -3, max: 3 })),
  fc.option(fc.constantFrom('', 'a', 'bb')),
  fc.constantFrom(0n, 1n, 2n ** 64n - 1n, 2n ** 32n),
  fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2 }),
);

const keyOf = (values: readonly Value[]): string =>
  JSON.stringify(values, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v));

describe('groups of rows', () => {
  it('are those of a map by all values, numbered as they appear, over blocks', () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 20 }), { maxLength: 4 }), (blocks) => {
        const table = new GroupTable(types);
        const naive = new Map<string, number>();
        for (const block of blocks) {
          const columns = types.map((type, k) =>
            columnOf(
              type,
              block.map((r) => r[k] ?? null),
            ),
          );
          const expected = block.map((values) => {
            const key = keyOf(values);
            if (!naive.has(key)) naive.set(key, naive.size);
            return naive.get(key);
          });
          expect([...table.add(columns, block.length)]).toEqual(expected);
          expect([...table.find(columns, block.length)]).toEqual(expected);
        }
        expect(table.size).toBe(naive.size);
        const keys = table.keys();
        const rows = Array.from({ length: table.size }, (_, i) => keys.map((c) => valueAt(c, i)));
        expect(rows.map(keyOf)).toEqual([...naive.keys()]);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('find says -1 for a key that was never added, also when its parts are known', () => {
    const table = new GroupTable([{ kind: 'UInt8' }, { kind: 'String' }]);
    const block = (numbers: number[], texts: string[]) => [
      columnOf({ kind: 'UInt8' }, numbers),
      columnOf({ kind: 'String' }, texts),
    ];
    table.add(block([1, 2], ['a', 'b']), 2);
    expect([...table.find(block([1, 2, 3], ['b', 'b', 'a']), 3)]).toEqual([-1, 1, -1]);
  });

  it('without keys are one group, and none without rows', () => {
    const table = new GroupTable([]);
    expect(table.size).toBe(0);
    expect([...table.add([], 3)]).toEqual([0, 0, 0]);
    expect(table.size).toBe(1);
  });

  it('take 0 and -0, and every NaN, for one key', () => {
    const table = new GroupTable([{ kind: 'Float64' }]);
    const column = columnOf({ kind: 'Float64' }, [0, -0, Number.NaN, -Number.NaN, 1]);
    expect([...table.add([column], 5)]).toEqual([0, 0, 1, 1, 2]);
  });
});
