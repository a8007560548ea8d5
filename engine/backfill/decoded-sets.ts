// Blocks whose columns of texts become columns of sets. A block of a few megabytes of bitmaps may hold
// a hundred million ids: it leaves here in pieces, each with a bounded number of members.

import { MusterError } from '../../base/errors.ts';
import { sliceRows } from '../../storage-format/column-rows.ts';
import type { DataType, IntegerName, NamedType } from '../../storage-format/data-type.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { internedLists } from '../batch/sorted-lists.ts';
import type { InsertBlock, InsertColumn } from '../ingest/insert-block.ts';
import { take } from '../library/columns/take.ts';
import { takeLists } from '../root/set-graph.ts';
import type { SetWishes } from './backfill-job.ts';
import {
  readingOf,
  type SetGatherer,
  setGatherer,
  type SetReading,
  type Texts,
} from './set-texts.ts';

/** A column that is read as text and holds sets. */
export interface SetColumn {
  /** Its position in the blocks. */
  readonly at: number;
  readonly name: string;
  readonly id: DataType;
  readonly wishes: SetWishes;
  /** Of ClickHouse's states, where it is another than the ids'. */
  readonly states?: IntegerName;
}

export interface BadRow {
  /** Of the file, from 1. */
  readonly row: number;
  readonly column?: string;
  readonly reason: string;
}

interface RowHooks {
  /** Told of rows that are left out; what it throws ends the blocks. */
  readonly onBad: (bad: readonly BadRow[]) => void;
  /** In the file, from 1, of a row of the blocks, from 0: some may have been left out before. */
  readonly rowOf: (row: number) => number;
}

/** Members of a piece: eight bytes each. */
const pieceMembersMax = 2 ** 22;

/** The types of the columns after decoding. */
export function decodedColumns(
  columns: readonly NamedType[],
  sets: readonly SetColumn[],
): readonly NamedType[] {
  return columns.map(({ name, type }, i) => {
    const set = sets.find(({ at }) => at === i);
    return set === undefined ? { name, type } : { name, type: { kind: 'Bitmap', id: set.id } };
  });
}

/**
 * What a column's values are is found out once, from the first block that holds any. Rows that hold
 * no set are left out and told.
 */
export async function* decodeSets(
  blocks: AsyncIterable<InsertBlock>,
  sets: readonly SetColumn[],
  hooks: RowHooks,
): AsyncGenerator<InsertBlock> {
  const readings = new Map<SetColumn, SetReading>();
  let before = 0;
  for await (const block of blocks) {
    if (sets.length === 0) yield block;
    else yield* decodeBlock(block, before, { sets, readings, ...hooks });
    before += block.rows;
  }
}

interface Decoding extends RowHooks {
  readonly sets: readonly SetColumn[];
  readonly readings: Map<SetColumn, SetReading>;
}

function* decodeBlock(
  block: InsertBlock,
  before: number,
  { sets, readings, onBad, rowOf }: Decoding,
): Generator<InsertBlock> {
  const columns = sets.map((set) => {
    const texts = textsOf(block, set);
    const reading = readings.get(set) ?? formOfColumn(texts, set, rowOf(before));
    if (reading !== undefined) readings.set(set, reading);
    // Without a value yet all are empty, and any form reads those.
    const gatherer = setGatherer(set.id, reading ?? 'list', set.states);
    return { set, texts, gatherer };
  });
  let start = 0;
  let bad: BadValue[] = [];
  for (let row = 0; row < block.rows; row++) {
    let members = 0;
    for (const { set, texts, gatherer } of columns) {
      const value = texts.nulls?.[row] === 1 ? '' : (texts.values[row] ?? '');
      const reason = gatherer.add(value);
      if (reason !== undefined) bad.push({ at: row, column: set.name, reason });
      members += gatherer.members;
    }
    if (members < pieceMembersMax && row + 1 < block.rows) continue;
    if (bad.length > 0) onBad(bad.map(({ at, ...told }) => ({ row: rowOf(before + at), ...told })));
    yield piece(block, { start, end: row + 1, bad }, columns);
    start = row + 1;
    bad = [];
  }
}

function formOfColumn(
  texts: Texts,
  { id, wishes, name }: SetColumn,
  row: number,
): SetReading | undefined {
  try {
    return readingOf(texts, id, wishes);
  } catch (error) {
    if (!(error instanceof MusterError)) throw error;
    const place = { row, column: name };
    throw new MusterError(error.errorName, `column ${name}: ${error.message}`, {
      cause: error,
      place,
    });
  }
}

interface PieceOf {
  readonly start: number;
  readonly end: number;
  readonly bad: readonly BadValue[];
}

interface BadValue {
  /** Row of the block. */
  readonly at: number;
  readonly column: string;
  readonly reason: string;
}

function piece(
  block: InsertBlock,
  { start, end, bad }: PieceOf,
  sets: readonly { readonly set: SetColumn; readonly gatherer: SetGatherer }[],
): InsertBlock {
  const lists = new Map(sets.map(({ set, gatherer }) => [set.at, gatherer.finish()]));
  const columns = block.columns.map((column, i): InsertColumn => {
    const gathered = lists.get(i);
    if (gathered !== undefined) return { kind: 'lists', lists: gathered };
    if (column.kind === 'ids' || column.kind === 'lists') {
      return { kind: 'ids', ids: takeLists(listsOf(column), rowsBetween(start, end)) };
    }
    return sliceRows(column, start, end);
  });
  const whole = { rows: end - start, columns };
  if (bad.length === 0) return whole;
  const left = new Set(bad.map(({ at }) => at - start));
  const kept = rowsBetween(0, whole.rows).filter((row) => !left.has(row));
  return {
    rows: kept.length,
    columns: columns.map((column) =>
      column.kind === 'ids' || column.kind === 'lists'
        ? { kind: 'ids', ids: takeLists(listsOf(column), kept) }
        : take(column, kept),
    ),
  };
}

export function listsOf(
  column: Extract<InsertColumn, { readonly kind: 'ids' | 'lists' }>,
): IdLists {
  return column.kind === 'ids' ? column.ids : internedLists(column.lists);
}

function rowsBetween(start: number, end: number): Int32Array {
  return Int32Array.from({ length: end - start }, (_, i) => start + i);
}

function textsOf(block: InsertBlock, { at, name }: SetColumn): Texts {
  const column = block.columns[at];
  if (column?.kind === 'string') return column;
  throw new MusterError('TYPE_MISMATCH', `Column ${name} is no column of bytes or texts`);
}
