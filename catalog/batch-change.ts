// What one change makes of the batch that it goes into, or why it does not fit the head to be replaced
// and the changes before it (SPEC.md, "Check"). Pure.

import { assert, assertNever } from '../base/assert.ts';
import { MusterError } from '../base/errors.ts';
import type { CatalogState } from './catalog-state.ts';
import { checkedStripe } from './checked-stripe.ts';
import type { Change } from './commit.ts';
import { type CommitRecord, recordIsEmpty } from './commit-record.ts';
import type { NewStripe, SegmentEntry } from './entry.ts';
import { mergeMisfit } from './merged-segment.ts';
import { mergedStripe, stripeMergeMisfit } from './merged-stripe.ts';
import type { DictionaryId, NamespaceId, TableId, TableSchema } from './schema.ts';
import { erasureEpoch } from './snapshot-view.ts';
import { finishedFileRow, tokenRow } from './token-lookup.ts';

/** What the catalog itself commits beside what its users may ask for. */
export type AnyChange =
  | Change
  | { readonly kind: 'create-namespace'; readonly id: NamespaceId; readonly name: string }
  | { readonly kind: 'drop-namespace'; readonly id: NamespaceId }
  | { readonly kind: 'tombstone' };

/** What one head will say in place of that of `state`, as far as it is known. */
export interface CommitBatch {
  readonly state: CatalogState;
  readonly record: CommitRecord;
  readonly tombstone: boolean;
  readonly nextTableId: number;
  readonly nextDictionaryId: number;
  readonly nextColumnId: number;
  readonly nextNamespaceId: number;
  /** Of the dictionaries that this batch numbers. */
  readonly nextCodes: ReadonlyMap<DictionaryId, readonly number[]>;
  readonly nextOrdinal: number;
}

export const codesPerGroupMax = 2 ** 32;

/** The batch with the change, or why the change does not fit. */
export function addChange(batch: CommitBatch, change: AnyChange): CommitBatch | string {
  if (batch.tombstone) return 'the namespace is being dropped';
  switch (change.kind) {
    case 'create-table':
      return addTable(batch, change.table);
    case 'create-dictionary':
      return addDictionary(batch, change);
    case 'drop-table':
      return missingTable(batch, change.table) ?? withDrop(batch, change.table);
    case 'truncate-table': {
      const { table, partition } = change;
      const truncation = partition === undefined ? { table } : { table, partition };
      return (
        missingTable(batch, table) ??
        extend(batch, { truncations: [...batch.record.truncations, truncation] })
      );
    }
    case 'add-stripe':
      return addStripe(batch, change);
    case 'add-segment':
      return addSegment(batch, change.segment);
    case 'merge-segments':
      return mergeSegments(batch, change);
    case 'merge-stripes':
      return mergeStripes(batch, change);
    case 'token':
      return (
        missingTable(batch, change.token.table) ??
        extend(batch, { tokens: [...batch.record.tokens, tokenRow(change.token, batch.record)] })
      );
    case 'finish-file':
      return (
        missingTable(batch, change.file.table) ??
        extend(batch, {
          finishedFiles: [
            ...batch.record.finishedFiles,
            finishedFileRow(change.file, batch.record),
          ],
        })
      );
    case 'remove-job': {
      const { table, job } = change;
      return (
        missingTable(batch, table) ??
        extend(batch, { removedJobs: [...batch.record.removedJobs, { table, job }] })
      );
    }
    case 'create-namespace':
      return addNamespace(batch, change);
    case 'drop-namespace': {
      const known = [...batch.state.contents.databases.values()].includes(change.id);
      if (!known || batch.record.droppedNamespaces.includes(change.id)) return 'it is dropped';
      return extend(batch, { droppedNamespaces: [...batch.record.droppedNamespaces, change.id] });
    }
    case 'tombstone':
      return recordIsEmpty(batch.record) ? { ...batch, tombstone: true } : 'others write to it';
    default:
      return assertNever(change);
  }
}

function addTable(batch: CommitBatch, table: TableSchema): CommitBatch | string {
  if (table.id !== batch.nextTableId) return `the next table id is ${batch.nextTableId}`;
  const named = batch.state.contents.tables.get(table.name);
  const nameTaken =
    batch.record.tables.some(({ name }) => name === table.name) ||
    (named !== undefined && !batch.record.droppedTables.includes(named.id));
  if (nameTaken) return `there is a table ${table.name}`;
  for (const [i, column] of table.columns.entries()) {
    if (column.id !== batch.nextColumnId + i) return `the next column id is ${batch.nextColumnId}`;
    if (column.dictionary !== undefined && !hasDictionary(batch, column.dictionary)) {
      return `there is no dictionary ${column.dictionary}`;
    }
  }
  return {
    ...extend(batch, { tables: [...batch.record.tables, table] }),
    nextTableId: batch.nextTableId + 1,
    nextColumnId: batch.nextColumnId + table.columns.length,
  };
}

function addDictionary(
  batch: CommitBatch,
  { dictionary }: Extract<Change, { kind: 'create-dictionary' }>,
): CommitBatch | string {
  const { groups, id, name } = dictionary;
  assert(Number.isInteger(groups) && groups >= 1 && groups <= 4096, `${groups} groups`);
  if (id !== batch.nextDictionaryId) return `the next dictionary id is ${batch.nextDictionaryId}`;
  const others = [...batch.state.contents.dictionaries.values(), ...batch.record.dictionaries];
  if (others.some((other) => other.name === name)) return `there is a dictionary ${name}`;
  return {
    ...extend(batch, { dictionaries: [...batch.record.dictionaries, dictionary] }),
    nextDictionaryId: batch.nextDictionaryId + 1,
    nextCodes: new Map(batch.nextCodes).set(id, new Array<number>(groups).fill(0)),
  };
}

