// One version of a namespace in memory: its head, and what is looked up without I/O. States share
// what did not change with their predecessors, so that following a chain costs what its commits
// changed, whatever the catalog's size.

import { assert } from '../base/assert.ts';
import type { CommitRecord } from './commit-record.ts';
import type { SegmentEntry } from './entry.ts';
import type { Head, TailRecord } from './head.ts';
import type { PageStore } from './page-store.ts';
import type {
  DictionaryId,
  DictionarySchema,
  NamespaceId,
  TableId,
  TableSchema,
} from './schema.ts';
import { allRows } from './tree-scan.ts';

interface CatalogContents {
  /** In byte order of names. */
  readonly tables: ReadonlyMap<string, TableSchema>;
  readonly tablesById: ReadonlyMap<TableId, TableSchema>;
  readonly dictionaries: ReadonlyMap<DictionaryId, DictionarySchema>;
  readonly nextCodes: ReadonlyMap<DictionaryId, readonly number[]>;
  /** Namespace 0 only; in byte order of names. */
  readonly databases: ReadonlyMap<string, NamespaceId>;
}

export interface CatalogState {
  readonly head: Head;
  readonly contents: CatalogContents;
}

export const emptyContents: CatalogContents = {
  tables: new Map(),
  tablesById: new Map(),
  dictionaries: new Map(),
  nextCodes: new Map(),
  databases: new Map(),
};

/** Reads the schema pages: one round where the tree has one level. */
export async function loadState(pages: PageStore, head: Head): Promise<CatalogState> {
  const base = await loadContents(pages, head);
  return { head, contents: head.tail.reduce((so, { record }) => applyRecord(so, record), base) };
}

/**
 * The state of a later head of the same chain. Without I/O where the head's tail still has all
 * commits since `previous`, folded or not.
 */
export async function followState(
  pages: PageStore,
  previous: CatalogState,
  head: Head,
): Promise<CatalogState> {
  const { version } = previous.head;
  assert(head.version >= version, `head ${head.version} follows ${version}`);
  if (head.foldedThrough > version) return loadState(pages, head);
  const unseen = head.tail.filter(({ record }) => record.version > version);
  return { head, contents: unseen.reduce(applyTail, previous.contents) };
}

export function applyRecord(contents: CatalogContents, record: CommitRecord): CatalogContents {
  return applyDatabases(applySegments(applySchemas(contents, record), record.segments), record);
}

/** Byte order of the names' UTF-8. */
function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

function applyTail(contents: CatalogContents, { record }: TailRecord): CatalogContents {
  return applyRecord(contents, record);
}

async function loadContents(pages: PageStore, head: Head): Promise<CatalogContents> {
  const rows = await allRows(pages, head.roots.schemas);
  const tables = rows.flatMap((row) => (row.space === 'table' ? [row.value] : []));
  const dictionaries = rows.flatMap((row) => (row.space === 'dictionary' ? [row.value] : []));
  const namespaces = rows.flatMap((row) => (row.space === 'namespace' ? [row.value] : []));
  return {
    ...withTables(emptyContents, tables),
    dictionaries: new Map(dictionaries.map(({ schema }) => [schema.id, schema])),
    nextCodes: new Map(dictionaries.map(({ schema, nextCodes }) => [schema.id, nextCodes])),
    databases: sortedByName(namespaces.map(({ name, id }) => [name, id])),
  };
}

function applySchemas(contents: CatalogContents, record: CommitRecord): CatalogContents {
  let next = contents;
  if (record.dictionaries.length > 0) {
    const dictionaries = new Map(next.dictionaries);
    const nextCodes = new Map(next.nextCodes);
    for (const dictionary of record.dictionaries) {
      dictionaries.set(dictionary.id, dictionary);
      nextCodes.set(dictionary.id, new Array<number>(dictionary.groups).fill(0));
    }
    next = { ...next, dictionaries, nextCodes };
  }
  if (record.tables.length > 0 || record.droppedTables.length > 0) {
    const kept = new Map(next.tablesById);
    for (const table of record.droppedTables) kept.delete(table);
    for (const table of record.tables) kept.set(table.id, table);
    next = withTables(next, [...kept.values()]);
  }
  return next;
}

function applySegments(
  contents: CatalogContents,
  segments: readonly SegmentEntry[],
): CatalogContents {
  if (segments.length === 0) return contents;
  const nextCodes = new Map(contents.nextCodes);
  const copied = new Map<DictionaryId, number[]>();
  for (const { dictionary, group, base, count } of segments) {
    let codes = copied.get(dictionary);
    if (codes === undefined) {
      codes = [...(nextCodes.get(dictionary) ?? [])];
      copied.set(dictionary, codes);
      nextCodes.set(dictionary, codes);
    }
    assert(codes[group] === base, `Invariant C5: segment at ${base} of ${codes[group]}`);
    codes[group] = base + count;
  }
  return { ...contents, nextCodes };
}

function applyDatabases(contents: CatalogContents, record: CommitRecord): CatalogContents {
  if (record.namespaces.length === 0 && record.droppedNamespaces.length === 0) return contents;
  const dropped = new Set(record.droppedNamespaces);
  const kept = [...contents.databases].filter(([, id]) => !dropped.has(id));
  const created = record.namespaces.map(({ name, id }): [string, NamespaceId] => [name, id]);
  return { ...contents, databases: sortedByName([...kept, ...created]) };
}

function withTables(contents: CatalogContents, tables: readonly TableSchema[]): CatalogContents {
  return {
    ...contents,
    tables: sortedByName(tables.map((table) => [table.name, table])),
    tablesById: new Map(tables.map((table) => [table.id, table])),
  };
}

function sortedByName<T>(named: (readonly [name: string, value: T])[]): Map<string, T> {
  return new Map(named.sort(([a], [b]) => compareNames(a, b)));
}
