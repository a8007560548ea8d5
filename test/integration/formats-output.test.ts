// What the output formats write is byte for byte what ClickHouse writes. The rows come from
// ClickHouse in RowBinary through our reader, so that both directions are checked at once.

import { describe, expect, test } from 'vitest';
import { encodeState } from '../../storage-format/clickhouse-state.ts';
import type { Column } from '../../storage-format/column.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import { type Answer, answerOf, oracle, ours } from './format-oracle.ts';

const scalars: readonly (readonly [type: string, sql: string])[] = [
  ['UInt8', 'toUInt8(255)'],
  ['Int64', 'toInt64(-9223372036854775808)'],
  ['UInt64', 'toUInt64(18446744073709551615 - number)'],
  ['String', `'it''s "q" \\\\ / \\t\\n\\r\\0\\b\\f\\x1b\\x7f é \u2028 \u2029 \u2027'`],
  ['String', "unhex('ff00e280')"],
  ['Float64', 'arrayElement([1.5, 1e300, 1e20, 1e21, 1e-7, 0.1, -0.0, 12345.678], number + 1)'],
  ['Float64', 'arrayElement([inf, -inf, nan, 1e15, 1e16, 123456789.125, 5e-324, 3], number + 1)'],
  [
    'Float32',
    'toFloat32(arrayElement([0.1, 16777216, 1e10, 3.4e38, 1e-10, 1, 2.5, -7], number + 1))',
  ],
  ['Bool', "CAST(number % 2 = 0, 'Bool')"],
  ['Date', "toDate('1970-01-01') + number * 9000"],
  ["DateTime('UTC')", "toDateTime('2020-01-02 03:04:05', 'UTC') + number * 86400 * 40"],
  [
    "DateTime('Europe/Berlin')",
    "toDateTime('2020-03-29 00:30:00', 'Europe/Berlin') + number * 1800",
  ],
  ["DateTime64(3, 'UTC')", "toDateTime64('2000-12-31 23:59:59.123', 3, 'UTC') + number"],
  [
    "Enum8('a\\'b' = -1, 'c\"d' = 5)",
    "CAST(if(number % 2, 'c\"d', 'a\\'b'), 'Enum8(''a\\\\''b'' = -1, ''c\"d'' = 5)')",
  ],
  ['LowCardinality(String)', "toLowCardinality('z')"],
  ['Nullable(UInt64)', 'if(number % 2, NULL, number)'],
  ['Nullable(String)', "if(number % 2, NULL, 'x\\ty')"],
  ['Array(UInt8)', "CAST(range(number), 'Array(UInt8)')"],
  ['Array(String)', "['a\\'b', 'c\"d/\\t']"],
  ['Array(Nullable(Float64))', '[NULL, 1.5, nan]'],
  ['Array(Array(UInt8))', "CAST(if(number % 2, [], [[1, 2], []]), 'Array(Array(UInt8))')"],
  ['Array(Date)', "[toDate('2020-01-02')]"],
  ['Array(Bool)', '[true]'],
  ['UUID', "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')"],
  ['Nullable(UUID)', "if(number % 2, NULL, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'))"],
  ['Array(UUID)', "[toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')]"],
];

const formats = [
  'TSV',
  'TSVRaw',
  'TSVWithNames',
  'TabSeparatedWithNamesAndTypes',
  'CSV',
  'CSVWithNames',
  'CSVWithNamesAndTypes',
  'JSON',
  'JSONCompact',
  'JSONEachRow',
  'JSONCompactEachRow',
  'JSONCompactEachRowWithNames',
  'JSONCompactEachRowWithNamesAndTypes',
  'RowBinary',
  'RowBinaryWithNames',
  'RowBinaryWithNamesAndTypes',
  'Values',
  'TSKV',
  'Vertical',
  'Markdown',
  'Null',
];

function withoutStatistics(text: string): string {
  return text.replace(/"elapsed": .*\n.*"rows_read": .*\n.*"bytes_read": .*\n/, '');
}

const names = scalars.map(([type], i) => `${i} \`"\\ ${type.slice(0, 3)}é`);
const select = `SELECT ${scalars
  .map(([, sql], i) => `${sql} AS \`${names[i]!.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``)
  .join(', ')} FROM numbers(8) ORDER BY number`;
