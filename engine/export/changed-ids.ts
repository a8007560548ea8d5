// What changed in sets since an older version of their database: the same SELECT on both, and the ids
// that only one of them has. Codes are never given again, so that an id is in the same slice of both,
// and slices are compared one by one.

import type { KeyList } from '../../storage-format/key-list.ts';
import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { encodeKeyTuple, keyValueAt } from '../../storage-format/key-tuple.ts';
import { concatKeys } from '../dictionary/key-selection.ts';
import { take } from '../library/columns/take.ts';
import type { ResultBlock } from '../query.ts';
import type { QueryContext } from '../query-context.ts';
import { type ExportedSets, exportedSets } from './exported-sets.ts';
import { type IdChunk, idChunks, keysBetween } from './id-chunks.ts';
import { idColumn } from './id-column.ts';
import { type ExportJob, wrongWishes } from './export-job.ts';

interface ChangesJob extends ExportJob {
  readonly sinceVersion: number;
}

/**
 * Sets of the two versions belong together where their other columns are equal; one without its like
 * came or went as a whole.
 */
export async function changedIds(
  now: ExportedSets,
  job: ChangesJob,
  context: QueryContext,
): Promise<{
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<ResultBlock>;
}> {
  if (job.sorted) throw wrongWishes('changes are not sorted');
  const past: QueryContext = {
    ...context,
    snapshot: (database) => context.catalog.snapshotAt(database, job.sinceVersion),
  };
  const before = await exportedSets(job.select, past);
  if (!sameDictionary(now, before)) {
    throw wrongWishes('its ids were numbered anew since that version');
  }
  const columns: readonly NamedType[] = [
    ...now.columns.map(({ name, type }, i) => ({ name, type: i === now.at ? now.id : type })),
    { name: 'change', type: { kind: 'String' } },
  ];
  return { columns, blocks: changes(now, before, pairsOf(now, before)) };
}

/** Rows that belong together; -1: there is none. */
type Pair = readonly [here: number, there: number];

function pairsOf(now: ExportedSets, before: ExportedSets): readonly Pair[] {
  const here = rowsByTuple(now);
  const there = rowsByTuple(before);
  const stayed = [...here].map(([tuple, row]): Pair => [row, there.get(tuple) ?? -1]);
  const gone = [...there].flatMap(([tuple, row]): Pair[] => (here.has(tuple) ? [] : [[-1, row]]));
  return [...stayed, ...gone];
}

function rowsByTuple({ rows, others, columns }: ExportedSets): ReadonlyMap<string, number> {
  const plain = others.flatMap((column, i) =>
    column === undefined ? [] : [{ column, type: columns[i]!.type }],
  );
  const types = plain.map(({ type }) => type);
  const byTuple = new Map<string, number>();
  for (let row = 0; row < rows; row++) {
    const values = plain.map(({ column }) => keyValueAt(column, row));
    const tuple = Buffer.from(encodeKeyTuple(values, types)).toString('latin1');
    if (byTuple.has(tuple)) {
      throw wrongWishes('two sets of one version are told apart by no other column');
    }
    byTuple.set(tuple, row);
  }
  return byTuple;
}

async function* changes(
  now: ExportedSets,
  before: ExportedSets,
  pairs: readonly Pair[],
): AsyncGenerator<ResultBlock> {
  for await (const [here, there] of idChunks([now.source, before.source])) {
    const added = pairs.map(([a, b]) => without(keysOf(here!, a), keysOf(there!, b)));
    yield* changesOf(now, { lists: added, rows: pairs.map(([a]) => a), change: 'added' });
    const removed = pairs.map(([a, b]) => without(keysOf(there!, b), keysOf(here!, a)));
    yield* changesOf(before, { lists: removed, rows: pairs.map(([, b]) => b), change: 'removed' });
  }
}

function keysOf({ keys, offsets }: IdChunk, row: number): KeyList {
  const range = row < 0 ? { start: 0, end: 0 } : { start: offsets[row]!, end: offsets[row + 1]! };
  return keysBetween(keys, range);
}

interface Changes {
  /** Of each row. */
  readonly lists: readonly KeyList[];
  readonly rows: readonly number[];
  readonly change: string;
}

function* changesOf(sets: ExportedSets, { lists, rows, change }: Changes): Generator<ResultBlock> {
  const some = lists.filter(({ values }) => values.length > 0);
  const [first] = some;
  if (first === undefined) return;
  const keys = concatKeys(first.domain, some);
  const count = keys.values.length;
  const index = new Int32Array(count);
  let at = 0;
  lists.forEach(({ values }, i) => {
    index.fill(rows[i]!, at, at + values.length);
    at += values.length;
  });
  const ids = idColumn(keys, sets.id);
  const said: Column = { kind: 'string', values: new Array<string>(count).fill(change) };
  const columns = sets.others.map((column) => (column === undefined ? ids : take(column, index)));
  yield { rows: count, columns: [...columns, said] };
}

/** Of ascending keys. */
function without(keys: KeyList, others: KeyList): KeyList {
  if (keys.domain === 'integer' && others.domain === 'integer') {
    return { domain: 'integer', values: integersWithout(keys.values, others.values) };
  }
  const known = new Set<unknown>(others.values);
  const values = Array.from(keys.values as readonly string[]).filter((key) => !known.has(key));
  return { domain: keys.domain === 'integer' ? 'string' : keys.domain, values };
}

function integersWithout(ids: BigUint64Array, others: BigUint64Array): BigUint64Array {
  const a = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  const b = new Uint32Array(others.buffer, others.byteOffset, 2 * others.length);
  const out = new Uint32Array(a.length);
  let filled = 0;
  let at = 0;
  for (let i = 0; i < a.length; i += 2) {
    const [low, high] = [a[i]!, a[i + 1]!];
    while (at < b.length && (b[at + 1]! < high || (high === b[at + 1] && b[at]! < low))) at += 2;
    if (at < b.length && b[at] === low && b[at + 1] === high) continue;
    out[filled++] = low;
    out[filled++] = high;
  }
  return new BigUint64Array(out.buffer, 0, filled / 2);
}

/** The empty set of a query without rows belongs to none. */
function sameDictionary(now: ExportedSets, before: ExportedSets): boolean {
  const keyOf = ({ source: { graph, node } }: ExportedSets): string | undefined => {
    const { dictionary } = graph.node(node);
    return dictionary === undefined ? undefined : graph.dictionary(dictionary).key;
  };
  const [a, b] = [keyOf(now), keyOf(before)];
  return a === undefined || b === undefined || a === b;
}
