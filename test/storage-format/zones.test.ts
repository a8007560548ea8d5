// Zones hold the least and the greatest value of a run, as a look at each row finds them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { encodeKeyTuple, type KeyValue } from '../../storage-format/key-tuple.ts';
import { zoneOf } from '../../storage-format/zones.ts';

function naive(values: readonly KeyValue[], type: DataType) {
  let [min = null] = values;
  let max = min;
  for (const value of values) {
    if (value! < min!) min = value;
    if (value! > max!) max = value;
  }
  return {
    min: encodeKeyTuple([min], [type]),
    max: encodeKeyTuple([max], [type]),
    hasNulls: false,
  };
}

const edges = [0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n];

function checked(type: DataType, values: readonly KeyValue[], column: Column): void {
  const [start, end] = [Math.floor(values.length / 3), values.length];
  expect(zoneOf(column, type, { start, end })).toEqual(naive(values.slice(start), type));
}

it('of 64-bit columns, signed and unsigned', () => {
  const signed = fc.oneof(
    fc.constantFrom(...edges, ...edges.map((n) => -n - 1n)),
    fc.bigInt({ min: -5n, max: 5n }),
  );
  const unsigned = fc.constantFrom(...edges, 2n ** 63n, 2n ** 64n - 1n);
  fc.assert(
    fc.property(fc.array(signed, { minLength: 1, maxLength: 12 }), (values) =>
      checked({ kind: 'Int64' }, values, { kind: 'wide', values: BigInt64Array.from(values) }),
    ),
  );
  fc.assert(
    fc.property(fc.array(unsigned, { minLength: 1, maxLength: 12 }), (values) =>
      checked({ kind: 'UInt64' }, values, { kind: 'wide', values: BigUint64Array.from(values) }),
    ),
  );
});

it('of texts and small numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { minLength: 1 }), (values) => {
      const bytes = values.map((value) => Buffer.from(value).toString('latin1'));
      checked({ kind: 'String' }, bytes, { kind: 'string', values: bytes });
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) =>
      checked({ kind: 'Int32' }, values, { kind: 'number', values: Int32Array.from(values) }),
    ),
  );
});

it('is nothing where there are no rows', () => {
  const column: Column = { kind: 'wide', values: new BigInt64Array(3) };
  expect(zoneOf(column, { kind: 'Int64' }, { start: 2, end: 2 })).toBeUndefined();
  expect(
    zoneOf({ kind: 'string', values: ['a'] }, { kind: 'String' }, { start: 1, end: 1 }),
  ).toBeUndefined();
});
