// The people's tables as RowBinary, states included: what both ClickHouse and Muster load.

import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import type { People, PeopleTable } from './people.ts';

/** CREATE TABLE of one table; the same text for ClickHouse and Muster. */
export function createTableSql(table: PeopleTable, database = 'ppl'): string {
  const columns = table.columns.map(([name, type]) => `${name} ${type}`).join(', ');
  return `CREATE TABLE ${database}.${table.name} (${columns}) ENGINE = AggregatingMergeTree ORDER BY ${table.orderBy}`;
}

/** One chunk per row: scalars, then the state of the members. */
export function* rowBinary(people: People, table: PeopleTable): Iterable<Uint8Array> {
  for (const row of table.rows()) {
    const ids = new BigUint64Array(row.members.length);
    for (let i = 0; i < ids.length; i++) ids[i] = people.ids[row.members[i] ?? 0] ?? 0n;
    const scalars = row.scalars.map((value, i) => encodeScalar(value, table.columns[i]?.[1] ?? ''));
    yield Buffer.concat([...scalars, encodeState(ids, 'UInt64')]);
  }
}

function encodeScalar(value: string | number, type: string): Uint8Array {
  if (typeof value === 'string') return Buffer.from([value.length, ...Buffer.from(value)]);
  const bytes = Buffer.alloc(type === 'Date' ? 2 : 4);
  bytes.writeUIntLE(value, 0, bytes.length);
  return bytes;
}
