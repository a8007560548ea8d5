import { describe, expect, it } from 'vitest';
import { applyFunction, resolveFunction } from '../../../engine/library/apply-function.ts';
import { findScalarFunction } from '../../../engine/library/registry.ts';
import type { Argument, FunctionContext } from '../../../engine/library/scalar-function.ts';
import { columnOf, type Value, valueAt } from '../../../engine/values/column-builder.ts';
import { type DataType, formatType } from '../../../storage-format/data-type.ts';

const context: FunctionContext = { timeZone: 'UTC', now: 0, database: 'd', user: 'u' };
const int32: DataType = { kind: 'Int32' };
const nullableInt32: DataType = { kind: 'Nullable', inner: int32 };

function column(type: DataType, values: readonly Value[]): Argument {
  return { type, column: columnOf(type, values), constant: false };
}

function constant(type: DataType, value: Value): Argument {
  return { type, column: columnOf(type, [value]), constant: true };
}

function call(name: string, operands: readonly Argument[], rows: number): Argument {
  const types = operands.map((a) =>
    a.constant ? { type: a.type, constant: a.column } : { type: a.type },
  );
  const resolved = resolveFunction(findScalarFunction(name)!, types, context);
  return applyFunction(resolved, { arguments: operands, rows, context });
}

describe('calls', () => {
  it('leave out NULL rows, so that what stands under them cannot fail', () => {
    const result = call(
      'intDiv',
      [column(int32, [7, 7, 9]), column(nullableInt32, [2, null, 3])],
      3,
    );
    expect(formatType(result.type)).toBe('Nullable(Int32)');
    expect([0, 1, 2].map((row) => valueAt(result.column, row))).toEqual([3, null, 3]);
    expect(result.column.kind === 'number' && result.column.values[1]).toBe(0);
  });

  it('fold constants to one row', () => {
    const result = call('plus', [constant(int32, 1), constant(int32, 2)], 1000);
    expect(result.constant).toBe(true);
    expect(valueAt(result.column, 0)).toBe(3n);
  });

  it('are NULL throughout for a NULL literal', () => {
    const nothing: DataType = { kind: 'Nullable', inner: { kind: 'Nothing' } };
    const result = call('plus', [column(int32, [1, 2]), constant(nothing, null)], 2);
    expect(formatType(result.type)).toBe('Nullable(Nothing)');
    expect(valueAt(result.column, 0)).toBeNull();
  });

  it('say how many arguments were expected', () => {
    expect(() => call('plus', [constant(int32, 1)], 1)).toThrow(
      "Number of arguments for function plus doesn't match: passed 1, should be 2",
    );
  });

  it('keep LowCardinality of one column among constants only', () => {
    const label: DataType = { kind: 'LowCardinality', inner: { kind: 'String' } };
    const text: DataType = { kind: 'String' };
    const one = call('concat', [column(label, ['a']), constant(text, 'b')], 1);
    const two = call('concat', [column(label, ['a']), column(text, ['b'])], 1);
    expect([formatType(one.type), formatType(two.type)]).toEqual([
      'LowCardinality(String)',
      'String',
    ]);
  });

  it('find functions under their aliases, in any case where ClickHouse allows it', () => {
    for (const name of ['SUBSTR', 'coalesce', 'COALESCE', 'lcase', 'ABS', 'DATE_DIFF', 'Least']) {
      expect(findScalarFunction(name), name).toBeDefined();
    }
    expect(findScalarFunction('TOSTRING')).toBeUndefined();
  });
});
