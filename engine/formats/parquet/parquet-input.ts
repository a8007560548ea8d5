// FORMAT Parquet, read: the columns that are wanted, row group by row group, in blocks of at most
// 65,536 rows. The packed bytes of a row group's columns are read at once, and decoded in runs of rows,
// so that what is decoded stays within bounds.

import { MusterError } from '../../../base/errors.ts';
import { suggestion } from '../../../base/nearest-name.ts';
import { sliceRows } from '../../../storage-format/column-rows.ts';
import type { Column } from '../../../storage-format/column.ts';
import { type DataType, formatType, type NamedType } from '../../../storage-format/data-type.ts';
import { domainOfIds, noKeys } from '../../../storage-format/key-list.ts';
import { emptyIdLists } from '../../batch/id-list-builder.ts';
import type { RandomAccess } from '../../files/random-access.ts';
import { convertColumn } from '../../ingest/column-conversion.ts';
import type { InsertBlock, InsertColumn } from '../../ingest/insert-block.ts';
import type { FunctionContext } from '../../library/scalar-function.ts';
import { defaultColumn } from '../../values/column-shape.ts';
import { readInputSettings } from '../input-settings.ts';
import { checkIntegersFit } from './integer-fit.ts';
import { ColumnCursor } from './column-cursor.ts';
import { NestedCursor } from './nested-cursor.ts';
import { ParquetFile, type ParquetRowGroup } from './parquet-file.ts';
import { columnOfNode, type ParquetColumn } from './parquet-schema.ts';
import { setsOfColumn } from './parquet-sets.ts';
import { sinkOf } from './parquet-values.ts';

interface ParquetInput {
  readonly access: RandomAccess;
  /** What the blocks hold, in this order; found in the file by name. */
  readonly columns: readonly NamedType[];
  /** Columns that nobody reads are not decoded: their rows are defaults. All by default. */
  readonly needed?: readonly boolean[];
  readonly settings: ReadonlyMap<string, string>;
  readonly functions: FunctionContext;
  readonly signal?: AbortSignal;
}

const blockRowsMax = 65_536;
/** Decoded at once, roughly. */
const runBytesMax = 96 * 1024 * 1024;
const runRowsMin = 8_192;

/**
 * What a file says of its columns. One that Muster can't hold is Nothing here, and NOT_IMPLEMENTED where
 * it is read.
 */
export async function parquetStructure(access: RandomAccess): Promise<readonly NamedType[]> {
  const file = await ParquetFile.open(access);
  return file.columns.map((node): NamedType => {
    try {
      return { name: node.name, type: columnOfNode(node).type };
    } catch (error) {
      const isUnheld = error instanceof MusterError && error.errorName === 'NOT_IMPLEMENTED';
      if (!isUnheld) throw error;
      return { name: node.name, type: { kind: 'Nothing' } };
    }
  });
}

export async function* readParquet(options: ParquetInput): AsyncGenerator<InsertBlock> {
  const { access, columns, signal } = options;
  const file = await ParquetFile.open(access);
  const readers = columnReaders(file, options);
  for (const [number, group] of file.rowGroups.entries()) {
    const runRows = rowsAtOnce(group, readers);
    const cursors = await columnCursors(file, number, readers);
    for (let start = 0; start < group.rows; start += runRows) {
      signal?.throwIfAborted();
      const rows = Math.min(runRows, group.rows - start);
      const decoded = cursors.map((cursor) => refusing(() => cursor?.take(rows)));
      for (let from = 0; from < rows; from += blockRowsMax) {
        const range = { start: from, end: Math.min(from + blockRowsMax, rows) };
        yield {
          rows: range.end - range.start,
          columns: columns.map((_, i) => blockColumn(readers[i]!, decoded[i], { range, options })),
        };
      }
    }
  }
}

interface ColumnReader {
  readonly target: NamedType;
  /** Undefined: not in the file, or not wanted. */
  readonly source: ParquetColumn | undefined;
}

