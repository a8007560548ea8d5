// What the integration test with real writers can't show: files that are damaged or lie, columns
// that are missing or don't fit, and what is written is read again.

import { expect, test } from 'vitest';
import { named, readFile, structureOf, writeFile } from '../parquet-sample.ts';

const columns = named({
  id: 'UInt64',
  name: 'Nullable(String)',
  list: 'Array(UInt32)',
  at: "DateTime64(2, 'UTC')",
  day: 'Date',
  flag: 'Bool',
});
const bytes = writeFile(columns, [
  { kind: 'wide', values: BigUint64Array.of(1n, 2n ** 63n, 2n ** 64n - 1n) },
  { kind: 'string', values: ['a', '', 'Ã¤'], nulls: Uint8Array.of(0, 1, 0) },
  {
    kind: 'array',
    offsets: Uint32Array.of(0, 2, 2, 3),
    items: { kind: 'number', values: Uint32Array.of(1, 4_294_967_295, 7) },
  },
  { kind: 'wide', values: BigInt64Array.of(0n, -1n, 100n) },
  { kind: 'number', values: Uint16Array.of(0, 1, 65_535) },
  { kind: 'number', values: Uint8Array.of(0, 1, 1) },
]);

test('what is written is read, with the types that it says', async () => {
  expect(await structureOf(bytes)).toEqual({
    id: 'UInt64',
    name: 'Nullable(String)',
    list: 'Array(UInt32)',
    at: "DateTime64(3, 'UTC')",
    day: 'Date',
    flag: 'Bool',
  });
  expect(await readFile(bytes, columns)).toEqual([
    [1n, 'a', [1, 4_294_967_295], 0n, 0, 0],
    [2n ** 63n, null, [], -1n, 1, 1],
    [2n ** 64n - 1n, 'Ã¤', [7], 100n, 65_535, 1],
  ]);
});

test('no rows, and no more than the wanted columns', async () => {
  const none = writeFile(named({ id: 'UInt64' }), [
    { kind: 'wide', values: new BigUint64Array(0) },
  ]);
  expect(await structureOf(none)).toEqual({ id: 'UInt64' });
  expect(await readFile(none, named({ id: 'UInt64' }))).toEqual([]);
  expect(await readFile(bytes, named({ day: 'UInt32', id: 'String' }))).toHaveLength(3);
});

test('a list of ids is a set', async () => {
  const sets = await readFile(bytes, named({ list: 'AggregateFunction(groupBitmap, UInt64)' }));
  expect(sets).toEqual([[[1n, 4_294_967_295n]], [[]], [[7n]]]);
});

test('an id never becomes another one', async () => {
  for (const type of ['UInt32', 'Int64', 'AggregateFunction(groupBitmap, Int64)']) {
    const settings = { aggregate_function_input_format: 'value' };
    await expect(readFile(bytes, named({ id: type }), settings)).rejects.toThrow(/out of range/);
  }
});

test('missing columns are defaults, unless none is there or it is forbidden', async () => {
  const [first] = await readFile(bytes, named({ day: 'Date', other: 'String' }));
  expect(first).toEqual([0, '']);
  await expect(readFile(bytes, named({ ids: 'UInt64' }))).rejects.toThrow(/no column 'ids'/);
  const strict = { input_format_parquet_allow_missing_columns: '0' };
  const asked = named({ day: 'Date', other: 'String' });
  await expect(readFile(bytes, asked, strict)).rejects.toThrow(/no column 'other'/);
});

test('a file cut at any byte is refused', async () => {
  for (let end = 0; end < bytes.length; end += 7) {
    await expect(readFile(bytes.subarray(0, end), columns)).rejects.toThrow(/Cannot read Parquet/);
  }
});

test('a changed byte gives an error or other values, never anything else', async () => {
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 0x55;
    await readFile(changed, columns).catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'MusterError' });
    });
  }
});
