// Tables for people look as ClickHouse's do: every style, every width, every setting that is honoured.

import { describe, expect, test } from 'vitest';
import { encodeState } from '../../storage-format/clickhouse-state.ts';
import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import { type Answer, answerOf, oracle, ours } from './format-oracle.ts';

/** Types and names as ClickHouse tells them. */
async function ask(sql: string): Promise<Answer> {
  const described = await oracle(`DESCRIBE (${sql})`, 'JSONCompactEachRow');
  const columns = Buffer.from(described, 'latin1')
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): NamedType => {
      const [name, type] = JSON.parse(line) as [string, string];
      return { name, type: parseType(type) };
    });
  return await answerOf(sql, columns);
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

async function expectSame(
  sql: string,
  format: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const written = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  const text = written.length === 0 ? sql : `${sql} SETTINGS ${written.join(', ')}`;
  const expected = await oracle(text, format);
  expect(utf8(ours(format, await ask(sql), settings))).toBe(utf8(expected));
}

const styles = ['Pretty', 'PrettyCompact', 'PrettySpace', 'PrettyCompactNoEscapesMonoBlock'];

const tables: readonly string[] = [
  'SELECT 1',
  'SELECT 1 WHERE 0',
  "SELECT number AS n, toString(number) AS s, number / 3 AS f, CAST(NULL, 'Nullable(String)') AS x FROM numbers(2)",
  'SELECT 1234567 AS a',
  'SELECT number * 800000 AS a FROM numbers(4)',
  "SELECT CAST(number * 800000, 'Nullable(UInt64)') AS a FROM numbers(4)",
  "SELECT CAST(NULL, 'Nullable(UInt64)') AS a",
  'SELECT 1234567 AS a, 2 AS b',
  'SELECT 2 AS a, 1234567 * number AS b FROM numbers(3)',
  "SELECT 'two\n\n' AS a, number AS n FROM numbers(2)",
  'SELECT -1234567.5 AS a',
  "SELECT 'é中文😀' AS `ключ中`, 'tab\there' AS t, '' AS e, 'e\u0301' AS combined",
  "SELECT 'x' AS a, 'tab\there' AS t, 'a\t' AS u FROM numbers(3)",
  "SELECT 'line\nline two\n' AS a, number AS n, 'x\ny\nz' AS b FROM numbers(2)",
  "SELECT toDate('2020-01-01') AS d, toDateTime('2020-01-01 00:00:00', 'UTC') AS t, true AS b, [1, 2] AS l, toLowCardinality('lc') AS c FROM numbers(3)",
  "SELECT toDateTime64('2020-01-01 00:00:00.123', 3, 'UTC') AS t, CAST('a', 'Enum8(''a'' = 1)') AS e, nan AS f",
  "SELECT repeat('x', 300) AS long, 1 AS b FROM numbers(12)",
  "SELECT repeat('x', 12000) AS long, 1 AS b",
  "SELECT repeat('x', 12000) AS long",
  "SELECT 1 AS a_name_that_is_longer_than_all_of_its_values_by_far, 'y' AS b",
  "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, repeat('z', 260) AS f FROM numbers(3)",
  "SELECT 1 AS a, 2 AS b, 3 AS c, 'x\ny' AS d, 1234567 AS e FROM numbers(2)",
  "SELECT 1 AS a, 2 AS b, 'x\ny' AS d, 1234567 AS e FROM numbers(2)",
  "SELECT number AS n, 'x' AS b FROM numbers(50)",
  "SELECT number AS n, 'x' AS b FROM numbers(49)",
  'SELECT number AS n FROM numbers(1003)',
  'SELECT number AS n FROM numbers(1000)',
];

describe.each(styles)('%s', (style) => {
  test.each(tables)('%s', async (sql) => {
    await expectSame(sql, style);
  });
});

test('readable numbers', async () => {
  const values = [999_999, 1e6, 1000001, 1e9, 999_999_999, 1e12, 123456789012345, 1e17, 2e17];
  for (const value of [...values, 1.9e19, 1.5e20, 1e21, 1e24, -5e7, 1e15, 1.844674e19]) {
    await expectSame(`SELECT toFloat64(${value}) AS a`, 'PrettyCompact');
  }
  for (const value of ['18446744073709551615', '9000000000000000000', '-9000000000000000000']) {
    await expectSame(`SELECT ${value} AS a`, 'PrettyCompact');
  }
});

const wide = "SELECT number * 12345 AS n, repeat('y ', 10) AS s, 'a\nb ' AS nl FROM numbers(12)";
const settings: readonly Readonly<Record<string, string>>[] = [
  { row_numbers: '0' },
  { grid_charset: 'ASCII' },
  { max_rows: '5' },
  { max_rows: '1' },
  { max_rows: '12' },
  { max_rows: '0' },
  { max_value_width: '8' },
  { max_value_width: '8', grid_charset: 'ASCII' },
  { max_column_pad_width: '6' },
  { multiline_fields: '0' },
  { color: '1' },
  { color: '1', max_value_width: '8' },
  { color: '1', highlight_digit_groups: '0', highlight_trailing_spaces: '0' },
  { display_footer_column_names_min_rows: '10' },
  { display_footer_column_names_min_rows: '10', display_footer_column_names: '0' },
  {
    fallback_to_vertical_min_columns: '2',
    fallback_to_vertical_max_rows_per_chunk: '20',
  },
];

