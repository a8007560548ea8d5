// Strange bitmaps through every door by which sets come in: refused, never read as something else. And
// bytes that promise far more than they hold: refused before memory is asked for.

import { describe, expect, test } from 'vitest';
import { decodeState, decodeWholeState, stateEnd } from '../../storage-format/clickhouse-state.ts';
import { decodeForeignSet, type ForeignFormat } from '../../storage-format/foreign/foreign-set.ts';
import { decodeSetText } from '../../storage-format/foreign/set-text.ts';
import { membersMax } from '../../storage-format/members-max.ts';
import { runBitmap, shorts, strangeBitmaps } from './strange-bitmaps.ts';

const varuint = (value: number): number[] =>
  value < 128 ? [value] : [128 + (value % 128), ...varuint(Math.floor(value / 128))];
const high = [7, 0, 0, 0];
const highBig = [0, 0, 0, 7];
const map = (bitmap: Uint8Array) => [1, 0, 0, 0, 0, 0, 0, 0, ...high, ...bitmap];
const state = (payload: ArrayLike<number>) =>
  Uint8Array.from([1, ...varuint(payload.length), ...Array.from(payload)]);

/** A bitmap in each form that holds bitmaps. */
const doors: readonly (readonly [string, ForeignFormat, (bitmap: Uint8Array) => Uint8Array])[] = [
  ['a bitmap', 'roaring32', (bitmap) => bitmap],
  ['a map', 'roaring64', (bitmap) => Uint8Array.from(map(bitmap))],
  [
    "Java's map",
    'roaring64java',
    (bitmap) => Uint8Array.from([0, 0, 0, 0, 1, ...highBig, ...bitmap]),
  ],
  ['a state of 64 bits', 'clickhouse', (bitmap) => state(map(bitmap))],
  ['Doris, 32 bits', 'doris', (bitmap) => Uint8Array.from([2, ...bitmap])],
  ['Doris, 64 bits', 'doris', (bitmap) => Uint8Array.from([4, 1, ...high, ...bitmap])],
  ['Doris, native', 'doris', (bitmap) => Uint8Array.from([12, 2, ...bitmap])],
  ['StarRocks, 32 bits', 'starrocks', (bitmap) => Uint8Array.from([2, ...bitmap])],
  ['StarRocks, 64 bits', 'starrocks', (bitmap) => Uint8Array.from([13, 1, ...high, 2, ...bitmap])],
  ['Databend', 'databend', (bitmap) => Uint8Array.from([0x48, 0x42, 1, 1, ...map(bitmap)])],
  ['Databend, older', 'databend', (bitmap) => Uint8Array.from(map(bitmap))],
];

const refusal = (error: unknown) => expect(error).toMatchObject({ errorName: 'INCORRECT_DATA' });

function expectRefused(read: () => unknown): void {
  let found: unknown;
  try {
    found = read();
  } catch (error) {
    refusal(error);
    return;
  }
  expect(found).toBe('refused');
}

describe.each(doors)('%s', (_, format, wrap) => {
  test('one that is good is read', () => {
    const ids = decodeForeignSet(wrap(runBitmap(5, 0, 1, 3, 2)), format, 'UInt64');
    expect(Array.from(ids, (id) => Number(id & 0xffff_ffffn))).toEqual([0, 1, 3, 4, 5]);
  });

  test.each(strangeBitmaps)('%s: refused', (_name, bitmap) => {
    const bytes = wrap(bitmap);
    expectRefused(() => decodeForeignSet(bytes, format, 'UInt64'));
    for (const encoding of ['hex', 'base64'] as const) {
      const text = Buffer.from(bytes).toString(encoding);
      expectRefused(() => decodeForeignSet(decodeSetText(text, encoding), format, 'UInt64'));
    }
  });

  test('one that is cut anywhere is refused', () => {
    const bytes = wrap(runBitmap(5, 0, 1, 3, 2));
    for (let end = bytes.length - 1; end > 0; end--) {
      const cut = bytes.subarray(0, end);
      expectRefused(() => decodeForeignSet(cut, format, 'UInt64'));
    }
  });
});

describe('states of 32 bits, as RowBinary and Native bring them', () => {
  test.each(strangeBitmaps)('%s: refused', (_, bitmap) => {
    const bytes = state(bitmap);
    expect(stateEnd(bytes, 0, 'UInt32')).toBe(bytes.length);
    for (const type of ['UInt32', 'Int32', 'UInt16', 'Int8'] as const) {
      expectRefused(() => decodeState(bytes, 0, type));
    }
  });
});

/** `count` containers of one run each, all full. */
function fullContainers(count: number): Uint8Array {
  const flags = Array.from({ length: Math.ceil(count / 8) }, () => 255);
  const heads = Array.from({ length: count }, (_, key) => shorts(key, 65_535)).flat();
  const first = 4 + flags.length + 8 * count;
  const offsets = Array.from({ length: count }, (_, i) => {
    const at = first + 6 * i;
    return shorts(at % 65_536, Math.floor(at / 65_536));
  }).flat();
  const bodies = Array.from({ length: count }, () => shorts(1, 0, 65_535)).flat();
  const cookie = shorts(12_347, count - 1);
  return Uint8Array.from([...cookie, ...flags, ...heads, ...offsets, ...bodies]);
}

describe('a promise of too many members', () => {
  const limit = { errorName: 'MEMORY_LIMIT_EXCEEDED' };
  const most = fullContainers(65_536);

  test.each(doors)('%s of all 2^32 numbers, in half a megabyte', (_, format, wrap) => {
    const before = process.memoryUsage().arrayBuffers;
    expect(() => decodeForeignSet(wrap(most), format, 'UInt64')).toThrow(
      expect.objectContaining(limit),
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('in a state, of either width', () => {
    expect(() => decodeWholeState(state(most), 'UInt32')).toThrow(expect.objectContaining(limit));
    expect(() => decodeWholeState(state(map(most)), 'UInt64')).toThrow(
      expect.objectContaining(limit),
    );
  });

  test('in a map of many buckets, none of which has too many', () => {
    const bucket = fullContainers(1024);
    const buckets = membersMax / (1024 * 65_536) + 1;
    const bytes = [buckets, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < buckets; i++) bytes.push(i, 0, 0, 0, ...bucket);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => decodeWholeState(state(bytes), 'UInt64')).toThrow(expect.objectContaining(limit));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });

  test.each([
    [
      'buckets of a map',
      'roaring64',
      [255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 1, 2, 3],
    ],
    ["buckets of Java's map", 'roaring64java', [0, 255, 255, 255, 255, 0, 0, 0, 0, 58, 48, 0, 0]],
    ['containers', 'roaring32', [58, 48, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]],
    ['containers of runs', 'roaring32', [59, 48, 255, 255, 1, 0, 0, 0, 0, 0]],
    ['values of Doris', 'doris', [10, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['buckets of Doris', 'doris', [4, 255, 255, 255, 255, 15, 0, 0, 0, 0]],
    ['native values of Doris', 'doris', [12, 1, 255, 255, 255, 255, 0, 0, 0, 0]],
    ['bytes of a state', 'clickhouse', [1, 255, 255, 255, 255, 255, 255, 255, 15, 1, 2, 3]],
    [
      'buckets of a state',
      'clickhouse',
      [...state([255, 255, 255, 255, 255, 255, 255, 127, 1, 2])],
    ],
  ] as const)('twenty bytes that count 2^32 %s', (_, format, bytes) => {
    const before = process.memoryUsage().arrayBuffers;
    expectRefused(() => decodeForeignSet(Uint8Array.from(bytes), format, 'UInt64'));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
  });
});
