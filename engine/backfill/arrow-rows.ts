// An Arrow file or stream as the rows of a backfill. Lists of integers are sets where the table has a
// column of sets; bytes and texts are decoded as everywhere.

import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { setsOfColumn } from '../formats/parquet/parquet-sets.ts';
import type { InsertBlock, InsertColumn } from '../ingest/insert-block.ts';
import { type ArrowBatch, readArrow } from './arrow-input.ts';
import { columnsOfFile, type ColumnRequest, type FileColumns } from './file-columns.ts';

export async function openArrow(
  bytes: AsyncIterable<Uint8Array>,
  request: Omit<ColumnRequest, 'isText'>,
): Promise<{ readonly columns: FileColumns; readonly blocks: AsyncIterable<InsertBlock> }> {
  const input = await readArrow(bytes);
  const wanted = columnsOfFile(input.columns, { ...request, isText: false });
  const places = wanted.read.map(({ name }) =>
    input.columns.findIndex((column) => column.name === name),
  );
  // Values are of the file's types, but for sets.
  const read = wanted.read.map((column, i): NamedType => {
    const own = input.columns[places[i] ?? -1];
    return column.type.kind === 'Bitmap' || own === undefined ? column : own;
  });
  const columnOf = (values: readonly Column[], i: number): InsertColumn => {
    const at = places[i] as number;
    const { type } = read[i] as NamedType;
    const column = values[at] as Column;
    if (type.kind !== 'Bitmap') return column;
    const own = input.columns[at] as NamedType;
    return setsOfColumn(column, own.type, { id: type.id, setInput: 'array' });
  };
  return {
    columns: { read, sets: wanted.sets },
    blocks: blocksOf(input.batches, (values) => read.map((_, i) => columnOf(values, i))),
  };
}

async function* blocksOf(
  batches: AsyncIterable<ArrowBatch>,
  columns: (values: readonly Column[]) => readonly InsertColumn[],
): AsyncGenerator<InsertBlock> {
  for await (const { rows, values } of batches) yield { rows, columns: columns(values) };
}
