// Keys that ascend are numbered as a map numbers them, through equal neighbours and ends of blocks, and
// go on to be when one comes that doesn't.

import { consecutiveStart } from '../../../../base/consecutive.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AscendingKeys } from '../../../../engine/library/columns/ascending-keys.ts';
import { columnHalves } from '../../../../engine/library/columns/halves.ts';
import { keyTable } from '../../../../engine/library/columns/key-table.ts';
import { columnOf, type Value, valueAt } from '../../../../engine/values/column-builder.ts';
import type { DataType } from '../../../../storage-format/data-type.ts';

const types: readonly (readonly [DataType, readonly Value[]])[] = [
  [{ kind: 'UInt8' }, [0, 1, 2, 254, 255]],
  [{ kind: 'Int32' }, [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1]],
  [{ kind: 'UInt64' }, [0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n]],
  [{ kind: 'Int64' }, [-(2n ** 63n), -1n, 0n, 2n ** 32n, 2n ** 63n - 1n]],
  [{ kind: 'Float64' }, [-Infinity, -1.5, 0, 0.5, 2, Infinity]],
  [{ kind: 'Nullable', inner: { kind: 'UInt16' } }, [null, 0, 1, 7, 65_535]],
];

/** Blocks of places in a type's values: mostly ascending, at times not. */
const blocks = fc
  .tuple(fc.array(fc.nat(4), { maxLength: 12 }), fc.boolean(), fc.nat(12))
  .map(([places, ascend, cut]) => {
    const ordered = ascend ? places.toSorted((a, b) => a - b) : places;
    return [ordered.slice(0, cut), ordered.slice(cut)];
  });

describe('a table of keys', () => {
  it('numbers keys as a map does, in order or not, then finds them', () => {
    fc.assert(
      fc.property(fc.nat(types.length - 1), blocks, fc.boolean(), (of, parts, looks) => {
        const [type, values] = types[of]!;
        const table = keyTable(type);
        const naive = new Map<Value, number>();
        for (const places of parts) {
          const rows = places.map((place) => values[place] ?? null);
          const column = columnOf(type, rows);
          const expected = rows.map((value) => {
            if (!naive.has(value)) naive.set(value, naive.size);
            return naive.get(value);
          });
          expect([...table.add(column, rows.length)]).toEqual(expected);
          if (looks) expect([...table.find(column, rows.length)]).toEqual(expected);
        }
        expect(table.size).toBe(naive.size);
        const keys = table.keys();
        const found = Array.from(naive.keys(), (_, i) => valueAt(keys, i));
        expect(found).toEqual([...naive.keys()]);
        const unknown = columnOf(
          type,
          values.filter((value) => !naive.has(value)),
        );
        const rows = values.filter((value) => !naive.has(value)).length;
        expect([...table.find(unknown, rows)]).toEqual(new Array(rows).fill(-1));
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});

describe('keys that ascend', () => {
  const add = (keys: AscendingKeys, values: readonly number[]) => {
    const column = columnOf({ kind: 'UInt32' }, values);
    if (column.kind !== 'number') throw new Error('numbers');
    return keys.add(column, columnHalves(column, values.length, false), values.length);
  };

  it('keep distinct rows where they came, without a copy', () => {
    const keys = new AscendingKeys();
    const column = columnOf({ kind: 'UInt32' }, [3, 4, 9]);
    if (column.kind !== 'number') throw new Error('numbers');
    keys.add(column, columnHalves(column, 3, false), 3);
    const kept = keys.pieces[0]!;
    expect(kept.values.buffer).toBe(column.values.buffer);
  });

  it('number rows that are each new by what all such rows share', () => {
    const keys = new AscendingKeys();
    expect(consecutiveStart(add(keys, [0, 3, 4])!)).toBe(0);
    expect(consecutiveStart(add(keys, [7, 9])!)).toBe(3);
    expect(consecutiveStart(add(keys, [9, 12])!)).toBeUndefined();
    expect([...add(keys, [13])!]).toEqual([6]);
    expect([keys.size, valueAt(keys.keys(), 5), valueAt(keys.keys(), 6)]).toEqual([7, 12, 13]);
  });

  it('refuse a block that breaks the order, and have not changed', () => {
    const keys = new AscendingKeys();
    expect([...add(keys, [2, 2, 5])!]).toEqual([0, 0, 1]);
    expect(add(keys, [6, 4])).toBeUndefined();
    expect([keys.size, ...add(keys, [5, 6])!]).toEqual([2, 1, 2]);
    expect(valueAt(keys.keys(), 2)).toBe(6);
  });
});
