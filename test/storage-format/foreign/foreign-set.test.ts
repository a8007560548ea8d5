// Foreign sets against naive writers, against bytes that the systems' own pages print, and against
// Java's; damaged ones are refused, never read as something else.

import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import type { IntegerName } from '../../../storage-format/data-type.ts';
import {
  decodeForeignSet,
  type ForeignFormat,
} from '../../../storage-format/foreign/foreign-set.ts';
import { bitmapValue, databend, javaMap, type Members, roaring32, roaring64 } from './writers.ts';

const numbers = (count: number, step = 1, from = 0) =>
  Array.from({ length: count }, (_, i) => BigInt(from + i * step));

/** The edges of the formats: sizes where forms change, first and last ids. */
const edges32: readonly Members[] = [
  [],
  [0n],
  [2n ** 32n - 1n],
  numbers(31, 7),
  numbers(32),
  numbers(33),
  numbers(4095, 3),
  numbers(4096, 3),
  numbers(4097, 3),
  numbers(300, 65_535),
];
const edges64: readonly Members[] = [
  ...edges32,
  [2n ** 32n],
  [2n ** 64n - 1n],
  [0n, 2n ** 31n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n],
  numbers(50).map((id) => id << 32n),
];

interface Written {
  readonly name: string;
  readonly format: ForeignFormat;
  readonly write: (ids: Members) => Uint8Array;
}

const forms32: readonly Written[] = [
  { name: 'roaring32', format: 'roaring32', write: (ids) => roaring32(ids.map(Number)) },
];
const forms64: readonly Written[] = [
  { name: 'roaring64', format: 'roaring64', write: roaring64 },
  { name: 'java', format: 'roaring64java', write: (ids) => javaMap(ids, false) },
  { name: 'java, signed', format: 'roaring64java', write: (ids) => javaMap(ids, true) },
  ...(['none', 'v1', 'v2'] as const).flatMap((set) =>
    [false, true].flatMap((native): Written[] => {
      const write = (ids: Members) => bitmapValue(ids, { set, native });
      const name = `${set}${native ? ', native' : ''}`;
      const doris: Written = { name: `doris ${name}`, format: 'doris', write };
      const starrocks: Written = { name: `starrocks ${name}`, format: 'starrocks', write };
      return set === 'v1' ? [doris] : [doris, starrocks];
    }),
  ),
  { name: 'databend', format: 'databend', write: (ids) => databend(ids, 'header') },
  { name: 'databend legacy', format: 'databend', write: (ids) => databend(ids, 'legacy') },
  {
    name: 'clickhouse',
    format: 'clickhouse',
    write: (ids) => encodeState(BigUint64Array.from(ids), 'UInt64'),
  },
];

function read(bytes: Uint8Array, format: ForeignFormat, type: IntegerName = 'UInt64'): bigint[] {
  return [...decodeForeignSet(bytes, format, type)];
}

function outcome(bytes: Uint8Array, format: ForeignFormat): bigint[] | 'refused' {
  try {
    return read(bytes, format);
  } catch (error) {
    if (error instanceof MusterError) return 'refused';
    throw error;
  }
}

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

