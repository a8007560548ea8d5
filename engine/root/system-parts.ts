// system.parts: one row for each stripe of each table, in ClickHouse's columns as far as they mean
// something here. Made from the catalog alone; no part is opened.

import type { StripeEntry } from '../../catalog/entry.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { decodeKeyTuple } from '../../storage-format/key-tuple.ts';
import { partitionTypes } from '../ddl/drop-partition.ts';
import type { QueryContext } from '../query-context.ts';
import { columnOf, type Value } from '../values/column-builder.ts';
import { valuePrinter } from '../values/value-printer.ts';

const text = (name: string): NamedType => ({ name, type: { kind: 'String' } });
const count = (name: string): NamedType => ({ name, type: { kind: 'UInt64' } });

export const partColumns: readonly NamedType[] = [
  text('partition'),
  text('name'),
  { name: 'active', type: { kind: 'UInt8' } },
  count('rows'),
  count('bytes_on_disk'),
  count('min_block_number'),
  count('max_block_number'),
  text('database'),
  text('table'),
  text('engine'),
];

/** Block numbers are versions of the database: those whose rows the stripe has lie between them. */
export async function partRows(context: QueryContext): Promise<readonly (readonly Value[])[]> {
  const rows: (readonly Value[])[] = [];
  for (const database of await context.catalog.databases()) {
    const snapshot = await context.snapshot(database);
    for (const table of snapshot.tables.values()) {
      for (const stripe of await snapshot.stripes(table.id)) {
        rows.push(partRow(database, table, stripe));
      }
    }
  }
  return rows;
}

function partRow(database: string, table: TableSchema, stripe: StripeEntry): readonly Value[] {
  const { first, last, rows, parts } = stripe;
  const name = [first.version, first.ordinal, last.version, last.ordinal].join('_');
  return [
    encodeUtf8(partitionText(table, stripe.partition)),
    name,
    1,
    BigInt(rows),
    BigInt(parts.reduce((sum, { bytes }) => sum + bytes, 0)),
    BigInt(first.version),
    BigInt(last.version),
    encodeUtf8(database),
    encodeUtf8(table.name),
    table.engine,
  ];
}

/** As DROP PARTITION takes it, but for the quotes of a single text. */
function partitionText(table: TableSchema, partition: string): string {
  const types = partitionTypes(table);
  if (types.length === 0) return 'tuple()';
  const values = decodeKeyTuple(Buffer.from(partition, 'latin1'), types);
  const style = types.length === 1 ? 'plain' : 'quoted';
  const printed = types.map((type, i) => {
    const column = columnOf(type, [values[i] as Value]);
    return valuePrinter(type, { timeZone: 'UTC' }, style)(column, 0);
  });
  return printed.length === 1 ? printed[0]! : `(${printed.join(',')})`;
}
