// ArrowStream and Arrow: the same schema and the same values as ClickHouse writes, read by Arrow's own
// library. Its bytes differ: ClickHouse compresses, and pads in another way.

import { RecordBatchReader, type Schema, type Table, tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { encodeState } from '../../storage-format/clickhouse-state.ts';
import type { Column } from '../../storage-format/column.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import { type Answer, answerOf, oracle, ours } from './format-oracle.ts';

const scalars: readonly (readonly [type: string, sql: string])[] = [
  ['UInt8', 'toUInt8(number)'],
  ['Int8', 'toInt8(-number)'],
  ['UInt16', 'toUInt16(number * 1000)'],
  ['Int16', 'toInt16(-number * 1000)'],
  ['UInt32', 'toUInt32(4294967295 - number)'],
  ['Int32', 'toInt32(-2147483648 + number)'],
  ['Int64', 'toInt64(-9223372036854775808 + number)'],
  ['UInt64', 'toUInt64(18446744073709551615 - number)'],
  ['Float32', 'toFloat32(number / 3)'],
  ['Float64', 'if(number = 3, nan, number / 3)'],
  ['Bool', "CAST(number % 3 = 0, 'Bool')"],
  ['String', "repeat('é', number)"],
  ['Date', "toDate('1970-01-01') + number * 9000"],
  ['DateTime', "toDateTime('2020-01-02 03:04:05') + number"],
  ["DateTime('Europe/Berlin')", "toDateTime('2020-01-02 03:04:05', 'Europe/Berlin')"],
  ["DateTime64(0, 'UTC')", "toDateTime64('2000-12-31 23:59:59', 0, 'UTC') + number"],
  ["DateTime64(2, 'UTC')", "toDateTime64('2000-12-31 23:59:59.12', 2, 'UTC') + number"],
  ["DateTime64(3, 'Asia/Tokyo')", "toDateTime64('1969-12-31 23:59:59.123', 3, 'Asia/Tokyo')"],
  ["DateTime64(5, 'UTC')", "toDateTime64('2000-12-31 23:59:59.12345', 5, 'UTC')"],
  ["DateTime64(6, 'UTC')", "toDateTime64('2000-12-31 23:59:59.123456', 6, 'UTC')"],
  ["DateTime64(9, 'UTC')", "toDateTime64('2000-12-31 23:59:59.123456789', 9, 'UTC')"],
  ["Enum8('a' = -1, 'b' = 5)", "CAST(if(number % 2, 'b', 'a'), 'Enum8(''a'' = -1, ''b'' = 5)')"],
  ['LowCardinality(String)', "toLowCardinality('z')"],
  ['LowCardinality(Nullable(String))', "toLowCardinality(if(number % 2, NULL, 'z'))"],
  ['Nullable(UInt64)', 'if(number % 2, NULL, number)'],
  ['Nullable(Bool)', "if(number % 2, NULL, CAST(1, 'Bool'))"],
  ['Nullable(Date)', "if(number % 2, NULL, toDate('2020-01-02'))"],
  ['Nullable(String)', "if(number % 2, NULL, 'x')"],
  ["Nullable(DateTime64(2, 'UTC'))", "if(number % 2, NULL, toDateTime64('2000-01-01', 2, 'UTC'))"],
  ['Array(UInt8)', "CAST(range(number), 'Array(UInt8)')"],
  ['Array(Nullable(String))', "[NULL, 'a', toString(number)]"],
  ['Array(Array(Date))', "CAST(if(number % 2, [], [[1, 2], []]), 'Array(Array(Date))')"],
];

const columns = scalars.map(([type], i) => ({ name: `c${i} é`, type: parseType(type) }));
const select = (rows: number): string =>
  `SELECT ${scalars.map(([, sql], i) => `${sql} AS \`c${i} é\``).join(', ')} FROM numbers(${rows})`;

const uncompressed = "output_format_arrow_compression_method = 'none'";

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

function schemaOf({ fields }: Schema): unknown {
  return fields.map((field) => ({
    name: field.name,
    nullable: field.nullable,
    type: String(field.type),
    children: (field.type.children as Schema['fields'] | null)?.map((child) => [
      child.name,
      child.nullable,
      String(child.type),
    ]),
  }));
}

/** As text: values under NULL don't count. Timestamps as ticks, so that nothing is rounded. */
function rowsOf(table: Table): unknown {
  return table.schema.fields.map(({ name, type }) => {
    const vector = table.getChild(name);
    const plain = [...(vector ?? [])].map((value) => JSON.stringify(value, exact));
    if (!String(type).startsWith('Timestamp')) return [name, plain];
    const ticks = vector?.data.flatMap(({ values }) => Array.from(values as BigInt64Array));
    return [name, ticks?.map((tick, i) => (plain[i] === 'null' ? null : tick))];
  });
}

function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || Number.isNaN(value) ? String(value) : value;
}

function expectEqual(found: string, expected: string): void {
  const [a, b] = [tableFromIPC(bytesOf(found)), tableFromIPC(bytesOf(expected))];
  expect(schemaOf(a.schema)).toEqual(schemaOf(b.schema));
  expect(a.numRows).toBe(b.numRows);
  expect(rowsOf(a)).toEqual(rowsOf(b));
}

describe.each(['ArrowStream', 'Arrow'])('%s', (format) => {
  test('every type', async () => {
    const answer = await answerOf(select(9), columns);
    const expected = await oracle(`${select(9)} SETTINGS ${uncompressed}`, format);
    expectEqual(ours(format, answer, {}), expected);
  });

  test('tuples, sets and NULL alone', async () => {
    const number: Column = { kind: 'number', values: Uint8Array.of(1, 2) };
    const text: Column = { kind: 'string', values: ['a', ''], nulls: Uint8Array.of(0, 1) };
    const pair: Column = { kind: 'tuple', length: 2, fields: [number, text] };
    const list: Column = { kind: 'array', offsets: Uint32Array.of(0, 0, 2), items: pair };
    const nothing: Column = {
      kind: 'number',
      values: new Uint8Array(2),
      nulls: Uint8Array.of(1, 1),
    };
    const empty: Column = {
      kind: 'array',
      offsets: new Uint32Array(3),
      items: { kind: 'number', values: new Uint8Array(0) },
    };
    const types = [
      'Tuple(UInt8, Nullable(String))',
      'Tuple(k UInt8, v Nullable(String))',
      'Array(Tuple(k UInt8, v Nullable(String)))',
      'Nullable(Nothing)',
      'Array(Nothing)',
    ];
    const answer: Answer = {
      columns: types.map((type, i) => ({ name: `c${i}`, type: parseType(type) })),
      block: { rows: 2, columns: [pair, pair, list, nothing, empty] },
    };
    const tuple = "(toUInt8(number + 1), if(number = 0, 'a', NULL))";
    const all = "[(toUInt8(1), 'a'), (toUInt8(2), NULL)]";
    const expected = await oracle(
      `SELECT ${tuple} AS c0, CAST(c0, '${types[1]}') AS c1,
        CAST(if(number = 0, [], ${all}), '${types[2]}') AS c2, NULL AS c3, [] AS c4
        FROM numbers(2) SETTINGS ${uncompressed}`,
      format,
    );
    expectEqual(ours(format, answer, {}), expected);
  });

  test('no rows', async () => {
    const block = { rows: 0, columns: [{ kind: 'wide', values: new BigUint64Array(0) }] } as const;
    const answer = { columns: [{ name: 'n', type: parseType('UInt64') }], block };
    const table = tableFromIPC(bytesOf(ours(format, answer, {})));
    expect(table.numRows).toBe(0);
    expect(table.schema.fields.map(String)).toEqual(['n: Uint64']);
  });
});

test('settings', async () => {
  const given = [
    { name: 's', type: parseType('Array(String)') },
    { name: 'd', type: parseType('Date') },
  ];
  const sql = "SELECT ['x', 'y'] AS s, toDate(number + 18263) AS d FROM numbers(3)";
  const settings = {
    output_format_arrow_string_as_string: '0',
    output_format_arrow_date_as_uint16: '1',
  };
  const written = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const text = `${sql} SETTINGS ${uncompressed}, ${written.join(', ')}`;
  const expected = tableFromIPC(bytesOf(await oracle(text, 'ArrowStream')));
  const found = tableFromIPC(bytesOf(ours('ArrowStream', await answerOf(sql, given), settings)));
  expect(schemaOf(found.schema)).toEqual(schemaOf(expected.schema));
  // ClickHouse writes every other date as 0 here.
  expect(Array.from(found.getChild('d') ?? [])).toEqual([18263, 18264, 18265]);
  expect(JSON.stringify(found.get(2)?.toJSON().s)).toBe(
    JSON.stringify(expected.get(2)?.toJSON().s),
  );
});

test('batches have 65,536 rows, and bytes come batch by batch', async () => {
  const rows = 150_000;
  const values = BigUint64Array.from({ length: rows }, (_, i) => BigInt(i) << 32n);
  const strings = Array.from({ length: rows }, (_, i) => String(i % 77));
  const nulls = Uint8Array.from({ length: rows }, (_, i) => Number(i % 5 === 0));
  const answer: Answer = {
    columns: [
      { name: 'n', type: parseType('UInt64') },
      { name: 's', type: parseType('Nullable(String)') },
    ],
    block: {
      rows,
      columns: [
        { kind: 'wide', values },
        { kind: 'string', values: strings, nulls },
      ],
    },
  };
  const bytes = bytesOf(ours('ArrowStream', answer, {}));
  const reader = RecordBatchReader.from(bytes);
  expect([...reader].map((batch) => batch.numRows)).toEqual([65_536, 65_536, 18_928]);
  const table = tableFromIPC(bytes);
  for (const row of [0, 1, 65_535, 65_536, 131_072, rows - 1]) {
    expect(table.get(row)?.toJSON()).toEqual({
      n: values[row],
      s: row % 5 === 0 ? null : strings[row],
    });
  }
});

test('strings that are no text are Binary, and sets are the bytes of their states', () => {
  const ids = BigUint64Array.of(3n, 5n);
  const state = Buffer.from(encodeState(ids, 'UInt64'));
  const answer: Answer = {
    columns: [
      { name: 'b', type: parseType('String') },
      { name: 's', type: parseType('AggregateFunction(groupBitmap, UInt64)') },
    ],
    block: {
      rows: 1,
      columns: [
        { kind: 'string', values: ['\xff\x00'] },
        { kind: 'string', values: [state.toString('latin1')] },
      ],
    },
  };
  const table = tableFromIPC(bytesOf(ours('ArrowStream', answer, {})));
  expect(table.schema.fields.map(String)).toEqual(['b: Binary', 's: Binary']);
  expect(table.get(0)?.toJSON()).toEqual({ b: Uint8Array.of(255, 0), s: new Uint8Array(state) });
});
