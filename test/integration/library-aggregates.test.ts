// Aggregates over every type, grouped, with NULLs, -If and DISTINCT: values and types against
// ClickHouse's; and GROUP BY, ORDER BY and joins of the column operations.

import { describe, expect, it } from 'vitest';
import { typeAggregate } from '../../engine/library/apply-aggregate.ts';
import { GroupTable } from '../../engine/library/columns/group-table.ts';
import { sortPermutation } from '../../engine/library/columns/sort.ts';
import { findAggregate } from '../../engine/library/registry.ts';
import { valuePrinter } from '../../engine/values/value-printer.ts';
import type { Column } from '../../storage-format/column.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import {
  askClickHouse,
  clickHouseSql,
  context,
  type Outcome,
  ourOutcome,
  type Table,
  tableColumn,
} from './library-oracle.ts';

const samples: Readonly<Record<string, readonly string[]>> = {
  Int8: ['-128', '127', '0', '5', '-7', '5'],
  Int32: ['-2147483648', '2147483647', '0', '5', '-7', '5'],
  Int64: ['-9223372036854775808', '9223372036854775807', '-1', '5', '-7', '5'],
  UInt8: ['255', '255', '0', '1', '2', '1'],
  UInt32: ['4294967295', '4294967295', '0', '1', '2', '1'],
  UInt64: ['18446744073709551615', '18446744073709551615', '2', '1', '2', '1'],
  Float32: ['1.5', '-2.5', '0', '3', '1', '3'],
  Float64: ['0.5', '-2.25', '1e20', '3', '1', '3'],
  Bool: ['true', 'false', 'true', 'true', 'false', 'true'],
  String: ['b', 'a', '', 'c', 'bb', 'c'],
  'LowCardinality(String)': ['b', 'a', '', 'c', 'bb', 'c'],
  Date: ['2020-01-01', '1970-01-01', '2100-01-01', '2020-01-02', '2020-01-03', '2020-01-02'],
  "DateTime('UTC')": [1, 2, 3, 4, 5, 4].map((d) => `2020-01-0${d} 00:00:00`),
  "DateTime64(3, 'UTC')": [1, 2, 3, 4, 5, 4].map((d) => `2020-01-0${d} 00:00:00.250`),
  "Enum8('x' = 1, 'y' = 2)": ['x', 'y', 'x', 'y', 'x', 'y'],
  'Nullable(Int32)': ['NULL', '4', 'NULL', 'NULL', '9', 'NULL'],
  'Nullable(String)': ['NULL', 'q', 'NULL', 'NULL', 'p', 'NULL'],
  'Array(UInt8)': ['[1,2]', '[1]', '[]', '[3]', '[3,0]', '[3]'],
};
/** Group b has no NULL-free row where the type is Nullable. */
const groupsOfRows = ['a', 'a', 'b', 'b', 'c', 'c'];
const conditions = ['1', '0', '0', '0', '1', '1'];

interface Call {
  readonly name: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly distinct?: boolean;
}

const calls: readonly Call[] = [
  ...['count', 'min', 'max', 'any', 'anyLast', 'uniqExact', 'groupArray'].map(
    (name): Call => ({ name, sql: `${name}(v)`, columns: ['v'] }),
  ),
  { name: 'count', sql: 'count()', columns: [] },
  { name: 'countIf', sql: 'countIf(c)', columns: ['c'] },
  { name: 'minIf', sql: 'minIf(v, c)', columns: ['v', 'c'] },
  { name: 'anyIf', sql: 'anyIf(v, c)', columns: ['v', 'c'] },
  { name: 'uniqExactIf', sql: 'uniqExactIf(v, c)', columns: ['v', 'c'] },
  { name: 'argMax', sql: 'argMax(v, c)', columns: ['v', 'c'] },
  { name: 'count', sql: 'count(DISTINCT v)', columns: ['v'], distinct: true },
  { name: 'uniqExact', sql: 'uniqExact(v, c)', columns: ['v', 'c'] },
  { name: 'maxOrNull', sql: 'maxOrNull(v)', columns: ['v'] },
];
const numeric = Object.keys(samples).slice(0, 9).concat('Nullable(Int32)');
const numericCalls: readonly Call[] = [
  ...['sum', 'avg', 'groupBitOr', 'groupBitXor', 'groupBitAnd'].map(
    (name): Call => ({ name, sql: `${name}(v)`, columns: ['v'] }),
  ),
  { name: 'sumIf', sql: 'sumIf(v, c)', columns: ['v', 'c'] },
  { name: 'avgIf', sql: 'avgIf(v, c)', columns: ['v', 'c'] },
  { name: 'sum', sql: 'sum(DISTINCT v)', columns: ['v'], distinct: true },
  { name: 'sumOrNullIf', sql: 'sumOrNullIf(v, c)', columns: ['v', 'c'] },
];