const columns = scalars.map(([type], i) => ({ name: names[i]!, type: parseType(type) }));

describe.each(formats)('%s', (format) => {
  test('every type', async () => {
    const answer = await answerOf(select, columns);
    expect(answer.block.rows).toBe(8);
    const expected = await oracle(select, format);
    expect(withoutStatistics(ours(format, answer, {}))).toBe(withoutStatistics(expected));
  });

  test('no rows', async () => {
    const empty = { rows: 0, columns: [{ kind: 'wide', values: new BigUint64Array(0) }] } as const;
    const answer = { columns: [{ name: 'n', type: parseType('UInt64') }], block: empty };
    const expected = await oracle('SELECT number AS n FROM numbers(3) WHERE number > 5', format);
    expect(withoutStatistics(ours(format, answer, {}))).toBe(withoutStatistics(expected));
  });

  test('sets as states, tuples', async () => {
    const ids = BigUint64Array.from({ length: 40 }, (_, i) => BigInt(3 * i));
    const state = Buffer.from(encodeState(ids, 'UInt64')).toString('latin1');
    const small = Buffer.from(encodeState(ids.subarray(0, 2), 'UInt64')).toString('latin1');
    const number: Column = { kind: 'number', values: Uint8Array.of(1, 2) };
    const text: Column = { kind: 'string', values: ['a', 'b"'] };
    const tuple: Column = { kind: 'tuple', length: 2, fields: [number, text] };
    const nested: Column = { kind: 'array', offsets: Uint32Array.of(0, 1, 2), items: tuple };
    const answer: Answer = {
      columns: [
        { name: 's', type: parseType('AggregateFunction(groupBitmap, UInt64)') },
        { name: 't', type: parseType('Tuple(UInt8, String)') },
        { name: 'u', type: parseType('Tuple(k UInt8, v String)') },
        { name: 'v', type: parseType('Array(Tuple(UInt8, String))') },
      ],
      block: {
        rows: 2,
        columns: [{ kind: 'string', values: [state, small] }, tuple, tuple, nested],
      },
    };
    const sql = `SELECT bitmapBuild(arrayMap(x -> toUInt64(3 * x), range(if(number = 0, 40, 2)))) AS s,
      (toUInt8(number + 1), arrayElement(['a', 'b"'], number + 1)) AS t,
      CAST(t, 'Tuple(k UInt8, v String)') AS u, [t] AS v FROM numbers(2) ORDER BY number`;
    if (format === 'Vertical') {
      expect(ours(format, answer, {})).toMatch(/^s: set of 40$/m);
      const { rows, columns: all } = answer.block;
      const tuples = { columns: answer.columns.slice(1), block: { rows, columns: all.slice(1) } };
      const alone = await oracle(`SELECT * EXCEPT s FROM (${sql})`, format);
      expect(ours(format, tuples, {})).toBe(alone);
      return;
    }
    const expected = await oracle(sql, format);
    expect(withoutStatistics(ours(format, answer, {}))).toBe(withoutStatistics(expected));
  });
});

test.each([
  ['JSONEachRow', 'output_format_json_quote_64bit_integers', '1'],
  ['JSON', 'output_format_json_quote_64bit_integers', '1'],
  ['JSONEachRow', 'output_format_json_array_of_rows', '1'],
  ['JSONEachRow', 'output_format_json_escape_forward_slashes', '0'],
  ['CSV', 'format_csv_delimiter', ';'],
  ['TSV', 'format_tsv_null_representation', 'NIL'],
  ['CSV', 'format_csv_null_representation', ''],
  ['JSON', 'output_format_write_statistics', '0'],
  ['TSV', 'date_time_output_format', 'iso'],
  ['JSONEachRow', 'date_time_output_format', 'unix_timestamp'],
])('%s with %s = %s', async (format, name, value) => {
  const answer = await answerOf(select, columns);
  const expected = await oracle(`${select} SETTINGS ${name} = '${value}'`, format);
  expect(withoutStatistics(ours(format, answer, { [name]: value }))).toBe(
    withoutStatistics(expected),
  );
});
