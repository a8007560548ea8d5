// Heads: one immutable object per version, and the only thing that a commit creates (SPEC.md,
// "Heads"). A head holds the roots of the trees and the tail: the records of the commits that are
// not folded into pages yet.

import type { ByteReader } from '../base/byte-reader.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import { type CommitRecord, decodeRecord } from './commit-record.ts';
import type { PartPlace } from './entry.ts';
import { currentFormat, type FormatNumbers, seal, unseal } from './envelope.ts';
import { decodeRefs, emptyRoot, encodeRefs, type InnerPage } from './page.ts';
import { decodePlaces, encodePlaces } from './place-codec.ts';
import { type TreeName, treeNames } from './row.ts';
import type { CatalogVersion, DictionaryId, NamespaceId, TableId } from './schema.ts';

/** What a dictionary has erased. The epoch only grows; `erased` holds the bitmaps of all of them. */
interface Erasure {
  readonly dictionary: DictionaryId;
  readonly epoch: number;
  readonly erased?: PartPlace;
}

/** A record with its bytes, which never change from head to head. */
export interface TailRecord {
  readonly record: CommitRecord;
  readonly bytes: Uint8Array;
}

export type Roots = Readonly<Record<TreeName, InnerPage>>;

/**
 * Invariant C3: versions of the tail are foldedThrough + 1 .. version, without a gap.
 * Invariant C4: no next id, next code, epoch, `sweptBefore` or `oldestKept` ever decreases.
 */
export interface Head {
  readonly numbers: FormatNumbers;
  readonly namespace: NamespaceId;
  readonly version: CatalogVersion;
  /** Of the attempt that created this head: 32 hex digits, never sent with other bytes. */
  readonly commitId: string;
  /** The store's Date as the writer last knew it, ms since the epoch. */
  readonly date: number;
  /** Fixed by the chain's first head. */
  readonly keepMs: number;
  /** Unreferenced objects dated before may be gone; 0: never swept. */
  readonly sweptBefore: number;
  readonly oldestKept: CatalogVersion;
  /** The namespace is dropped: this is its last head, for ever. */
  readonly tombstone: boolean;
  readonly nextTableId: TableId;
  readonly nextDictionaryId: DictionaryId;
  readonly nextColumnId: number;
  /** Namespace 0 only. */
  readonly nextNamespaceId: NamespaceId;
  readonly erasures: readonly Erasure[];
  /** Every record up to this version is in pages; 0: none. */
  readonly foldedThrough: CatalogVersion;
  /** The first version whose line the commit log still has. */
  readonly logFrom: CatalogVersion;
  readonly roots: Roots;
  readonly tail: readonly TailRecord[];
}

export function firstHead(options: {
  readonly namespace: NamespaceId;
  readonly commitId: string;
  readonly date: number;
  readonly keepMs: number;
}): Head {
  const first = 1 as CatalogVersion;
  return {
    ...options,
    numbers: currentFormat,
    version: first,
    sweptBefore: 0,
    oldestKept: first,
    tombstone: false,
    nextTableId: 1 as TableId,
    nextDictionaryId: 1 as DictionaryId,
    nextColumnId: 1,
    nextNamespaceId: 1 as NamespaceId,
    erasures: [],
    foldedThrough: first,
    logFrom: 2 as CatalogVersion,
    roots: { entries: emptyRoot, schemas: emptyRoot, log: emptyRoot },
    tail: [],
  };
}

export function encodeHead(head: Head): Uint8Array {
  return seal('head', head.numbers, (writer) => {
    writer.varuint(head.namespace);
    writer.varuint(head.version);
    writer.hexId(head.commitId);
    writer.varuint(head.date);
    writer.varuint(head.keepMs);
    writer.varuint(head.sweptBefore);
    writer.varuint(head.oldestKept);
    writer.u8(head.tombstone ? 1 : 0);
    writer.varuint(head.nextTableId);
    writer.varuint(head.nextDictionaryId);
    writer.varuint(head.nextColumnId);
    writer.varuint(head.nextNamespaceId);
    writer.list(head.erasures, (erasure) => encodeErasure(writer, erasure));
    writer.varuint(head.foldedThrough);
    writer.varuint(head.logFrom);
    for (const tree of treeNames) encodeRefs(writer, head.roots[tree]);
    writer.list(head.tail, ({ bytes }) => writer.bytes(bytes));
  });
}

/** `known`: records already decoded; a version's record is the same in every head that has it. */
export function decodeHead(
  bytes: Uint8Array,
  what: string,
  known: ReadonlyMap<number, TailRecord> = new Map(),
): Head {
  const { numbers, body } = unseal('head', bytes, what);
  const fields = decodeFields(body);
  const erasures = body.list(() => decodeErasure(body));
  const foldedThrough = body.varuint() as CatalogVersion;
  const logFrom = body.varuint() as CatalogVersion;
  const roots = {
    entries: decodeRefs(body),
    schemas: decodeRefs(body),
    log: decodeRefs(body),
  };
  const tail = body.list((i) => {
    const recordBytes = body.bytes();
    const record = known.get(foldedThrough + 1 + i);
    return record ?? { record: decodeRecord(recordBytes, what), bytes: recordBytes.slice() };
  });
  body.end();
  checkTail(body, { foldedThrough, version: fields.version, tail });
  return { numbers, ...fields, erasures, foldedThrough, logFrom, roots, tail };
}

/** By version, for `decodeHead`. */
export function recordsByVersion(head: Head): ReadonlyMap<number, TailRecord> {
  return new Map(head.tail.map((entry) => [entry.record.version, entry]));
}

function decodeFields(body: ByteReader) {
  return {
    namespace: body.varuint() as NamespaceId,
    version: body.varuint() as CatalogVersion,
    commitId: body.hexId(),
    date: body.varuint(),
    keepMs: body.varuint(),
    sweptBefore: body.varuint(),
    oldestKept: body.varuint() as CatalogVersion,
    tombstone: body.u8() === 1,
    nextTableId: body.varuint() as TableId,
    nextDictionaryId: body.varuint() as DictionaryId,
    nextColumnId: body.varuint(),
    nextNamespaceId: body.varuint() as NamespaceId,
  };
}

function checkTail(body: ByteReader, head: Pick<Head, 'foldedThrough' | 'version' | 'tail'>): void {
  const gapless =
    head.foldedThrough + head.tail.length === head.version &&
    head.tail.every(({ record }, i) => record.version === head.foldedThrough + 1 + i);
  if (!gapless) body.refuse('has a tail with a gap');
}

function encodeErasure(writer: ByteWriter, erasure: Erasure): void {
  writer.varuint(erasure.dictionary);
  writer.varuint(erasure.epoch);
  writer.u8(erasure.erased === undefined ? 0 : 1);
  if (erasure.erased !== undefined) encodePlaces(writer, [erasure.erased]);
}

function decodeErasure(reader: ByteReader): Erasure {
  const dictionary = reader.varuint() as DictionaryId;
  const epoch = reader.varuint();
  const erased = decodePlaces(reader, reader.u8() === 0 ? 0 : 1)[0];
  return erased === undefined ? { dictionary, epoch } : { dictionary, epoch, erased };
}
