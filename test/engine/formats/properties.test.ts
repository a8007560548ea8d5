// What an output format writes, its input format reads back, for any values, cut anywhere.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatResult } from '../../../engine/formats/output.ts';
import type { Column } from '../../../storage-format/column.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';
import { noStatistics, readRows } from './reading.ts';

const types = [
  'Int64',
  'UInt64',
  'String',
  'Nullable(String)',
  'Float64',
  'Array(String)',
  'DateTime',
  'Int8',
] as const;

const edges64 = [
  0n,
  1n,
  -1n,
  2n ** 53n + 1n,
  -(2n ** 63n),
  2n ** 63n - 1n,
  999_999_999n,
  10n ** 18n,
];
const bytes = fc
  .array(
    fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(9, 10, 13, 32, 34, 39, 44, 92, 78)),
  )
  .map((codes) => String.fromCharCode(...codes));
const row = fc.tuple(
  fc.oneof(fc.constantFrom(...edges64), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
  fc.oneof(fc.constantFrom(2n ** 64n - 1n, 2n ** 63n, 0n), fc.bigInt(0n, 2n ** 64n - 1n)),
  bytes,
  fc.option(bytes),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(bytes, { maxLength: 3 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.integer({ min: -128, max: 127 }),
);

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

function columnsOf(rows: readonly Row[]): readonly Column[] {
  const lists = rows.map((r) => r[5]);
  const offsets = new Uint32Array(rows.length + 1);
  lists.forEach((list, i) => {
    offsets[i + 1] = offsets[i]! + list.length;
  });
  return [
    { kind: 'wide', values: BigInt64Array.from(rows, (r) => r[0]) },
    { kind: 'wide', values: BigUint64Array.from(rows, (r) => r[1]) },
    { kind: 'string', values: rows.map((r) => r[2]) },
    {
      kind: 'string',
      values: rows.map((r) => r[3] ?? ''),
      nulls: Uint8Array.from(rows, (r) => (r[3] === null ? 1 : 0)),
    },
    { kind: 'number', values: Float64Array.from(rows, (r) => r[4]) },
    { kind: 'array', offsets, items: { kind: 'string', values: lists.flat() } },
    { kind: 'number', values: Uint32Array.from(rows, (r) => r[6]) },
    { kind: 'number', values: Int8Array.from(rows, (r) => r[7]) },
  ];
}

describe.each([
  'TabSeparated',
  'TabSeparatedWithNamesAndTypes',
  'CSV',
  'CSVWithNames',
  'JSONEachRow',
  'JSONCompactEachRow',
  'Values',
  'RowBinary',
  'RowBinaryWithNamesAndTypes',
])('%s', (format) => {
  test('reads back what it wrote', async () => {
    const columns = types.map((type, i) => [`c${i}`, type] as const);
    const named = columns.map(([name, type]) => ({ name, type: parseType(type) }));
    const property = fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 60 }),
      async (rows, chunk) => {
        const answer = { columns: named, block: { rows: rows.length, columns: columnsOf(rows) } };
        const data = Buffer.concat([
          ...formatResult(format, answer, { settings: new Map(), statistics: noStatistics }),
        ]);
        // -0 of JSON and text forms reads back as -0 too.
        expect(await readRows({ format, columns, data, chunk })).toEqual(rows);
      },
    );
    await fc.assert(property, { seed: 7, numRuns: 300 });
  });
});
