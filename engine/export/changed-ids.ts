// What changed in a set since an older version of its database: the same SELECT on both, and the ids
// that only one of them has. Codes are never given again, so that an id is in the same slice of both,
// and slices are compared one by one.

import type { KeyList } from '../../storage-format/key-list.ts';
import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import type { ResultBlock } from '../query.ts';
import type { QueryContext } from '../query-context.ts';
import { type ExportedSets, exportedSets } from './exported-sets.ts';
import { idChunks } from './id-chunks.ts';
import { idColumn } from './id-column.ts';
import { type ExportJob, wrongWishes } from './export-job.ts';

interface ChangesJob extends ExportJob {
  readonly sinceVersion: number;
}

/** One set of each version, the SELECT's one row; no row is the empty set. */
export async function changedIds(
  now: ExportedSets,
  job: ChangesJob,
  context: QueryContext,
): Promise<{
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<ResultBlock>;
}> {
  const past: QueryContext = {
    ...context,
    snapshot: (database) => context.catalog.snapshotAt(database, job.sinceVersion),
  };
  const before = await exportedSets(job.select, past);
  for (const { rows, others } of [now, before]) {
    if (rows > 1) throw wrongWishes(`changes are of one set, and the SELECT gives ${rows}`);
    if (others.length > 1) throw wrongWishes('changes are of one column, the set');
  }
  if (job.sorted) throw wrongWishes('changes are not sorted');
  if (!sameDictionary(now, before)) {
    throw wrongWishes('its ids were numbered anew since that version');
  }
  const [column] = now.columns;
  const columns: readonly NamedType[] = [
    { name: column?.name ?? 'id', type: now.id },
    { name: 'change', type: { kind: 'String' } },
  ];
  return { columns, blocks: changes(now, before) };
}

async function* changes(now: ExportedSets, before: ExportedSets): AsyncGenerator<ResultBlock> {
  for await (const [here, there] of idChunks([now.source, before.source])) {
    yield* changesOf(without(here!.keys, there!.keys), 'added', now);
    yield* changesOf(without(there!.keys, here!.keys), 'removed', now);
  }
}

function* changesOf(keys: KeyList, change: string, { id }: ExportedSets): Generator<ResultBlock> {
  const rows = keys.values.length;
  if (rows === 0) return;
  const said: Column = { kind: 'string', values: new Array<string>(rows).fill(change) };
  yield { rows, columns: [idColumn(keys, id), said] };
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
