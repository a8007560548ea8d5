// Sample schemas and entries for the catalog's tests, and a store that ends or delays calls.

import type { CommitRequest, Proposal } from '../../catalog/commit.ts';
import type { NewStripe, PartPlace, SegmentEntry } from '../../catalog/entry.ts';
import type {
  ColumnId,
  DictionaryId,
  DictionarySchema,
  TableId,
  TableSchema,
} from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';

export function sampleDictionary(id: number, groups = 4): DictionarySchema {
  return {
    id: id as DictionaryId,
    name: id === 1 ? 'default_integer' : `dictionary ${id}`,
    domain: 'integer',
    groups,
    groupBy: { rule: 'id' },
    hashFunction: 1,
    valueEncoding: 1,
  };
}

export function sampleTable(
  ids: { readonly table: number; readonly column: number; readonly dictionary?: number },
  name = `t${ids.table}`,
): TableSchema {
  const users = { kind: 'Bitmap', id: { kind: 'UInt64' } } as const;
  return {
    id: ids.table as TableId,
    name,
    engine: 'AggregatingMergeTree',
    columns: [
      { id: ids.column as ColumnId, name: 'label', type: { kind: 'String' } },
      ids.dictionary === undefined
        ? { id: (ids.column + 1) as ColumnId, name: 'n', type: { kind: 'UInt64' } }
        : {
            id: (ids.column + 1) as ColumnId,
            name: 'users',
            type: users,
            dictionary: ids.dictionary as DictionaryId,
          },
    ],
    orderBy: ['label'],
    settings: [['muster_groups', '4']],
    comment: '',
    schemaVersion: 1,
  };
}

export function samplePlace(object: string, bytes = 1000): PartPlace {
  return {
    object,
    objectBytes: bytes,
    offset: 0,
    bytes,
    checksum: 0xdeadbeef,
    index: { start: bytes - 100, end: bytes - 10 },
    groupFirst: 0,
    groupCount: 4,
    shared: false,
  };
}

export function objectName(n: number): string {
  return n.toString(16).padStart(32, '0');
}

export function sampleStripe(
  table: number,
  n: number,
  changes: Partial<NewStripe> = {},
): NewStripe {
  return {
    table: table as TableId,
    partition: '',
    shape: 'batches',
    rows: n,
    parts: [samplePlace(objectName(n))],
    groupBytes: [10, 20, 30, 40],
    groupCardinality: [1, 2, 3, 4],
    keyMin: `key ${String(n).padStart(6, '0')}`,
    keyMax: `key ${String(n).padStart(6, '0')} end`,
    zones: [{ columnId: 1, min: 'a', max: 'b' }],
    schemaVersion: 1,
    erasureEpoch: 0,
    ...changes,
  };
}

export function sampleSegment(
  dictionary: number,
  segment: { readonly group: number; readonly base: number; readonly count: number },
  n = 1,
): Omit<SegmentEntry, 'first'> {
  return {
    dictionary: dictionary as DictionaryId,
    ...segment,
    place: samplePlace(objectName(n)),
    hashMin: 5,
    hashMax: 0xffffffff,
  };
}

/** A commit whose proposal does not depend on the head. */
export function propose(...changes: Proposal['changes']): CommitRequest {
  return { propose: async () => ({ changes }) };
}

/** Creates a dictionary and a table over it under the next ids. */
export function createTable(name = 't', groups = 4): CommitRequest {
  return {
    propose: async (snapshot: Snapshot) => {
      const dictionary = sampleDictionary(snapshot.nextDictionaryId, groups);
      const ids = {
        table: snapshot.nextTableId,
        column: snapshot.nextColumnId,
        dictionary: dictionary.id,
      };
      return {
        changes: [
          { kind: 'create-dictionary', dictionary },
          { kind: 'create-table', table: sampleTable(ids, name) },
        ],
      };
    },
  };
}

/** Adds one stripe; survives every race. */
export function addStripe(n: number, changes: Partial<NewStripe> = {}, table = 1): CommitRequest {
  return propose({ kind: 'add-stripe', stripe: sampleStripe(table, n, changes) });
}