function columnReaders(file: ParquetFile, options: ParquetInput): ColumnReader[] {
  const { columns, needed, settings } = options;
  const nodes = new Map(file.columns.map((node) => [node.name, node]));
  const missing = columns.filter(({ name }) => !nodes.has(name));
  const mayMiss = (settings.get('input_format_parquet_allow_missing_columns') ?? '1') === '1';
  const [first] = missing;
  if (first !== undefined && (!mayMiss || missing.length === columns.length)) {
    throw new MusterError(
      'NOT_FOUND_COLUMN_IN_BLOCK',
      `The Parquet file has no column '${first.name}'${suggestion(first.name, nodes.keys())}. It has: ${[...nodes.keys()].slice(0, 20).join(', ')}`,
    );
  }
  return columns.map((target, i) => {
    const node = nodes.get(target.name);
    const isWanted = node !== undefined && needed?.[i] !== false;
    return { target, source: isWanted ? columnOfNode(node) : undefined };
  });
}

/** In memory a value of a list or a string costs more than its bytes. */
function rowsAtOnce(group: ParquetRowGroup, readers: readonly ColumnReader[]): number {
  let bytes = 0;
  for (const { source } of readers) {
    if (source === undefined) continue;
    const own = group.columnBytes.get(source.name) ?? 0;
    const isNested = source.listDepth !== undefined || source.nested !== undefined;
    const weight = isNested ? 8 : source.type.kind === 'String' ? 5 : 2;
    bytes += weight * own;
  }
  const runs = Math.ceil(bytes / runBytesMax);
  return Math.max(runRowsMin, Math.ceil(group.rows / Math.max(1, runs)));
}

/** They go through a row group once, from page to page. */
async function columnCursors(
  file: ParquetFile,
  group: number,
  readers: readonly ColumnReader[],
): Promise<readonly (RowCursor | undefined)[]> {
  const cursors: (RowCursor | undefined)[] = [];
  for (const { source } of readers) {
    if (source === undefined) cursors.push(undefined);
    else cursors.push(await columnCursor(file, group, source));
  }
  return cursors;
}

interface RowCursor {
  take(rows: number): Column;
}

async function columnCursor(
  file: ParquetFile,
  group: number,
  source: ParquetColumn,
): Promise<RowCursor> {
  const { nested } = source;
  if (nested === undefined) return new ColumnCursor(await file.pages([source.name], group), source);
  const leaves = [];
  for (const leaf of nested.leaves) {
    const pages = await file.pages(leaf.path, group);
    leaves.push({ leaf, pages, newSink: (rows: number) => sinkOf(leaf, rows) });
  }
  return new NestedCursor(leaves, nested.shape);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MusterError('INCORRECT_DATA', `Cannot read Parquet: ${why}`, { cause });
  }
}

interface BlockOf {
  readonly range: { readonly start: number; readonly end: number };
  readonly options: ParquetInput;
}

function blockColumn(
  { target, source }: ColumnReader,
  decoded: Column | undefined,
  { range, options }: BlockOf,
): InsertColumn {
  if (source === undefined || decoded === undefined) {
    return absentColumn(target.type, range.end - range.start);
  }
  const { functions, settings } = options;
  const rows = sliceRows(decoded, range.start, range.end);
  try {
    if (target.type.kind === 'Bitmap') {
      const { setInput } = readInputSettings(settings, functions.timeZone);
      return setsOfColumn(rows, source.type, { id: target.type.id, setInput });
    }
    checkIntegersFit(rows, source.type, target.type);
    return convertColumn(rows, source.type, { ...target, functions });
  } catch (error) {
    if (!(error instanceof MusterError)) throw error;
    const place = `(column '${target.name}' ${formatType(target.type)} of the Parquet file)`;
    throw new MusterError(error.errorName, `${error.message}: ${place}`, { cause: error });
  }
}

function absentColumn(type: DataType, rows: number): InsertColumn {
  if (type.kind !== 'Bitmap') return defaultColumn(type, rows);
  return { kind: 'ids', ids: emptyIdLists(noKeys(domainOfIds(type.id)), rows) };
}