function full(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(given).map(([name, value]) => [
    `output_format_pretty_${name}`,
    value,
  ]);
  return Object.fromEntries(named) as Readonly<Record<string, string>>;
}

describe.each(settings)('with %o', (given) => {
  test.each(['Pretty', 'PrettyCompact', 'PrettySpace', 'PrettySpaceNoEscapes'])(
    '%s',
    async (style) => {
      await expectSame(wide, style, full(given));
    },
  );
});

describe('tuples', () => {
  const number: Column = { kind: 'number', values: Uint8Array.of(1, 2) };
  const text: Column = { kind: 'string', values: ['a/', 'b"'] };
  const floats: Column = { kind: 'number', values: Float64Array.of(0.5, NaN) };
  const names: Column = {
    kind: 'array',
    offsets: Uint32Array.of(0, 2, 2),
    items: { kind: 'string', values: ['x', ''], nulls: Uint8Array.of(0, 1) },
  };
  const pair: Column = { kind: 'tuple', length: 2, fields: [number, text] };
  const list: Column = { kind: 'array', offsets: Uint32Array.of(0, 1, 2), items: pair };
  const nested: Column = { kind: 'tuple', length: 2, fields: [number, list, floats, names] };

  test.each([
    ['Tuple(UInt8, String)', pair],
    ['Tuple(x UInt8, `y z` String)', pair],
    ['Array(Tuple(x UInt8, y String))', list],
    [
      'Tuple(a UInt8, b Array(Tuple(x UInt8, y String)), c Float64, d Array(Nullable(String)))',
      nested,
    ],
    ['Tuple(UInt8, Array(Tuple(x UInt8, y String)), Float64, Array(Nullable(String)))', nested],
    ['Tuple(a UInt8, b Array(Tuple(UInt8, String)), c Float64, d Array(Nullable(String)))', nested],
  ] as const)('%s', async (type, column) => {
    const answer: Answer = {
      columns: [
        { name: 't', type: parseType(type) },
        { name: 'n', type: parseType('UInt8') },
      ],
      block: { rows: 2, columns: [column, number] },
    };
    const pairs = "[(toUInt8(number + 1), arrayElement(['a/', 'b\"'], number + 1))]";
    const value =
      column === nested
        ? `(number + 1, ${pairs}, if(number = 0, 0.5, nan), arraySlice(['x', NULL], 1, if(number = 0, 2, 0)))`
        : column === list
          ? pairs
          : `${pairs}[1]`;
    const sql = `SELECT CAST(${value}, '${type}') AS t, toUInt8(number + 1) AS n FROM numbers(2)`;
    for (const format of ['PrettyCompact', 'Vertical']) {
      expect(utf8(ours(format, answer, {}))).toBe(utf8(await oracle(sql, format)));
    }
    const off = 'output_format_pretty_named_tuples_as_json';
    const plain = await oracle(`${sql} SETTINGS ${off} = 0`, 'PrettyCompact');
    expect(utf8(ours('PrettyCompact', answer, { [off]: '0' }))).toBe(utf8(plain));
  });
});

test('sets print their size, in arrays and tuples too', () => {
  const ids = BigUint64Array.from({ length: 40 }, (_, i) => BigInt(3 * i));
  const state = Buffer.from(encodeState(ids, 'UInt64')).toString('latin1');
  const column: Column = { kind: 'string', values: [state, ''] };
  const answer: Answer = {
    columns: [
      { name: 's', type: parseType('AggregateFunction(groupBitmap, UInt64)') },
      { name: 'l', type: parseType('Array(AggregateFunction(groupBitmap, UInt64))') },
    ],
    block: {
      rows: 1,
      columns: [column, { kind: 'array', offsets: Uint32Array.of(0, 1), items: column }],
    },
  };
  expect(utf8(ours('PrettyCompact', answer, {}))).toBe(
    [
      '   ┌─s─────────┬─l───────────┐',
      '1. │ set of 40 │ [set of 40] │',
      '   └───────────┴─────────────┘',
      '',
    ].join('\n'),
  );
});

test('settings of single values', async () => {
  const long = "SELECT repeat('y', 20) AS s";
  await expectSame(long, 'PrettyCompact', full({ max_value_width: '8' }));
  const apply = { max_value_width: '8', max_value_width_apply_for_single_value: '1' };
  await expectSame(long, 'PrettyCompact', full(apply));
  const off = full({ single_large_number_tip_threshold: '0' });
  await expectSame('SELECT 1234567 AS a', 'Pretty', off);
  await expectSame('SELECT 1234567 AS a', 'Vertical', off);
  await expectSame('SELECT 1234567 AS a', 'Vertical', full({ color: '1' }));
});
