// What one head changed: the unit of the tail (SPEC.md, "Commit records"). A record is a set of
// changes without order among them: drops and truncations take rows of lower versions, creations
// come after drops.

import { assertNever } from '../base/assert.ts';
import { ByteReader, isCorrupt } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { decodeMergedStripes, encodeMergedStripes } from './entry-codec.ts';
import type { MergedStripe, SegmentEntry, StripeEntry } from './entry.ts';
import {
  type CommitRow,
  type FinishedFileRow,
  type NamespaceRow,
  type RowRange,
  segmentRange,
  stripeRange,
  type TokenRow,
} from './row.ts';
import { decodeRun, encodeRun } from './row-codec.ts';
import type { DictionarySchema, NamespaceId, TableId, TableSchema } from './schema.ts';
import { decodeDictionary, encodeDictionary } from './schema-codec.ts';

/** All records of a backfill's finished files. */
interface RemovedJob {
  readonly table: TableId;
  readonly job: string;
}

interface Truncation {
  readonly table: TableId;
  readonly partition?: string;
}

export interface CommitRecord extends CommitRow {
  readonly droppedTables: readonly TableId[];
  readonly truncations: readonly Truncation[];
  readonly tables: readonly TableSchema[];
  readonly dictionaries: readonly DictionarySchema[];
  readonly stripes: readonly StripeEntry[];
  readonly segments: readonly SegmentEntry[];
  readonly tokens: readonly TokenRow[];
  /** Namespace 0 only. */
  readonly droppedNamespaces: readonly NamespaceId[];
  readonly namespaces: readonly NamespaceRow[];
  readonly finishedFiles: readonly FinishedFileRow[];
  readonly removedJobs: readonly RemovedJob[];
  /** Each takes the place of the segments of lower versions whose codes it has. */
  readonly mergedSegments: readonly SegmentEntry[];
  readonly mergedStripes: readonly MergedStripe[];
}

type Section = Exclude<keyof CommitRecord, keyof CommitRow>;

/** Position is the section's number on disk. */
const sections = [
  'droppedTables',
  'truncations',
  'tables',
  'dictionaries',
  'stripes',
  'segments',
  'tokens',
  'droppedNamespaces',
  'namespaces',
  'finishedFiles',
  'removedJobs',
  'mergedSegments',
  'mergedStripes',
] as const satisfies readonly Section[];

export function emptyRecord(row: CommitRow): CommitRecord {
  return {
    ...row,
    droppedTables: [],
    truncations: [],
    tables: [],
    dictionaries: [],
    stripes: [],
    segments: [],
    tokens: [],
    droppedNamespaces: [],
    namespaces: [],
    finishedFiles: [],
    removedJobs: [],
    mergedSegments: [],
    mergedStripes: [],
  };
}

export function recordIsEmpty(record: CommitRecord): boolean {
  return sections.every((section) => record[section].length === 0);
}

export function encodeRecord(record: CommitRecord): Uint8Array {
  const writer = new ByteWriter();
  encodeRun(writer, 'commit', [record]);
  const used = sections.filter((section) => record[section].length > 0);
  writer.list(used, (section) => {
    writer.u8(sections.indexOf(section));
    encodeSection(writer, section, record);
  });
  return writer.finish();
}

export function decodeRecord(bytes: Uint8Array, what: string): CommitRecord {
  const reader: ByteReader = new ByteReader(bytes, isCorrupt(what));
  const row = decodeRun(reader, 'commit')[0];
  if (row === undefined) reader.refuse('has a record of no commit');
  let record = emptyRecord(row);
  for (let left = reader.varuint(); left > 0; left--) {
    const section = sections[reader.u8()];
    if (section === undefined) reader.refuse('has an unknown change');
    record = { ...record, [section]: decodeSection(reader, section) };
  }
  reader.end();
  return record;
}

