// Folding: moving the tail's records into pages (SPEC.md, "Folding"). A fold is of a state and is
// written before the head that uses it; it holds for every later head that has not been folded
// otherwise since, so that a lost race does not lose it.

import type { CatalogState } from './catalog-state.ts';
import { type CommitRecord, rangesTaken, tableRangesTaken } from './commit-record.ts';
import type { Head, Roots } from './head.ts';
import { type CatalogLimits, tokenKeepMs } from './limits.ts';
import type { PageStore } from './page-store.ts';
import {
  compareSortKeys,
  type Row,
  type RowRange,
  rangeHolds,
  type SortKey,
  sortKeyOf,
  type TreeName,
  treeOf,
} from './row.ts';
import type { CatalogVersion, TableId } from './schema.ts';
import { editTree, type TreeEdits } from './tree-edit.ts';

export interface Fold {
  /** `foldedThrough` of the heads that this fold fits. */
  readonly from: CatalogVersion;
  readonly through: CatalogVersion;
  readonly roots: Roots;
  /** The least upload date of its pages; undefined where it wrote none. */
  readonly uploadedAfter: number | undefined;
}

/** Folds the whole tail of `state`. PUTs: the pages on the paths to what the tail changed. */
export async function foldTail(
  pages: PageStore,
  state: CatalogState,
  limits: CatalogLimits,
): Promise<Fold> {
  const { head } = state;
  const edits = tailEdits(state);
  let uploadedAfter: number | undefined;
  const onWrite = (date: number): void => {
    uploadedAfter = Math.min(uploadedAfter ?? date, date);
  };
  const edit = (tree: TreeName) =>
    editTree({ pages, limits, onWrite }, head.roots[tree], edits[tree]);
  const [entries, schemas, log] = await Promise.all([
    edit('entries'),
    edit('schemas'),
    edit('log'),
  ]);
  return {
    from: head.foldedThrough,
    through: head.version,
    roots: { entries, schemas, log },
    uploadedAfter,
  };
}

/** Whether the head still has what was folded in its tail, and nothing else was folded since. */
export function foldFits(fold: Fold, head: Head): boolean {
  return fold.from === head.foldedThrough && fold.through <= head.version;
}

/** `fold` fits `head`. */
export function applyFold(fold: Fold, head: Head): Head {
  return {
    ...head,
    roots: fold.roots,
    foldedThrough: fold.through,
    tail: head.tail.filter(({ record }) => record.version > fold.through),
  };
}

/** What the tail changes in each tree; pure. */
function tailEdits(state: CatalogState): Readonly<Record<TreeName, TreeEdits>> {
  const records = state.head.tail.map(({ record }) => record);
  const puts = [
    ...records.flatMap((record, i) => survivors(record, records.slice(i + 1), state)),
    ...schemaRows(records, state),
  ].map((row) => ({ row, key: sortKeyOf(row) }));
  puts.sort((a, b) => compareSortKeys(a.key, b.key));
  const ranges = records.flatMap((record) => [...rangesTaken(record), ...schemasTaken(record)]);
  const of = (tree: TreeName): TreeEdits => ({
    puts: puts.filter(({ row }) => treeOf[row.space] === tree).map(({ row }) => row),
    ranges: distinct(ranges.filter((range) => treeOf[range.space] === tree)),
  });
  return { entries: of('entries'), schemas: of('schemas'), log: of('log') };
}

/** The record's rows that no later record takes; merged stripes, of lower versions, not by its own drops. */
function survivors(
  record: CommitRecord,
  later: readonly CommitRecord[],
  state: CatalogState,
): Row[] {
  const taken = later.flatMap(rangesTaken);
  const own = record.mergedStripes.length === 0 ? [] : tableRangesTaken(record);
  const alive = (table: TableId): boolean => state.contents.tablesById.has(table);
  const kept = (key: SortKey): boolean => !taken.some((range) => rangeHolds(range, key));
  const tokensFrom = state.head.date - tokenKeepMs;
  const { version, commitId, date } = record;
  const rows: Row[] = [
    ...record.stripes
      .filter((value) => alive(value.table))
      .map((value): Row => ({ space: 'stripe', value })),
    ...record.mergedStripes
      .map(({ stripe }): Row => ({ space: 'stripe', value: stripe }))
      .filter((row) => !own.some((range) => rangeHolds(range, sortKeyOf(row)))),
    ...[...record.segments, ...record.mergedSegments].map(
      (value): Row => ({ space: 'segment', value }),
    ),
    ...record.tokens
      .filter((value) => alive(value.table) && value.date >= tokensFrom)
      .map((value): Row => ({ space: 'token', value })),
    ...record.finishedFiles
      .filter((value) => alive(value.table))
      .map((value): Row => ({ space: 'finished-file', value })),
    { space: 'commit', value: { version, commitId, date } },
  ];
  return taken.length === 0 ? rows : rows.filter((row) => kept(sortKeyOf(row)));
}

/** Schemas that the tail touched, as they are now. */
function schemaRows(records: readonly CommitRecord[], { contents }: CatalogState): Row[] {
  const tables = new Set(records.flatMap((record) => record.tables.map((table) => table.id)));
  const dictionaries = new Set(
    records.flatMap((record) => [
      ...record.dictionaries.map((dictionary) => dictionary.id),
      ...record.segments.map((segment) => segment.dictionary),
    ]),
  );
  const created = records.flatMap((record) => record.namespaces);
  return [
    ...[...tables].flatMap((id): Row[] => {
      const value = contents.tablesById.get(id);
      return value === undefined ? [] : [{ space: 'table', value }];
    }),
    ...[...dictionaries].flatMap((id): Row[] => {
      const schema = contents.dictionaries.get(id);
      const nextCodes = contents.nextCodes.get(id);
      if (schema === undefined || nextCodes === undefined) return [];
      return [{ space: 'dictionary', value: { schema, nextCodes } }];
    }),
    ...created
      .filter(({ name, id }) => contents.databases.get(name) === id)
      .map((value): Row => ({ space: 'namespace', value })),
  ];
}

function schemasTaken(record: CommitRecord): RowRange[] {
  return [
    ...record.droppedTables.map((id): RowRange => ({ space: 'table', id })),
    ...record.droppedNamespaces.map((id): RowRange => ({ space: 'namespace', id })),
  ];
}

function distinct(ranges: readonly RowRange[]): RowRange[] {
  return [...new Map(ranges.map((range) => [JSON.stringify(range), range])).values()];
}