function addStripe(
  batch: CommitBatch,
  { stripe }: Extract<Change, { kind: 'add-stripe' }>,
): CommitBatch | string {
  const misfit = misfitOfTable(batch, stripe);
  if (misfit !== undefined) return misfit;
  const table = liveTable(batch, stripe.table)!;
  const dictionaries = new Set(table.columns.flatMap(({ dictionary }) => dictionary ?? []));
  const epochs = [...dictionaries].map((dictionary) => erasureEpoch(batch.state, dictionary));
  const epoch = epochs.reduce((sum, each) => sum + each, 0);
  if (epoch !== stripe.erasureEpoch) return `ids were erased: the epoch is ${epoch}`;
  const sequence = { version: batch.record.version, ordinal: batch.nextOrdinal };
  const entry = { ...checkedStripe(stripe), first: sequence, last: sequence };
  return {
    ...extend(batch, { stripes: [...batch.record.stripes, entry] }),
    nextOrdinal: batch.nextOrdinal + 1,
  };
}

/**
 * Invariant C5: a segment begins at its group's next code. So codes are dense, and none is given
 * twice, whoever races.
 */
function addSegment(
  batch: CommitBatch,
  segment: Omit<SegmentEntry, 'first'>,
): CommitBatch | string {
  const { dictionary, group, base, count } = segment;
  const codes = batch.nextCodes.get(dictionary) ?? batch.state.contents.nextCodes.get(dictionary);
  if (codes === undefined) return `there is no dictionary ${dictionary}`;
  const next = codes[group];
  assert(next !== undefined && count > 0, `segment of ${count} codes in group ${group}`);
  if (base !== next) return `the next code of group ${group} is ${next}`;
  if (base + count > codesPerGroupMax) {
    throw new MusterError(
      'TOO_MANY_ROWS',
      `dictionary ${dictionary} is full: group ${group} would hold more than 2^32 ids`,
    );
  }
  const first = { version: batch.record.version, ordinal: batch.nextOrdinal };
  return {
    ...extend(batch, { segments: [...batch.record.segments, { ...segment, first }] }),
    nextCodes: new Map(batch.nextCodes).set(dictionary, codes.with(group, base + count)),
    nextOrdinal: batch.nextOrdinal + 1,
  };
}

function mergeSegments(
  batch: CommitBatch,
  change: Extract<Change, { kind: 'merge-segments' }>,
): CommitBatch | string {
  const misfit = mergeMisfit(batch, change);
  if (misfit !== undefined) return misfit;
  const first = { version: batch.record.version, ordinal: batch.nextOrdinal };
  const mergedSegments = [...batch.record.mergedSegments, { ...change.segment, first }];
  return { ...extend(batch, { mergedSegments }), nextOrdinal: batch.nextOrdinal + 1 };
}

function mergeStripes(
  batch: CommitBatch,
  change: Extract<Change, { kind: 'merge-stripes' }>,
): CommitBatch | string {
  const { stripe } = change;
  const misfit = misfitOfTable(batch, stripe) ?? stripeMergeMisfit(batch, change);
  if (misfit !== undefined) return misfit;
  const mergedStripes = [...batch.record.mergedStripes, mergedStripe(change)];
  return extend(batch, { mergedStripes });
}

function addNamespace(
  batch: CommitBatch,
  { id, name }: Extract<AnyChange, { kind: 'create-namespace' }>,
): CommitBatch | string {
  if (id !== batch.nextNamespaceId) return `the next namespace id is ${batch.nextNamespaceId}`;
  const named = batch.state.contents.databases.get(name);
  const nameTaken =
    batch.record.namespaces.some((other) => other.name === name) ||
    (named !== undefined && !batch.record.droppedNamespaces.includes(named));
  if (nameTaken) return `there is a database ${name}`;
  return {
    ...extend(batch, { namespaces: [...batch.record.namespaces, { id, name }] }),
    nextNamespaceId: batch.nextNamespaceId + 1,
  };
}

function withDrop(batch: CommitBatch, table: TableId): CommitBatch {
  return extend(batch, { droppedTables: [...batch.record.droppedTables, table] });
}

function extend(batch: CommitBatch, record: Partial<CommitRecord>): CommitBatch {
  return { ...batch, record: { ...batch.record, ...record } };
}

function liveTable(batch: CommitBatch, id: TableId): TableSchema | undefined {
  if (batch.record.droppedTables.includes(id)) return undefined;
  return (
    batch.state.contents.tablesById.get(id) ?? batch.record.tables.find((table) => table.id === id)
  );
}

/** Drops and truncations are of tables that the replaced head has. */
function missingTable(batch: CommitBatch, id: TableId): string | undefined {
  return liveTable(batch, id) === undefined ? `there is no table ${id}` : undefined;
}

/** Why rows do not fit their table as it is. */
function misfitOfTable(batch: CommitBatch, stripe: NewStripe): string | undefined {
  const table = liveTable(batch, stripe.table);
  if (table === undefined) return `there is no table ${stripe.table}`;
  if (table.schemaVersion === stripe.schemaVersion) return undefined;
  return `table ${table.name} has schema ${table.schemaVersion}`;
}

function hasDictionary({ state, record }: CommitBatch, id: DictionaryId): boolean {
  return state.contents.dictionaries.has(id) || record.dictionaries.some((d) => d.id === id);
}
