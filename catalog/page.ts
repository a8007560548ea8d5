// Pages of the catalog's trees and the references to them (SPEC.md, "Pages"). A leaf holds rows of
// one space; an inner page holds references, and so does each root, which lies in the head itself.

import type { ByteReader } from '../base/byte-reader.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import { decodeSuffix, encodeSuffix } from './entry-codec.ts';
import { currentFormat, seal, unseal } from './envelope.ts';
import { type Row, type SortKey, type Space, spaces } from './row.ts';
import { decodeRows, encodeRows } from './row-codec.ts';

/** One (table, partition) that occurs below a page. */
export interface PartitionValue {
  readonly table: number;
  readonly partition: string;
}

/**
 * Invariant C2: a reference holds the SHA-256 of its page's bytes, and a page is read through it.
 */
export interface PageRef {
  readonly pageId: string;
  readonly pageBytes: number;
  /** SHA-256, 64 hex digits. */
  readonly digest: string;
  readonly rows: number;
  /** Bytes of the parts that the rows below place. */
  readonly partBytes: number;
  readonly first: SortKey;
  readonly last: SortKey;
  /** Over all stripes below; empty strings where there are none. */
  readonly keyMin: string;
  readonly keyMax: string;
  /** All partitions of stripes below, where they are few; undefined: too many to say. */
  readonly partitions: readonly PartitionValue[] | undefined;
}

export interface InnerPage {
  /** Of the pages referred to: 0 are leaves. */
  readonly level: number;
  readonly refs: readonly PageRef[];
}

export interface LeafPage {
  readonly space: Space;
  readonly rows: readonly Row[];
}

export type Page =
  | ({ readonly kind: 'leaf' } & LeafPage)
  | ({ readonly kind: 'inner' } & InnerPage);

export const emptyRoot: InnerPage = { level: 0, refs: [] };

export function encodeLeaf(space: Space, rows: readonly Row[]): Uint8Array {
  return seal('page', currentFormat, (writer) => {
    writer.u8(0);
    writer.u8(spaces.indexOf(space));
    encodeRows(writer, space, rows);
  });
}

export function encodeInner(page: InnerPage): Uint8Array {
  return seal('page', currentFormat, (writer) => {
    writer.u8(1);
    encodeRefs(writer, page);
  });
}

export function decodePage(bytes: Uint8Array, what: string): Page {
  const { body } = unseal('page', bytes, what);
  const page: Page =
    body.u8() === 0
      ? { kind: 'leaf', ...decodeLeaf(body) }
      : { kind: 'inner', ...decodeRefs(body) };
  body.end();
  return page;
}

/** The form of roots and inner pages. */
export function encodeRefs(writer: ByteWriter, { level, refs }: InnerPage): void {
  writer.varuint(level);
  writer.list(refs, (ref) => {
    writer.hexId(ref.pageId);
    writer.varuint(ref.pageBytes);
    writer.raw(Buffer.from(ref.digest, 'hex'));
    writer.varuint(ref.rows);
    writer.varuint(ref.partBytes);
    encodeSortKey(writer, ref.first);
    encodeSortKey(writer, ref.last);
    writer.byteString(ref.keyMin);
    encodeSuffix(writer, ref.keyMin, ref.keyMax);
    encodePartitions(writer, ref.partitions);
  });
}

export function decodeRefs(reader: ByteReader): InnerPage {
  const level = reader.varuint();
  const refs = reader.list(() => decodeRef(reader));
  return { level, refs };
}

function decodeRef(reader: ByteReader): PageRef {
  const pageId = reader.hexId();
  const pageBytes = reader.varuint();
  const digest = Buffer.from(reader.raw(32)).toString('hex');
  const rows = reader.varuint();
  const partBytes = reader.varuint();
  const first = decodeSortKey(reader);
  const last = decodeSortKey(reader);
  const keyMin = reader.byteString();
  const keyMax = decodeSuffix(reader, keyMin);
  const partitions = decodePartitions(reader);
  return { pageId, pageBytes, digest, rows, partBytes, first, last, keyMin, keyMax, partitions };
}

function decodeLeaf(reader: ByteReader): LeafPage {
  const space = decodeSpace(reader);
  return { space, rows: decodeRows(reader, space) };
}

function decodeSpace(reader: ByteReader): Space {
  const space = spaces[reader.u8()];
  if (space === undefined) reader.refuse('has rows of an unknown kind');
  return space;
}

function encodeSortKey(writer: ByteWriter, key: SortKey): void {
  writer.u8(spaces.indexOf(key.space));
  writer.varuint(key.id);
  writer.byteString(key.partition);
  writer.byteString(key.key);
  writer.varuint(key.version);
  writer.varuint(key.ordinal);
}

function decodeSortKey(reader: ByteReader): SortKey {
  return {
    space: decodeSpace(reader),
    id: reader.varuint(),
    partition: reader.byteString(),
    key: reader.byteString(),
    version: reader.varuint(),
    ordinal: reader.varuint(),
  };
}

// Their number plus one; 0 where it is not told.
function encodePartitions(writer: ByteWriter, values: PageRef['partitions']): void {
  writer.varuint(values === undefined ? 0 : values.length + 1);
  for (const { table, partition } of values ?? []) {
    writer.varuint(table);
    writer.byteString(partition);
  }
}

function decodePartitions(reader: ByteReader): PageRef['partitions'] {
  const length = reader.varuint();
  if (length > reader.remaining + 1) reader.refuse(`counts ${length} partitions`);
  if (length === 0) return undefined;
  return Array.from({ length: length - 1 }, () => ({
    table: reader.varuint(),
    partition: reader.byteString(),
  }));
}
