// What is said to grow does so for every day there is, and for times around each other.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoundExpression } from '../../../engine/plan/bound-expression.ts';
import { typedCall } from '../../../engine/plan/function-calls.ts';
import { constantOf } from '../../../engine/plan/literal.ts';
import {
  chainOf,
  growingDateFunctions,
  growingTimeFunctions,
} from '../../../engine/root/monotonic-functions.ts';
import { constantScope } from '../../../engine/root/value-intervals.ts';
import { evaluateFull } from '../../../engine/rows/evaluate.ts';
import { plain } from '../../../engine/rows/relation.ts';
import { columnOf, type Value } from '../../../engine/values/column-builder.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';

const functions = { timeZone: 'UTC', now: 0, database: 'bm', user: 'default' };
const uint8: DataType = { kind: 'UInt8' };

function over(name: string, type: DataType, ...rest: readonly BoundExpression[]): BoundExpression {
  return typedCall(name, [{ kind: 'column', type, index: 0 }, ...rest], { functions });
}

function valuesOf(expression: BoundExpression, column: Column, rows: number): ArrayLike<unknown> {
  const relation = { rows, columns: [plain(column)] };
  const result = evaluateFull(expression, relation, constantScope(functions));
  if (result.kind !== 'number' && result.kind !== 'wide') throw new Error('numbers');
  return result.values;
}

function expectGrowing(values: ArrayLike<unknown>): void {
  for (let i = 1; i < values.length; i++) {
    if ((values[i] as number) < (values[i - 1] as number)) expect([i, values[i]]).toBe('growing');
  }
}

describe('of dates', () => {
  const days = Uint16Array.from({ length: 65_536 }, (_, day) => day);

  it.each(growingDateFunctions)('%s', (name) => {
    const call = over(name, { kind: 'Date' });
    expect(chainOf(call)).toMatchObject({ column: 0, grows: true });
    expectGrowing(valuesOf(call, { kind: 'number', values: days }, days.length));
  });

  it.each(['toMonth', 'toDayOfWeek', 'toQuarter', 'toLastDayOfMonth'])('%s is not', (name) => {
    expect(chainOf(over(name, { kind: 'Date' }))).toMatchObject({ grows: false });
  });
});

describe('of times', () => {
  const type: DataType = { kind: 'DateTime' };
  const edges = [0, 1, 86_399, 86_400, 2 ** 31, 2 ** 32 - 1];
  const times = fc.array(fc.oneof(fc.nat(2 ** 32 - 1), fc.constantFrom(...edges)));

  it.each([...growingDateFunctions, ...growingTimeFunctions])('%s', (name) => {
    const call = over(name, type);
    expect(chainOf(call)).toMatchObject({ column: 0, grows: true });
    fc.assert(
      fc.property(times, (list) => {
        const values = Uint32Array.from(list).sort();
        expectGrowing(valuesOf(call, { kind: 'number', values }, values.length));
      }),
    );
  });

  it('zones are told', () => {
    const zone = constantOf({ kind: 'String' }, 'Asia/Tokyo');
    expect(chainOf(over('toDate', type))?.zones).toEqual(new Set(['']));
    expect(chainOf(over('toDate', type, zone))?.zones).toEqual(new Set(['Asia/Tokyo']));
    expect(chainOf(over('toDate', { ...type, timeZone: 'Asia/Tokyo' }))?.zones).toEqual(
      new Set(['Asia/Tokyo']),
    );
  });
});

describe('intDiv by a constant above 0', () => {
  it.each(['Int8', 'UInt8', 'Int64', 'UInt64'] as const)('of %s', (kind) => {
    const call = over('intDiv', { kind }, constantOf(uint8, 7));
    expect(chainOf(call)).toMatchObject({ grows: true });
    const [min, max] = kind.startsWith('U') ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
    const all: readonly bigint[] = kind.endsWith('64')
      ? [min, min + 1n, -8n, -7n, -1n, 0n, 6n, 7n, max - 1n, max].filter((x) => x >= min)
      : Array.from({ length: 256 }, (_, i) => BigInt(kind === 'Int8' ? i - 128 : i));
    const values = all.map((value): Value => (kind.endsWith('64') ? value : Number(value)));
    expectGrowing(valuesOf(call, columnOf({ kind }, values), values.length));
  });

  it('is not by 0, below 0, or of a constant', () => {
    for (const divisor of [0, -3]) {
      const by = constantOf({ kind: 'Int8' }, divisor);
      expect(chainOf(over('intDiv', uint8, by))).toMatchObject({ grows: false });
    }
    const swapped = typedCall(
      'intDiv',
      [constantOf(uint8, 9), { kind: 'column', type: uint8, index: 0 }],
      { functions },
    );
    expect(chainOf(swapped)).toMatchObject({ grows: false });
  });
});
