// Reads text through an input format, cut into chunks of any size, into rows of plain values.

import { expect } from 'vitest';
import { internedLists } from '../../../engine/batch/sorted-lists.ts';
import { type BadInputRow, readInput } from '../../../engine/formats/read-input.ts';
import type { InsertColumn } from '../../../engine/ingest/insert-block.ts';
import type { QueryStatistics } from '../../../engine/query.ts';
import type { Column } from '../../../storage-format/column.ts';
import { valueType } from '../../../storage-format/data-type.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';

interface Reading {
  readonly format: string;
  /** `a UInt8, b String` without commas inside types. */
  readonly columns: readonly (readonly [string, string])[];
  readonly data: string | Uint8Array;
  readonly chunk?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly onBadRow?: (bad: BadInputRow) => void;
}

export const numberAndText = [
  ['a', 'UInt8'],
  ['b', 'String'],
] as const;

/** Of a statement that did nothing. */
export const noStatistics: QueryStatistics = {
  elapsedNs: 0,
  readRows: 0,
  readBytes: 0,
  writtenRows: 0,
  writtenBytes: 0,
  resultRows: 0,
  dispatches: 0,
};

export async function readRows(reading: Reading): Promise<unknown[][]> {
  const columns = reading.columns.map(([name, type]) => ({ name, type: parseType(type) }));
  const rows: unknown[][] = [];
  const blocks = readInput({
    format: reading.format,
    columns,
    body: chunks(Buffer.from(reading.data as string), reading.chunk ?? 1 << 20),
    settings: new Map(Object.entries(reading.settings ?? {})),
    ...(reading.onBadRow === undefined ? {} : { onBadRow: reading.onBadRow }),
  });
  for await (const block of blocks) {
    for (let r = 0; r < block.rows; r++) {
      rows.push(block.columns.map((c, i) => valueAt(c, r, valueType(columns[i]!.type).kind)));
    }
  }
  return rows;
}

/** Whatever chunks the data comes in: of one byte, or all at once. */
export async function expectRows(reading: Reading, rows: unknown[][]): Promise<void> {
  for (const chunk of [1, 2, 3, 7, 1 << 20]) {
    expect(await readRows({ ...reading, chunk }), `chunks of ${chunk}`).toEqual(rows);
  }
}

export async function expectError(reading: Reading, code: number, text: RegExp): Promise<void> {
  const failure = { code, message: expect.stringMatching(text) };
  for (const chunk of reading.chunk === undefined ? [1, 5, 1 << 20] : [reading.chunk]) {
    const rows = readRows({ ...reading, chunk });
    await expect(rows, `chunks of ${chunk}`).rejects.toMatchObject(failure);
  }
}

export async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function valueAt(column: InsertColumn, row: number, kind = ''): unknown {
  if (column.kind === 'ids' || column.kind === 'lists') {
    const lists = column.kind === 'ids' ? column.ids : internedLists(column.lists);
    const { keys, offsets, ordinals } = lists;
    const members = ordinals.subarray(offsets[row], offsets[row + 1]);
    return Array.from(members, (o) => keys.values[o]).sort((a, b) => (a! < b! ? -1 : 1));
  }
  return plainValue(column, row, kind);
}

function plainValue(column: Column, row: number, kind: string): unknown {
  if (column.kind === 'tuple') return column.fields.map((field) => plainValue(field, row, ''));
  if (column.kind === 'array') {
    const start = column.offsets[row]!;
    const end = column.offsets[row + 1]!;
    return Array.from({ length: end - start }, (_, i) => plainValue(column.items, start + i, kind));
  }
  return column.nulls?.[row] === 1 ? null : column.values[row];
}