describe('sets of other systems', () => {
  it.each(forms32)('$name: edges come back', ({ format, write }) => {
    const full = [numbers(65_535), numbers(65_536), numbers(70_000, 2)];
    for (const ids of [...edges32, ...full]) expect(read(write(ids), format)).toEqual([...ids]);
  });

  it.each(forms64)('$name: edges come back', ({ format, write }) => {
    for (const ids of edges64) expect(read(write(ids), format)).toEqual([...ids]);
  });

  it.each([...forms32, ...forms64])('$name, random sets come back', ({ format, write }) => {
    const wide = format === 'roaring32' ? 2n ** 32n - 1n : 2n ** 64n - 1n;
    const id = fc.oneof(
      fc.bigInt({ min: 0n, max: 200n }),
      fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
      fc.bigInt({ min: 0n, max: wide }),
    );
    const sets = fc
      .uniqueArray(id, { maxLength: 60 })
      .map((ids) => ids.sort((a, b) => (a < b ? -1 : 1)));
    fc.assert(
      fc.property(sets, (ids) => {
        expect(read(write(ids), format)).toEqual(ids);
      }),
      { seed: 20_260_101, numRuns: 60 },
    );
  });

  it.each([...forms32, ...forms64])('$name: every truncation is refused', ({ format, write }) => {
    const samples = [numbers(3, 5), numbers(40, 3), numbers(70, 65_000)];
    const wide = format === 'roaring32' ? [] : [[1n, 2n ** 40n], numbers(40).map((n) => n << 31n)];
    for (const ids of [...samples, ...wide]) {
      const whole = write(ids);
      for (let length = 0; length < whole.length; length++) {
        // No bytes at all are Databend's empty set.
        const expected = format === 'databend' && length === 0 ? [] : 'refused';
        expect(outcome(whole.subarray(0, length), format), `${length}`).toEqual(expected);
      }
      const longer = Buffer.concat([whole, Buffer.of(0)]);
      expect(outcome(longer, format)).toBe('refused');
    }
  });

  it.each([...forms32, ...forms64])('$name: flipped bits never throw anything else', (form) => {
    const whole = form.write(numbers(40, 2000));
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const damaged = whole.slice();
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      const ids = outcome(damaged, form.format);
      if (ids === 'refused') continue;
      const ascending = ids.every((id, i) => i === 0 || id > ids[i - 1]!);
      expect(ascending, `bit ${bit}`).toBe(true);
    }
  });

  it.each<[string, ForeignFormat, Uint8Array, bigint[]]>([
    ['a set', 'doris', fromBase64('BQQAAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAA=='), numbers(4)],
    ['32 bits, second version', 'doris', fromBase64('DAI7MAAAAQAAIAABAAAAIAA='), numbers(33)],
    [
      '64 bits, second version',
      'doris',
      fromBase64('DQIAAAAAAjswAAABAAAfAAEAAAAfAAEAAAABAQAAAAAAAAA='),
      [...numbers(32), 2n ** 32n],
    ],
    ['one', 'starrocks', fromHex('01ffffffff'), [2n ** 32n - 1n]],
    ['a set', 'starrocks', fromHex('0a0200000009000000000000000100000000000000'), [1n, 9n]],
    [
      'small',
      'databend',
      fromHex('48420100020500000000000000ffffffffffffffff'),
      [5n, 2n ** 64n - 1n],
    ],
  ])('as printed: %s of %s', (_, format, bytes, ids) => {
    expect(read(bytes, format)).toEqual(ids);
  });

  it.each<[string, ForeignFormat, string]>([
    ['type 5 in StarRocks', 'starrocks', '0501' + '00'.repeat(8)],
    ['an unknown type', 'doris', '06'],
    ['a value twice', 'doris', '0502' + '0100000000000000'.repeat(2)],
    ['a value twice', 'starrocks', '0a02000000' + '0100000000000000'.repeat(2)],
    ['a huge count', 'starrocks', '0affffffff0100000000000000'],
    ['values that do not ascend', 'doris', '0c01020000000200000001000000'],
    ['a native form 3', 'doris', '0c03'],
    ['high halves twice', 'doris', '0d020100000001010000000100000001000000010100000001000000'],
    ['an empty bucket', 'doris', '0d01010000000100000000'],
    ['version 2', 'databend', '4842020000'],
    ['kind 2', 'databend', '4842010200'],
    ['33 small ones', 'databend', `4842010021${'00'.repeat(33 * 8)}`],
    ['a first byte of 2', 'roaring64java', '0200000000'],
    ['more buckets than bytes', 'roaring64java', '00ffffffff00000000'],
    ['four thousand million members', 'roaring32', hugeRuns()],
  ])('%s in %s is refused', (_, format, hex) => {
    expect(outcome(fromHex(hex), format)).toBe('refused');
  });

  it('a map that begins like the header of Databend is a map', () => {
    const buckets = numbers(0x14248).map((high) => high << 32n);
    expect(read(roaring64(buckets), 'databend')).toEqual(buckets);
  });
});

