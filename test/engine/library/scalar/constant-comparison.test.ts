// A column beside a constant, as compared in one pass, against the order of rows in general.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparedToConstant } from '../../../../engine/library/scalar/constant-comparison.ts';
import { orderRows } from '../../../../engine/library/scalar/order-lanes.ts';
import type { Argument } from '../../../../engine/library/scalar-function.ts';

const outcomes = { less: 0, equal: 1, greater: 2, unordered: 3 };
const edges = [0n, 1n, 10n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n];
const unsigned = fc.oneof(
  fc.constantFrom(...edges, 2n ** 63n, 2n ** 64n - 1n),
  fc.bigInt(0n, 2n ** 64n - 1n),
);
const signed = fc.oneof(
  fc.constantFrom(...edges, -1n, -(2n ** 31n), -(2n ** 32n), -(2n ** 63n)),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
);
const small = fc.integer({ min: -128, max: 127 });
const double = fc.oneof(fc.double(), fc.constantFrom(0, -0, 1, Number.NaN, Infinity));

const wide = {
  UInt64: (values: readonly bigint[], constant: boolean): Argument => ({
    type: { kind: 'UInt64' },
    column: { kind: 'wide', values: BigUint64Array.from(values) },
    constant,
  }),
  Int64: (values: readonly bigint[], constant: boolean): Argument => ({
    type: { kind: 'Int64' },
    column: { kind: 'wide', values: BigInt64Array.from(values) },
    constant,
  }),
};

function int8(values: readonly number[], constant: boolean): Argument {
  return {
    type: { kind: 'Int8' },
    column: { kind: 'number', values: Int8Array.from(values) },
    constant,
  };
}

function float64(values: readonly number[], constant: boolean): Argument {
  return {
    type: { kind: 'Float64' },
    column: { kind: 'number', values: Float64Array.from(values) },
    constant,
  };
}

function expectSame(a: Argument, b: Argument, rows: number): void {
  expect([...comparedToConstant(a, b, outcomes)!]).toEqual([...orderRows(a, b, rows)]);
}

it.each([
  ['UInt64', unsigned, 'UInt64', unsigned],
  ['UInt64', unsigned, 'Int64', signed],
  ['Int64', signed, 'Int64', signed],
  ['Int64', signed, 'UInt64', unsigned],
] as const)('%s', (kind, values, other, constants) => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 8 }), constants, (rows, constant) => {
      const near = [...rows, ...(rows[0] === undefined ? [] : [rows[0]])];
      expectSame(wide[kind](near, false), wide[other]([constant], true), near.length);
      const own = near[0];
      if (own !== undefined)
        expectSame(wide[kind](near, false), wide[kind]([own], true), near.length);
    }),
  );
});

it('64 bits beside a small integer', () => {
  fc.assert(
    fc.property(fc.array(signed), small, (rows, constant) => {
      const values = [...rows, BigInt(constant), BigInt(constant) - 1n];
      expectSame(wide.Int64(values, false), int8([constant], true), values.length);
      const positive = values.map((value) => BigInt.asUintN(64, value));
      expectSame(wide.UInt64(positive, false), int8([constant], true), positive.length);
    }),
  );
});

it('doubles and small integers', () => {
  fc.assert(
    fc.property(fc.array(double), double, (rows, constant) => {
      const values = [...rows, constant];
      expectSame(float64(values, false), float64([constant], true), values.length);
    }),
  );
  fc.assert(
    fc.property(fc.array(small), double, (rows, constant) => {
      expectSame(int8(rows, false), float64([constant], true), rows.length);
    }),
  );
});

it('leaves the rest to others', () => {
  const values = wide.UInt64([1n], false);
  expect(comparedToConstant(values, wide.UInt64([1n], false), outcomes)).toBeUndefined();
  expect(comparedToConstant(values, float64([1.5], true), outcomes)).toBeUndefined();
  expect(comparedToConstant(wide.UInt64([1n], true), values, outcomes)).toBeUndefined();
});
