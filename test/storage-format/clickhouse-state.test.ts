// States against the bytes that ClickHouse 26.7 printed, and hostile states that it accepts.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  copySmallState,
  decodeState,
  decodeWholeState,
  encodeState,
  stateEnd,
  widthOf,
} from '../../storage-format/clickhouse-state.ts';
import type { IntegerName } from '../../storage-format/data-type.ts';
import { edgeSets, integerNames } from './code-samples.ts';

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const patterns = (values: readonly (number | bigint)[]) =>
  BigUint64Array.from(values, (value) => BigInt.asUintN(64, BigInt(value))).sort();
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();

const written: readonly [string, IntegerName, readonly (number | bigint)[]][] = [
  ['0000', 'UInt8', []],
  ['0000', 'Int64', []],
  ['0003010405', 'UInt8', [5, 4, 1]],
  ['0003010000000200000003000000', 'UInt32', [1, 2, 3]],
  ['00030100000002000000FFFFFFFF', 'Int32', [-1, 1, 2]],
  ['0003010000000000000004000000000000000500000000000000', 'UInt64', [5, 4, 1]],
  ['010F3B3000000100002000010001002000', 'UInt8', range(1, 33)],
  ['010F3B3000000100002000010001002000', 'UInt16', range(1, 33)],
  ['010F3B3000000100002000010001002000', 'UInt32', range(1, 33)],
  ['011B0100000000000000000000003B3000000100002000010001002000', 'UInt64', range(1, 33)],
  ['010F3B30000001FFFF20000100DFFF2000', 'Int8', range(-33, -1)],
  ['011B0100000000000000FFFFFFFF3B30000001FFFF20000100DFFF2000', 'Int64', range(-33, -1)],
];

const read: readonly [string, IntegerName, readonly (number | bigint)[]][] = [
  ['0003050401', 'UInt8', [1, 4, 5]],
  ['0003050004000100', 'UInt16', [1, 4, 5]],
  ['0003FFFFFFFF0100000002000000', 'Int32', [-1, 1, 2]],
  ['01143A30000001000000000001001000000026002700', 'UInt32', [38, 39]],
  ['01083A30000000000000', 'UInt32', []],
  ['01080000000000000000', 'UInt64', []],
];

const bitset = `3a300000010000000000871310000000${'ff'.repeat(10)}${'00'.repeat(8182)}`;
const hostile: readonly [string, IntegerName, string][] = [
  ['small set lists 7 twice', 'UInt32', '00020700000007000000'],
  ['unsorted array', 'UInt32', '01163a300000010000000000020010000000050001000300'],
  ['duplicate in array', 'UInt32', '01143a30000001000000000001001000000001000100'],
  ['keys descending', 'UInt32', '011c3a300000020000000100000000000000180000001a00000001000200'],
  ['duplicate key', 'UInt32', '011c3a300000020000000000000000000000180000001a00000001000200'],
  ['offset 9999', 'UInt32', '01143a30000001000000000001000f27000001000200'],
  ['overlapping runs', 'UInt32', '01133b300000010000060002000000040003000300'],
  ['touching runs', 'UInt32', '01133b300000010000030002000000010002000100'],
  ['run past 65535', 'UInt32', '010f3b3000000100000a000100faff0a00'],
  ['zero runs', 'UInt32', '010b3b30000001000000000000'],
  ['run cardinality lies', 'UInt32', '010f3b3000000100005fea010000000400'],
  ['bitset popcount', 'UInt32', `019040${bitset}`],
  ['junk inside size', 'UInt32', '01143a3000000100000000000000100000000100ffff'],
  [
    'duplicate high half',
    'UInt64',
    `012c0200000000000000000000003a3000000100000000000000100000000100000000003a3000000100000000000000100000000200`,
  ],
  [
    'high halves descending',
    'UInt64',
    `012c0200000000000000050000003a3000000100000000000000100000000100000000003a3000000100000000000000100000000200`,
  ],
  ['empty bucket', 'UInt64', '01140100000000000000070000003a30000000000000'],
  ['UInt8 of 300', 'UInt8', '01123a3000000100000000000000100000002c01'],
  ['Int8 of 200', 'Int8', '01123a300000010000000000000010000000c800'],
  ['bad cookie', 'UInt32', '01083930000000000000'],
  ['65537 containers', 'UInt32', '01083a30000001000100'],
  ['map size too large', 'UInt64', '0108ffffffffffffff7f'],
  ['kind 2', 'UInt32', '0200'],
  ['small count 33', 'UInt8', `0021${'00'.repeat(33)}`],
  ['size 0', 'UInt32', '0100'],
  ['truncated', 'UInt32', '01143a300000010000000000'],
  ['empty string', 'UInt32', ''],
  ['number not in shortest form', 'UInt8', '0081800005'],
];

