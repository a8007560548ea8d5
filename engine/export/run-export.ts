// An export: the sets of a SELECT as a stream of bytes in a format, as ids or as other systems' bytes,
// whole or as what changed since an older version of the database.

import { encodePortable } from '../../storage-format/bitmap.ts';
import { encodeStringState, encodeUuidState } from '../../storage-format/byte-set-state.ts';
import { encodeState } from '../../storage-format/clickhouse-state.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType, IntegerName, NamedType } from '../../storage-format/data-type.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { encodeWideMap } from '../../storage-format/wide-state.ts';
import { sortIntegers, sortStrings } from '../batch/merge-keys.ts';
import { concatKeys } from '../dictionary/key-selection.ts';
import { take } from '../library/columns/take.ts';
import type { ResultBlock } from '../query.ts';
import type { QueryContext } from '../query-context.ts';
import { changedIds } from './changed-ids.ts';
import { type ExportJob, wrongWishes } from './export-job.ts';
import { exportWriter } from './export-writer.ts';
import { type ExportedSets, exportedSets } from './exported-sets.ts';
import { type IdChunk, idChunks, keysBetween } from './id-chunks.ts';
import { idColumn } from './id-column.ts';
import { sortedIds } from './sorted-ids.ts';
import { sortedSets } from './sorted-sets.ts';

/** `onIds` hears of ids as they are written. */
export async function* runExport(
  job: ExportJob,
  context: QueryContext,
  onIds: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const { columns, blocks } = await exportedRows(job, context);
  const writer = exportWriter(job.format, columns, context.settings.raw);
  for await (const block of blocks) {
    onIds(block.rows);
    yield* writer.add(block);
  }
  yield* writer.finish();
}

interface ExportedRows {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<ResultBlock>;
}

async function exportedRows(job: ExportJob, context: QueryContext): Promise<ExportedRows> {
  const sets = await exportedSets(job.select, context);
  if (job.sinceVersion !== undefined) {
    if (job.as !== 'ids') throw wrongWishes('what changed is exported as ids');
    return await changedIds(sets, { ...job, sinceVersion: job.sinceVersion }, context);
  }
  if (job.as !== 'ids') return setRows(sets, job);
  const columns = withType(sets, sets.id);
  if (!job.sorted) return { columns, blocks: idRows(sets) };
  const blocks = sets.rows > 1 ? sortedSetRows(sets, context) : sortedRows(sets, context);
  return { columns, blocks };
}

function withType({ columns, at }: ExportedSets, type: DataType): readonly NamedType[] {
  return columns.map((column, i) => (i === at ? { name: column.name, type } : column));
}

/** The set's other columns are repeated for each of its ids. */
async function* idRows(sets: ExportedSets): AsyncGenerator<ResultBlock> {
  for await (const [chunk] of idChunks([sets.source], 'codes')) {
    const { offsets, keys } = chunk!;
    if (keys.values.length > 0) yield blockOf(sets, keys, offsets);
  }
}

async function* sortedRows(sets: ExportedSets, context: QueryContext): AsyncGenerator<ResultBlock> {
  const lists = async function* (): AsyncGenerator<KeyList> {
    for await (const [chunk] of idChunks([sets.source], 'codes')) yield chunk!.keys;
  };
  for await (const keys of sortedIds(lists(), context)) {
    if (keys.values.length > 0) {
      yield blockOf(sets, keys, Uint32Array.of(0, keys.values.length));
    }
  }
}

/** Set after set, in the order of the SELECT's rows. */
async function* sortedSetRows(
  sets: ExportedSets,
  context: QueryContext,
): AsyncGenerator<ResultBlock> {
  const chunks = async function* (): AsyncGenerator<IdChunk> {
    for await (const [chunk] of idChunks([sets.source])) yield chunk!;
  };
  for await (const { firstRow, offsets, keys } of sortedSets(chunks(), context)) {
    if (keys.values.length > 0) yield blockOf(sets, keys, offsets, firstRow);
  }
}

/** `offsets`: of the keys of rows from `firstRow` on. */
function blockOf(
  sets: ExportedSets,
  keys: KeyList,
  offsets: Uint32Array,
  firstRow = 0,
): ResultBlock {
  const rows = keys.values.length;
  const ids = idColumn(keys, sets.id);
  if (sets.others.length === 1) return { rows, columns: [ids] };
  const index = new Int32Array(rows);
  for (let row = 0; row + 1 < offsets.length; row++) {
    index.fill(firstRow + row, offsets[row], offsets[row + 1]);
  }
  return {
    rows,
    columns: sets.others.map((column) => (column === undefined ? ids : take(column, index))),
  };
}

/** All ids of all sets are held here: what they are written to is a value each. */
function setRows(sets: ExportedSets, job: ExportJob): ExportedRows {
  const isState = job.as === 'state' && job.encoding === 'raw';
  const type: DataType = isState ? { kind: 'Bitmap', id: sets.id } : { kind: 'String' };
  const encode = setEncoder(job, sets.id);
  const blocks = async function* (): AsyncGenerator<ResultBlock> {
    const pieces = Array.from({ length: sets.rows }, (): KeyList[] => []);
    for await (const [chunk] of idChunks([sets.source], 'codes')) {
      const { offsets, keys } = chunk!;
      pieces.forEach((list, row) => {
        const range = { start: offsets[row]!, end: offsets[row + 1]! };
        if (range.end > range.start) list.push(keysBetween(keys, range));
      });
    }
    const { domain } = sets.source.graph.node(sets.source.node);
    const values = pieces.map((list) => encode(inOrder(list, domain)));
    const bytes: Column = { kind: 'string', values };
    yield { rows: sets.rows, columns: sets.others.map((column) => column ?? bytes) };
  };
  return { columns: withType(sets, type), blocks: blocks() };
}

function inOrder(pieces: readonly KeyList[], domain: KeyList['domain']): KeyList {
  const all = concatKeys(domain, pieces);
  return all.domain === 'integer'
    ? { domain: all.domain, values: sortIntegers(all.values, false) }
    : { domain: all.domain, values: sortStrings([...all.values], false) };
}

type SetEncoder = (ids: KeyList) => string;

function setEncoder({ as, encoding }: ExportJob, id: DataType): SetEncoder {
  const isInteger = id.kind !== 'String' && id.kind !== 'UUID';
  if (as !== 'state' && !isInteger) throw wrongWishes('roaring bitmaps are of integers');
  const bytes = (ids: KeyList): Uint8Array => {
    if (ids.domain === 'string') return encodeStringState(ids.values);
    if (ids.domain === 'uuid') return encodeUuidState(ids.values);
    if (as === 'state') return encodeState(ids.values, id.kind as IntegerName);
    return as === 'roaring64' ? encodeWideMap(ids.values) : encodePortable(lowHalves(ids.values));
  };
  const name = encoding === 'raw' ? 'latin1' : encoding;
  return (ids) => {
    const encoded = bytes(ids);
    return Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length).toString(name);
  };
}

/** Signed ids by the bits of 32-bit numbers, as 32-bit bitmaps have them; in order of those. */
function lowHalves(ids: BigUint64Array): Uint32Array {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  const low = new Uint32Array(ids.length);
  for (let i = 0; i < ids.length; i++) {
    const [value, high] = [halves[2 * i]!, halves[2 * i + 1]!];
    const isNegative = high === 0xffff_ffff && value >= 0x8000_0000;
    if (high !== 0 && !isNegative) {
      throw wrongWishes(`the id ${ids[i]} has more than 32 bits: export it as roaring64`);
    }
    low[i] = value;
  }
  return low.sort();
}