describe('ids of a type', () => {
  it('32-bit values of signed types are their bits', () => {
    const bytes = roaring32([0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]);
    const signed = read(bytes, 'roaring32', 'Int64').map((id) => BigInt.asIntN(64, id));
    expect(signed).toEqual([0n, 2n ** 31n - 1n, -(2n ** 31n), -1n]);
    expect(read(bytes, 'roaring32', 'Int32')).toEqual(read(bytes, 'roaring32', 'Int64'));
  });

  it.each<[ForeignFormat, Uint8Array, IntegerName]>([
    ['roaring32', roaring32([255, 256]), 'UInt8'],
    ['roaring32', roaring32([40_000]), 'Int16'],
    ['roaring64', roaring64([2n ** 32n]), 'UInt32'],
    ['roaring64', roaring64([2n ** 63n]), 'Int32'],
    ['doris', bitmapValue([2n ** 32n], { set: 'none', native: false }), 'UInt32'],
  ])('%s of an id that is none is refused', (format, bytes, type) => {
    expect(() => read(bytes, format, type)).toThrow(/which is no/);
  });

  it('of 64-bit values negative ones belong to signed types', () => {
    const bytes = roaring64([5n, 2n ** 64n - 2n]);
    expect(read(bytes, 'roaring64', 'Int8')).toEqual([5n, 2n ** 64n - 2n]);
    expect(() => read(bytes, 'roaring64', 'UInt32')).toThrow(/no UInt32/);
  });
});

describe('sets that Java wrote', () => {
  const folder = new URL('./java/', import.meta.url);
  const file = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));
  const wide = [0n, 1n, 5n << 32n, (5n << 32n) + 7n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
  const runs = [...numbers(69_990, 1, 10), ...numbers(5, 1, 2 ** 31)];

  it.each<[string, ForeignFormat, readonly bigint[]]>([
    ['empty.roaring32', 'roaring32', []],
    ['one.roaring32', 'roaring32', [7n]],
    ['negative.roaring32', 'roaring32', [0n, 2n ** 31n, 2n ** 32n - 1n]],
    ['array-4096.roaring32', 'roaring32', numbers(4096, 3)],
    ['bits-4097.roaring32', 'roaring32', numbers(4097, 3)],
    ['runs.roaring32', 'roaring32', runs],
    ['wide.portable', 'roaring64', wide],
    ['wide.legacy', 'roaring64java', wide],
    ['wide.signed-legacy', 'roaring64java', wide],
    ['wide-empty.portable', 'roaring64', []],
    ['wide-empty.legacy', 'roaring64java', []],
  ])('%s', (name, format, ids) => {
    expect(read(file(name), format)).toEqual([...ids]);
  });

  it('the trees of Roaring64Bitmap are nobody else’s: refused', () => {
    const formats: ForeignFormat[] = [
      'roaring32',
      'roaring64',
      'roaring64java',
      'doris',
      'databend',
    ];
    for (const format of formats) expect(outcome(file('wide.art'), format)).toBe('refused');
  });
});

/** 65,536 containers of one run each: all numbers there are. */
function hugeRuns(): string {
  const count = 65_536;
  const bytes = Buffer.alloc(4 + count / 8 + 4 * count + 4 * count + 6 * count);
  bytes.writeUInt16LE(12_347, 0);
  bytes.writeUInt16LE(count - 1, 2);
  bytes.fill(255, 4, 4 + count / 8);
  const keysAt = 4 + count / 8;
  const offsetsAt = keysAt + 4 * count;
  const bodiesAt = offsetsAt + 4 * count;
  for (let i = 0; i < count; i++) {
    bytes.writeUInt16LE(i, keysAt + 4 * i);
    bytes.writeUInt16LE(65_535, keysAt + 4 * i + 2);
    bytes.writeUInt32LE(bodiesAt + 6 * i, offsetsAt + 4 * i);
    bytes.writeUInt16LE(1, bodiesAt + 6 * i);
    bytes.writeUInt16LE(65_535, bodiesAt + 6 * i + 4);
  }
  return bytes.toString('hex');
}
