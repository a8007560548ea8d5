// What ClickHouse writes in a format, and what we write of the same rows: they come from ClickHouse in
// RowBinary through our reader, so that both directions are checked at once. Bytes as byte strings.

import { queryAsync } from 'chdb';
import { formatResult } from '../../engine/formats/output.ts';
import { readInput } from '../../engine/formats/read-input.ts';
import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { noStatistics } from '../engine/formats/reading.ts';

export interface Answer {
  readonly columns: readonly NamedType[];
  readonly block: { readonly rows: number; readonly columns: readonly Column[] };
}

export async function oracle(sql: string, format: string): Promise<string> {
  return Buffer.from((await queryAsync(sql, { format })).bytes()).toString('latin1');
}

export function ours(
  format: string,
  answer: Answer,
  settings: Readonly<Record<string, string>>,
): string {
  const options = { settings: new Map(Object.entries(settings)), statistics: noStatistics };
  return Buffer.concat([...formatResult(format, answer, options)]).toString('latin1');
}

export async function answerOf(select: string, columns: readonly NamedType[]): Promise<Answer> {
  const bytes = Buffer.from(await oracle(select, 'RowBinary'), 'latin1');
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const options = { format: 'RowBinary', columns, body: body(), settings: new Map() };
  for await (const { rows, columns: read } of readInput(options)) {
    return { columns, block: { rows, columns: read as Column[] } };
  }
  return { columns, block: { rows: 0, columns: [] } };
}
