// Parquet in tests: files read into plain values, answers written as files.

import { formatResult } from '../../../engine/formats/output.ts';
import { parquetStructure, readParquet } from '../../../engine/formats/parquet/parquet-input.ts';
import { inMemory } from '../../../engine/files/random-access.ts';
import type { Column } from '../../../storage-format/column.ts';
import { formatType, type NamedType, valueType } from '../../../storage-format/data-type.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';
import { noStatistics, valueAt } from './reading.ts';

const functions = { timeZone: 'UTC', now: 0, database: 'default', user: 'default' };

export function named(columns: Readonly<Record<string, string>>): readonly NamedType[] {
  return Object.entries(columns).map(([name, type]) => ({ name, type: parseType(type) }));
}

export async function structureOf(bytes: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const columns = await parquetStructure(inMemory(bytes));
  return Object.fromEntries(columns.map(({ name, type }) => [name, formatType(type)]));
}

/** Every row, or one of `step`. */
export async function readFile(
  bytes: Uint8Array,
  columns: readonly NamedType[],
  settings: Readonly<Record<string, string>> = {},
  step = 1,
): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  let at = 0;
  const asked = new Map(Object.entries(settings));
  const access = inMemory(bytes);
  for await (const block of readParquet({ access, columns, settings: asked, functions })) {
    for (let row = 0; row < block.rows; row++) {
      if (at++ % step !== 0) continue;
      rows.push(block.columns.map((c, i) => valueAt(c, row, valueType(columns[i]!.type).kind)));
    }
  }
  return rows;
}

export function writeFile(
  columns: readonly NamedType[],
  values: readonly Column[],
  settings: Readonly<Record<string, string>> = {},
): Buffer {
  const [first] = values;
  const rows = first === undefined ? 0 : rowsOf(first);
  const options = { settings: new Map(Object.entries(settings)), statistics: noStatistics };
  const answer = { columns, block: { rows, columns: values } };
  return Buffer.concat([...formatResult('Parquet', answer, options)]);
}

function rowsOf(column: Column): number {
  if (column.kind === 'array') return column.offsets.length - 1;
  return column.kind === 'tuple' ? column.length : column.values.length;
}