describe('encodeState', () => {
  it.each(written)('writes %s for %s', (hex, type, values) => {
    expect(toHex(encodeState(patterns(values), type))).toBe(hex);
  });

  it('keeps an array where runs would tie', () => {
    const tie = range(0, 15).flatMap((i) => (i === 0 ? [0, 1, 2] : [i * 10, i * 10 + 1]));
    expect(tie).toHaveLength(33);
    expect(toHex(encodeState(patterns(tie), 'UInt32'))).toMatch(/^01523A300000/);
  });

  it('optimises runs as ClickHouse does', () => {
    const every3 = range(0, 39).map((i) => 3 * i);
    expect(toHex(encodeState(patterns(every3), 'UInt32'))).toMatch(
      /^01603A30000001000000000027001000000000000300.*7500$/,
    );
    const full = patterns(range(0, 70_000));
    expect(encodeState(full, 'UInt32').length).toBeLessThan(40);
  });
});

describe('decodeState', () => {
  it.each([...written, ...read])('reads %s as %s', (hex, type, values) => {
    expect(decodeWholeState(fromHex(hex), type)).toEqual(patterns(values));
  });

  it.each(hostile)('refuses %s', (_name, type, hex) => {
    const bytes = fromHex(hex);
    expect(() => decodeWholeState(bytes, type)).toThrow(expect.objectContaining({ code: 117 }));
  });

  it('refuses every truncation, and bytes after the end', () => {
    const state = encodeState(patterns(range(5, 90)), 'UInt64');
    for (let end = 0; end < state.length; end++) {
      expect(() => decodeWholeState(state.subarray(0, end), 'UInt64')).toThrow(/not a groupBitmap/);
      expect(stateEnd(state.subarray(0, end), 0, 'UInt64')).toBeUndefined();
    }
    expect(() => decodeWholeState(Uint8Array.of(...state, 0), 'UInt64')).toThrow(/1 bytes after/);
  });

  it('gives back what was encoded, for every type, back to back', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...integerNames),
        fc.nat(edgeSets.length - 1),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        (type, edge, spread) => {
          const codes = edgeSets[edge]!;
          const bits = 8 * widthOf(type);
          const signed = type.startsWith('Int');
          const fit = (id: bigint) => (signed ? BigInt.asIntN(bits, id) : BigInt.asUintN(bits, id));
          const ids = patterns([...new Set(Array.from(codes, (c) => fit(BigInt(c) * spread)))]);
          const state = encodeState(ids, type);
          const twice = Buffer.concat([state, state]);
          const first = decodeState(twice, 0, type);
          expect(Buffer.compare(new Uint8Array(first.ids.buffer), new Uint8Array(ids.buffer))).toBe(
            0,
          );
          expect(first.end).toBe(state.length);
          expect(stateEnd(twice, state.length, type)).toBe(twice.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are copied as they are decoded where they are small, else left to be decoded', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...integerNames),
        fc.uniqueArray(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 36 }),
        fc.nat(3),
        (type, values, before) => {
          const bits = 8 * widthOf(type);
          const fit = (id: bigint) =>
            type.startsWith('Int') ? BigInt.asIntN(bits, id) : BigInt.asUintN(bits, id);
          const ids = patterns([...new Set(values.map(fit))]);
          const state = Buffer.concat([
            Buffer.alloc(before, 7),
            encodeState(ids, type),
            Buffer.of(9),
          ]);
          const halves = new Uint32Array(2 * 40);
          const end = state.length - 1;
          const from = { at: before, end, idType: type };
          const copied = copySmallState(state, from, { halves, at: 3 });
          if (ids.length > 32) {
            expect(copied).toBeUndefined();
            return;
          }
          expect(copied).toEqual({ count: ids.length, end });
          const there = new BigUint64Array(halves.buffer, 8 * 3, ids.length);
          expect([...there]).toEqual([...ids]);
          const early = copySmallState(state, { ...from, end: end - 1 }, { halves, at: 0 });
          expect(early).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  it('with an id twice are not copied', () => {
    const halves = new Uint32Array(64);
    const bytes = fromHex('0003050405');
    const from = { at: 0, end: bytes.length, idType: 'UInt8' } as const;
    expect(copySmallState(bytes, from, { halves, at: 0 })).toBeUndefined();
  });
});
