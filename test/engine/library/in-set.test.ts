import { expect, it } from 'vitest';
import { buildInSet } from '../../../engine/library/in-set.ts';
import type { FunctionContext } from '../../../engine/library/scalar-function.ts';
import { columnOf, valueAt } from '../../../engine/values/column-builder.ts';
import type { Value } from '../../../engine/values/column-builder.ts';
import type { DataType } from '../../../storage-format/data-type.ts';

const context: FunctionContext = { timeZone: 'UTC', now: 0, database: 'd', user: 'u' };

interface Question {
  readonly left: DataType;
  readonly values: readonly Value[];
  readonly right: DataType;
  readonly set: readonly Value[];
}

function ask(question: Question): Value[] {
  const { left, values, right, set } = question;
  const source = { types: [right], columns: [columnOf(right, set)], rows: set.length };
  const prepared = buildInSet(left, source, context);
  const column = columnOf(left, values);
  const answer = prepared.evaluate({ type: left, column, constant: false }, values.length);
  return values.map((_, row) => valueAt(answer.column, row));
}

const uint8: DataType = { kind: 'UInt8' };
const int64: DataType = { kind: 'Int64' };
const uint64: DataType = { kind: 'UInt64' };

it('matches no constant that the left type cannot hold', () => {
  const right: DataType = { kind: 'Float64' };
  expect(ask({ left: uint8, values: [44, 1, 255], right, set: [300, 1, -1, 1.5] })).toEqual([
    0, 1, 0,
  ]);
  const huge = [2n ** 64n - 1n];
  expect(ask({ left: int64, values: [-1n, 5n], right: uint64, set: huge })).toEqual([0, 0]);
  expect(ask({ left: uint64, values: huge, right: uint64, set: huge })).toEqual([1]);
});

it('gives NULL for NULL and passes over NULLs in the set', () => {
  const left: DataType = { kind: 'Nullable', inner: { kind: 'String' } };
  expect(ask({ left, values: ['a', null, 'b'], right: left, set: ['a', null] })).toEqual([
    1,
    null,
    0,
  ]);
});

it('reads dates out of texts', () => {
  const set = ['1970-01-02'];
  expect(ask({ left: { kind: 'Date' }, values: [0, 1], right: { kind: 'String' }, set })).toEqual([
    0, 1,
  ]);
});

it('compares tuples field by field', () => {
  const pair: DataType = { kind: 'Tuple', fields: [{ type: uint8 }, { type: { kind: 'String' } }] };
  const values = [
    [1, 'a'],
    [1, 'b'],
    [2, 'a'],
  ];
  expect(
    ask({
      left: pair,
      values,
      right: pair,
      set: [
        [1, 'b'],
        [2, 'a'],
      ],
    }),
  ).toEqual([0, 1, 1]);
});

it('refuses a list whose types cannot meet', () => {
  const right: DataType = { kind: 'Array', item: uint8 };
  expect(() => ask({ left: uint8, values: [1], right, set: [[1]] })).toThrow(
    expect.objectContaining({ code: 53 }),
  );
});