/** What the record takes from rows of lower versions. */
export function rangesTaken(record: CommitRecord): RowRange[] {
  return [
    ...tableRangesTaken(record),
    ...record.mergedSegments.map(segmentRange),
    ...record.mergedStripes.flatMap(({ stripe, taken }) =>
      taken.map((input) => stripeRange(stripe, input)),
    ),
    ...finishedFilesTaken(record),
  ];
}

/** Of it what drops and truncations take: stripes by their first sequence, so merged ones of it too. */
export function tableRangesTaken(record: CommitRecord): RowRange[] {
  const whole = record.droppedTables.map((table): Truncation => ({ table }));
  return [...whole, ...record.truncations].flatMap(({ table, partition }) =>
    (['stripe', 'token'] as const).map(
      (space): RowRange =>
        partition === undefined ? { space, id: table } : { space, id: table, partition },
    ),
  );
}

function finishedFilesTaken(record: CommitRecord): RowRange[] {
  const space = 'finished-file';
  return [
    ...record.droppedTables.map((id): RowRange => ({ space, id })),
    ...record.removedJobs.map(({ table, job }): RowRange => ({ space, id: table, partition: job })),
  ];
}

function encodeSection(writer: ByteWriter, section: Section, record: CommitRecord): void {
  switch (section) {
    case 'droppedTables':
      return writer.list(record.droppedTables, (id) => writer.varuint(id));
    case 'droppedNamespaces':
      return writer.list(record.droppedNamespaces, (id) => writer.varuint(id));
    case 'truncations':
      return writer.list(record.truncations, ({ table, partition }) => {
        writer.varuint(table);
        writer.u8(partition === undefined ? 0 : 1);
        if (partition !== undefined) writer.byteString(partition);
      });
    case 'dictionaries':
      return writer.list(record.dictionaries, (dictionary) => encodeDictionary(writer, dictionary));
    case 'tables':
      return encodeRun(writer, 'table', record.tables);
    case 'stripes':
      return encodeRun(writer, 'stripe', record.stripes);
    case 'segments':
    case 'mergedSegments':
      return encodeRun(writer, 'segment', record[section]);
    case 'mergedStripes':
      return encodeMergedStripes(writer, record.mergedStripes);
    case 'tokens':
      return encodeRun(writer, 'token', record.tokens);
    case 'namespaces':
      return encodeRun(writer, 'namespace', record.namespaces);
    case 'finishedFiles':
      return encodeRun(writer, 'finished-file', record.finishedFiles);
    case 'removedJobs':
      return writer.list(record.removedJobs, ({ table, job }) => {
        writer.varuint(table);
        writer.byteString(job);
      });
    default:
      return assertNever(section);
  }
}

function decodeSection(reader: ByteReader, section: Section): CommitRecord[Section] {
  switch (section) {
    case 'droppedTables':
      return reader.list(() => reader.varuint() as TableId);
    case 'droppedNamespaces':
      return reader.list(() => reader.varuint() as NamespaceId);
    case 'truncations':
      return reader.list(() => {
        const table = reader.varuint() as TableId;
        return reader.u8() === 0 ? { table } : { table, partition: reader.byteString() };
      });
    case 'dictionaries':
      return reader.list(() => decodeDictionary(reader));
    case 'tables':
      return decodeRun(reader, 'table');
    case 'stripes':
      return decodeRun(reader, 'stripe');
    case 'segments':
    case 'mergedSegments':
      return decodeRun(reader, 'segment');
    case 'mergedStripes':
      return decodeMergedStripes(reader);
    case 'tokens':
      return decodeRun(reader, 'token');
    case 'namespaces':
      return decodeRun(reader, 'namespace');
    case 'finishedFiles':
      return decodeRun(reader, 'finished-file');
    case 'removedJobs':
      return reader.list(() => ({
        table: reader.varuint() as TableId,
        job: reader.byteString(),
      }));
    default:
      return assertNever(section);
  }
}
