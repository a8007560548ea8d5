// Key tuples: byte order is SQL order with NULLs last, and decoding gives the values back.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseType } from '../../storage-format/data-type-parser.ts';
import {
  compareKeyTuples,
  decodeKeyTuple,
  encodeKeyTuple,
  type KeyValue,
} from '../../storage-format/key-tuple.ts';

const byteString = fc
  .uint8Array({ maxLength: 6 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 4 });

/** Type name and its values, for types whose order is that of JavaScript's `<`. */
const ordered: Readonly<Record<string, fc.Arbitrary<KeyValue>>> = {
  Int8: fc.integer({ min: -128, max: 127 }),
  'Nullable(Int16)': orNull(fc.integer({ min: -32768, max: 32767 })),
  Int32: fc.integer(),
  Int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  UInt8: fc.nat(255),
  UInt16: fc.nat(65_535),
  'Nullable(UInt32)': orNull(fc.nat(2 ** 32 - 1)),
  UInt64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  Float64: fc.double({ noNaN: true }),
  'Nullable(Float32)': orNull(fc.float({ noNaN: true })),
  'LowCardinality(Nullable(String))': orNull(byteString),
  Date: fc.nat(65_535),
  "DateTime64(3, 'UTC')": fc.bigInt({ min: -1000n, max: 1000n }),
  "Enum8('a' = -1, 'b' = 1)": fc.constantFrom(-1, 1),
};

function order(a: KeyValue, b: KeyValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : a > b ? 1 : 0;
}

const hexOf = (values: KeyValue[], ...names: string[]) =>
  Buffer.from(encodeKeyTuple(values, names.map(parseType))).toString('hex');

describe('key tuples', () => {
  for (const [name, values] of Object.entries(ordered)) {
    const types = [parseType(name), parseType('String')];
    it(`orders and gives back ${name}`, () => {
      fc.assert(
        fc.property(values, values, byteString, byteString, (a, b, s, t) => {
          const [x, y] = [encodeKeyTuple([a, s], types), encodeKeyTuple([b, t], types)];
          expect(Math.sign(compareKeyTuples(x, y))).toBe(order(a, b) || order(s, t));
          const back = Object.is(a, -0) ? 0 : a;
          expect(decodeKeyTuple(x, types)).toEqual([back, s]);
        }),
      );
    });
  }

  it('orders lists element by element, a prefix first', () => {
    const types = [parseType('Array(String)')];
    const lists = [[], [''], ['', ''], ['\0'], ['a'], ['a', 'b'], ['ab'], ['b']];
    const bytes = lists.map((list) => encodeKeyTuple([list], types));
    expect([...bytes].sort(compareKeyTuples)).toEqual(bytes);
    expect(bytes.map((b) => decodeKeyTuple(b, types))).toEqual(lists.map((list) => [list]));
  });

  it('puts NaN after every number and before NULL', () => {
    const types = [parseType('Nullable(Float64)')];
    const values = [-Infinity, -1, 0, 5e-324, 1, Infinity, NaN, null];
    const bytes = values.map((value) => encodeKeyTuple([value], types));
    expect([...bytes].sort(compareKeyTuples)).toEqual(bytes);
    expect(decodeKeyTuple(bytes[6]!, types)).toEqual([NaN]);
  });

  it('gives the bytes that SPEC.md prints', () => {
    expect(hexOf(['a\0b', -1], 'String', 'Int32')).toBe('016100ff620000017fffffff');
    expect(hexOf([null, 2n], 'Nullable(UInt8)', 'UInt64')).toBe('ff010000000000000002');
    expect(hexOf([1.5], 'Float64')).toBe('01bff8000000000000');
    expect(hexOf([-1.5], 'Float32')).toBe('014007ffffffffffff');
    expect(hexOf([['a']], 'Array(String)')).toBe('010161000000');
  });

  it('refuses bytes that are not a tuple', () => {
    const types = [parseType('String')];
    for (const hex of ['', '02', '0161', '016100', '01610001', '0161000000']) {
      expect(() => decodeKeyTuple(Buffer.from(hex, 'hex'), types)).toThrow(/not an encoded key/);
    }
  });
});
