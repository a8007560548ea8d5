import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareRows } from '../../../../engine/library/columns/compare.ts';
import { type SortKey, sortPermutation } from '../../../../engine/library/columns/sort.ts';
import { columnOf } from '../../../../engine/values/column-builder.ts';
import { isNullAt } from '../../../../storage-format/column.ts';
import type { DataType } from '../../../../storage-format/data-type.ts';

function naive(keys: readonly SortKey[], rows: number): number[] {
  return Array.from({ length: rows }, (_, i) => i).sort((a, b) => {
    for (const key of keys) {
      const difference = naiveKey(key, a, b);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

function naiveKey(key: SortKey, a: number, b: number): number {
  const [aNull, bNull] = [isNullAt(key.column, a), isNullAt(key.column, b)];
  if (aNull || bNull) return aNull === bNull ? 0 : aNull === key.nullsFirst ? -1 : 1;
  const order = compareRows(key.column, key.column, { a, b });
  return key.descending ? -order : order;
}

it('rows that come in order of the last key, or nearly so', () => {
  const values = [0n, 1n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 32n + 1n, 2n ** 33n];
  for (const descending of [false, true]) {
    for (let at = 0; at < values.length; at++) {
      const [one, next = 0n] = values.slice(at);
      const moved = [...values.slice(0, at), next, one!, ...values.slice(at + 2)];
      for (const list of [values, values.toReversed(), moved]) {
        const ids = columnOf({ kind: 'UInt64' }, list);
        const groups = columnOf(
          { kind: 'UInt8' },
          list.map((_, i) => i % 2),
        );
        const keys = [groups, ids].map((column) => ({ column, descending, nullsFirst: false }));
        expect([...sortPermutation(keys, list.length)]).toEqual(naive(keys, list.length));
        const last = keys.slice(1);
        expect([...sortPermutation(last, list.length)]).toEqual(naive(last, list.length));
      }
    }
  }
});

const nullable = (inner: DataType): DataType => ({ kind: 'Nullable', inner });

it('sorts as a comparator does, stably, by several keys of any type', () => {
  const row = fc.tuple(
    fc.option(fc.integer({ min: -2, max: 2 })),
    fc.bigInt({ min: -3n, max: 3n }),
    fc.constantFrom('', 'a', 'ab', 'b', '\xff'),
    fc.constantFrom(-1.5, -0, 0, 2, Infinity),
    fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
  );
  const types: readonly DataType[] = [
    nullable({ kind: 'Int16' }),
    { kind: 'Int64' },
    { kind: 'String' },
    { kind: 'Float64' },
    { kind: 'Array', item: { kind: 'UInt8' } },
  ];
  const choice = fc.record({
    k: fc.integer({ min: 0, max: 4 }),
    descending: fc.boolean(),
    nullsFirst: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 40 }),
      fc.array(choice, { minLength: 1, maxLength: 3 }),
      (rows, choices) => {
        const keys = choices.map(({ k, descending, nullsFirst }) => ({
          column: columnOf(
            types[k]!,
            rows.map((values) => values[k] ?? null),
          ),
          descending,
          nullsFirst,
        }));
        expect([...sortPermutation(keys, rows.length)]).toEqual(naive(keys, rows.length));
      },
    ),
    { seed: 11, numRuns: 300 },
  );
});

it('sorts many rows (wide digits) as few', () => {
  const values = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 65_537);
  const column = columnOf({ kind: 'UInt32' }, values);
  const order = sortPermutation([{ column, descending: false, nullsFirst: false }], 10_000);
  const sorted = [...order].map((row) => values[row] ?? 0);
  expect(sorted).toEqual(values.toSorted((a, b) => a - b));
});