function tableOf(type: string): Table {
  return {
    columns: [
      { name: 'k', type: 'String' },
      { name: 'v', type },
      { name: 'c', type: 'UInt8' },
    ],
    rows: (samples[type] ?? []).map((v, i) => [groupsOfRows[i] ?? '', v, conditions[i] ?? '']),
  };
}

/** Rows come one block each: states live across blocks. */
function ours(call: Call, table: Table, grouped: boolean): Outcome {
  return ourOutcome(() => {
    const types = call.columns.map((name) => typeOf(table, name));
    const found = findAggregate(call.name)!;
    const resolved = typeAggregate(found, types, call.distinct);
    const aggregation = resolved.create();
    const groups = new GroupTable(grouped ? [{ kind: 'String' }] : []);
    table.rows.forEach((row) => {
      const block: Table = { columns: table.columns, rows: [row] };
      const keys = grouped ? [columnNamed(block, 'k')] : [];
      const numbers = groups.add(keys, 1);
      aggregation.add(
        call.columns.map((name) => columnNamed(block, name)),
        numbers,
      );
    });
    return printed(aggregation.finish(groups.size), resolved.type, groups.size);
  });
}

function printed(column: Column, type: DataType, rows: number): string {
  const print = valuePrinter(type, context, 'escaped');
  const name = formatType(type).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return Array.from({ length: rows }, (_, row) => `${print(column, row)}\t${name}`).join('\n');
}

function typeOf(table: Table, name: string): DataType {
  return parseType(table.columns.find((column) => column.name === name)?.type ?? '');
}

function columnNamed(table: Table, name: string): Column {
  const at = table.columns.findIndex((column) => column.name === name);
  return tableColumn(table.columns[at]?.type ?? '', table, at).column;
}

function theirs(call: Call, table: Table, grouped: boolean): Outcome {
  const sql = clickHouseSql(call.sql, table);
  return askClickHouse(grouped ? `${sql} GROUP BY k ORDER BY k` : sql);
}

function differences(call: Call, types: readonly string[]): string[] {
  return types.flatMap((type) =>
    [true, false].flatMap((grouped) => {
      const table = tableOf(type);
      const expected = theirs(call, table, grouped);
      const got = ours(call, table, grouped);
      if (got === expected || (got.startsWith('error') && expected.startsWith('error'))) return [];
      return [`${call.sql} of ${type}: ours ${got}, ClickHouse's ${expected}`];
    }),
  );
}

describe('aggregates', () => {
  it.each(calls)('$sql', (call) => {
    expect(differences(call, Object.keys(samples))).toEqual([]);
  });

  it('argMin(c, v) where the least is one row', () => {
    const call: Call = { name: 'argMin', sql: 'argMin(c, v)', columns: ['c', 'v'] };
    const types = ['Int8', 'Int64', 'Float64', 'String', 'Date', 'Nullable(Int32)'];
    expect(differences(call, types)).toEqual([]);
  });

  it.each(numericCalls)('$sql', (call) => {
    expect(differences(call, numeric)).toEqual([]);
  });
});

describe('order', () => {
  const directions = ['ASC', 'DESC', 'ASC NULLS FIRST', 'DESC NULLS FIRST'];
  it.each(directions)('%s', (direction) => {
    for (const type of Object.keys(samples)) {
      const table = tableOf(type);
      const sql = clickHouseSql('toString(v)', table).replace('SELECT', 'SELECT c,');
      const expected = askClickHouse(`${sql} ORDER BY v ${direction}, c DESC, k`);
      const keys = [
        { column: columnNamed(table, 'v'), descending: direction.startsWith('DESC') },
        { column: columnNamed(table, 'c'), descending: true },
        { column: columnNamed(table, 'k'), descending: false },
      ].map((key) => ({ ...key, nullsFirst: direction.includes('FIRST') }));
      const order = sortPermutation(keys, table.rows.length);
      const print = valuePrinter(parseType(type), context, 'plain');
      const values = [...order].map((row) => {
        const text = print(columnNamed(table, 'v'), row);
        return `${table.rows[row]?.[2]}\t${text === 'NULL' ? '\\N' : text}`;
      });
      const theirValues = expected
        .split('\n')
        .map((line) => line.split('\t').slice(0, 2).join('\t'));
      expect(values, `${type} ${direction}`).toEqual(theirValues);
    }
  });
});
