// Rows of the catalog's trees: what pages hold, and the order that they are sorted in (SPEC.md,
// "Rows"). Eight kinds ("spaces") lie in three trees: `entries`, `schemas` and `log`.

import { assertNever } from '../base/assert.ts';
import type { SegmentEntry, Sequence, StripeEntry, StripeName } from './entry.ts';
import type {
  CatalogVersion,
  DictionarySchema,
  NamespaceId,
  TableId,
  TableSchema,
} from './schema.ts';

/** A dictionary as pages hold it; `nextCodes` per group, as of the fold that wrote it. */
export interface DictionaryRow {
  readonly schema: DictionarySchema;
  readonly nextCodes: readonly number[];
}

export interface NamespaceRow {
  readonly id: NamespaceId;
  readonly name: string;
}

/** One line of the commit log. `date`: the store's, as its writer last knew it. */
export interface CommitRow {
  readonly version: CatalogVersion;
  readonly commitId: string;
  readonly date: number;
}

/** An insert's token. `digest`: 16 bytes of a SHA-256 of view path and token, a byte string. */
export interface TokenRow {
  readonly table: TableId;
  readonly partition: string;
  readonly digest: string;
  readonly version: CatalogVersion;
  readonly date: number;
}

/**
 * A file that a backfill has loaded, said by the commit that made its rows visible. Kept until its
 * job is removed or its table dropped.
 */
export interface FinishedFileRow {
  readonly table: TableId;
  /** The job's name, a byte string. */
  readonly job: string;
  /** Of the file's name within the job: 16 bytes, a byte string. */
  readonly digest: string;
  /** The file's own size, and what it gave. */
  readonly bytes: number;
  readonly rows: number;
  readonly version: CatalogVersion;
  readonly date: number;
}

export interface RowValues {
  readonly stripe: StripeEntry;
  readonly segment: SegmentEntry;
  readonly table: TableSchema;
  readonly dictionary: DictionaryRow;
  readonly namespace: NamespaceRow;
  readonly commit: CommitRow;
  readonly token: TokenRow;
  readonly 'finished-file': FinishedFileRow;
}

export type Space = keyof RowValues;
type RowOf<S extends Space> = { readonly space: S; readonly value: RowValues[S] };
export type Row = { [S in Space]: RowOf<S> }[Space];

/** In sort order, which is also their number on disk. */
export const spaces = [
  'stripe',
  'segment',
  'table',
  'dictionary',
  'namespace',
  'commit',
  'token',
  'finished-file',
] as const satisfies readonly Space[];

export const treeNames = ['entries', 'schemas', 'log'] as const;
export type TreeName = (typeof treeNames)[number];

export const treeOf: Readonly<Record<Space, TreeName>> = {
  stripe: 'entries',
  segment: 'entries',
  table: 'schemas',
  dictionary: 'schemas',
  namespace: 'schemas',
  commit: 'log',
  token: 'log',
  'finished-file': 'log',
};

/**
 * Where a row lies: compared field by field, in this order. `id` is a table, dictionary, namespace
 * or version; `partition` and `key` are byte strings.
 *
 * Invariant C1: the rows of a tree are strictly ascending by their sort keys.
 */
export interface SortKey {
  readonly space: Space;
  readonly id: number;
  readonly partition: string;
  readonly key: string;
  readonly version: number;
  readonly ordinal: number;
}

export function sortKeyOf(row: Row): SortKey {
  const { space, value } = row;
  const plain = { space, partition: '', key: '', version: 0, ordinal: 0 };
  switch (space) {
    case 'stripe':
      return {
        space,
        id: value.table,
        partition: value.partition,
        key: value.keyMin,
        version: value.first.version,
        ordinal: value.first.ordinal,
      };
    case 'segment':
      return {
        ...plain,
        id: value.dictionary,
        partition: bigEndian(value.group),
        key: bigEndian(value.base),
      };
    case 'table':
      return { ...plain, id: value.id };
    case 'dictionary':
      return { ...plain, id: value.schema.id };
    case 'namespace':
      return { ...plain, id: value.id };
    case 'commit':
      return { ...plain, id: value.version };
    case 'token':
      return { ...plain, id: value.table, partition: value.partition, key: value.digest };
    case 'finished-file':
      return { ...plain, id: value.table, partition: value.job, key: value.digest };
    default:
      return assertNever(space);
  }
}

export function compareSortKeys(a: SortKey, b: SortKey): number {
  return (
    spaces.indexOf(a.space) - spaces.indexOf(b.space) ||
    a.id - b.id ||
    compareByteStrings(a.partition, b.partition) ||
    compareByteStrings(a.key, b.key) ||
    a.version - b.version ||
    a.ordinal - b.ordinal
  );
}

export function compareByteStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Four bytes whose order as a byte string is the number's. */
function bigEndian(value: number): string {
  return String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/**
 * What a drop, a truncation or a merge takes: all rows of a table, of one partition of it, of a run of
 * keys of one partition, or one stripe.
 */
export interface RowRange {
  readonly space: Space;
  readonly id: number;
  readonly partition?: string;
  /** Both inclusive; with a partition only. */
  readonly keys?: { readonly first: string; readonly last: string };
  /** One stripe alone; with keys only. */
  readonly sequence?: Sequence;
}

/** Exactly one stripe. */
export function stripeRange(
  { table, partition }: Pick<StripeEntry, 'table' | 'partition'>,
  { keyMin, first }: StripeName,
): RowRange {
  const keys = { first: keyMin, last: keyMin };
  return { space: 'stripe', id: table, partition, keys, sequence: first };
}

/** Segments that begin at a code of these: Invariant C10 has them lie wholly inside. */
export function segmentRange(segment: Omit<SegmentEntry, 'first' | 'place'>): RowRange {
  const { dictionary, group, base, count } = segment;
  const keys = { first: bigEndian(base), last: bigEndian(base + count - 1) };
  return { space: 'segment', id: dictionary, partition: bigEndian(group), keys };
}

export function rangeHolds(range: RowRange, key: SortKey): boolean {
  return (
    range.space === key.space &&
    range.id === key.id &&
    (range.partition === undefined || range.partition === key.partition) &&
    (range.keys === undefined || (key.key >= range.keys.first && key.key <= range.keys.last)) &&
    (range.sequence === undefined ||
      (key.version === range.sequence.version && key.ordinal === range.sequence.ordinal))
  );
}
