// A Native file as the rows of a backfill: its first block says what its columns are, states are bytes
// until they are decoded set by set.

import { MusterError } from '../../base/errors.ts';
import type { IntegerName, NamedType } from '../../storage-format/data-type.ts';
import type { InsertBlock } from '../ingest/insert-block.ts';
import type { SetColumn } from './decoded-sets.ts';
import { columnsOfFile, type ColumnRequest, type FileColumns } from './file-columns.ts';
import { type NativeBlock, readNative } from './native-input.ts';

export async function openNative(
  bytes: AsyncIterable<Uint8Array>,
  request: Omit<ColumnRequest, 'isText'>,
): Promise<{ readonly columns: FileColumns; readonly blocks: AsyncIterable<InsertBlock> }> {
  const reading = readNative(bytes);
  const first = await reading.next();
  if (first.done === true) {
    const columns = { read: request.table.columns, sets: [] };
    return { columns, blocks: reading as AsyncGenerator<never> };
  }
  const own = first.value.columns;
  const wanted = columnsOfFile(own, { ...request, isText: false });
  const read = wanted.read.map(({ name, type }, at): NamedType => {
    const isText = wanted.sets.some((set) => set.at === at);
    return isText ? { name, type } : (own.find((column) => column.name === name) ?? { name, type });
  });
  const states = read.flatMap(({ name, type }, at): SetColumn[] => {
    if (type.kind !== 'Bitmap') return [];
    const target = request.table.columns.find((column) => column.name === name)?.type;
    const isTarget = request.job.select === undefined && target?.kind === 'Bitmap';
    const id = isTarget ? target.id : type.id;
    const wishes = { format: 'clickhouse', encoding: 'raw' } as const;
    return [{ at, name, id, wishes, states: type.id.kind as IntegerName }];
  });
  const columns = { read, sets: [...wanted.sets, ...states] };
  return { columns, blocks: picked(first.value, reading, read) };
}

async function* picked(
  first: NativeBlock,
  rest: AsyncIterable<NativeBlock>,
  read: readonly NamedType[],
): AsyncGenerator<InsertBlock> {
  yield pick(first, read);
  for await (const block of rest) yield pick(block, read);
}

function pick({ rows, columns, values }: NativeBlock, read: readonly NamedType[]): InsertBlock {
  return {
    rows,
    columns: read.map(({ name }) => {
      const column = values[columns.findIndex((one) => one.name === name)];
      if (column !== undefined) return column;
      throw new MusterError('INCORRECT_DATA', `a block of the Native data has no column ${name}`);
    }),
  };
}
