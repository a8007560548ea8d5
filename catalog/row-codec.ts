// Runs of rows of one space in bytes: what a leaf page holds and what the sections of a commit
// record hold (SPEC.md, "Rows"). Every run begins with its count.

import type { ByteReader } from '../base/byte-reader.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import { decodeSegments, decodeStripes, encodeSegments, encodeStripes } from './entry-codec.ts';
import type {
  CommitRow,
  DictionaryRow,
  FinishedFileRow,
  Row,
  RowValues,
  Space,
  TokenRow,
} from './row.ts';
import type { CatalogVersion, TableId } from './schema.ts';
import {
  decodeDictionary,
  decodeNamespace,
  decodeNextCodes,
  decodeTable,
  encodeDictionary,
  encodeNamespace,
  encodeNextCodes,
  encodeTable,
} from './schema-codec.ts';

interface RowCodec<T> {
  encode(writer: ByteWriter, values: readonly T[]): void;
  decode(reader: ByteReader): T[];
}

export const digestBytes = 16;

const codecs: { readonly [S in Space]: RowCodec<RowValues[S]> } = {
  stripe: { encode: encodeStripes, decode: decodeStripes },
  segment: { encode: encodeSegments, decode: decodeSegments },
  table: oneByOne(encodeTable, decodeTable),
  dictionary: oneByOne(encodeDictionaryRow, decodeDictionaryRow),
  namespace: oneByOne(encodeNamespace, decodeNamespace),
  commit: oneByOne(encodeCommit, decodeCommit),
  token: oneByOne(encodeToken, decodeToken),
  'finished-file': oneByOne(encodeFinishedFile, decodeFinishedFile),
};

export function encodeRun<S extends Space>(
  writer: ByteWriter,
  space: S,
  values: readonly RowValues[S][],
): void {
  codecs[space].encode(writer, values);
}

export function decodeRun<S extends Space>(reader: ByteReader, space: S): RowValues[S][] {
  return codecs[space].decode(reader);
}

/** The same for rows that carry their space; all of them are of `space`. */
export function encodeRows(writer: ByteWriter, space: Space, rows: readonly Row[]): void {
  const codec = codecs[space] as RowCodec<unknown>;
  codec.encode(
    writer,
    rows.map((row) => row.value),
  );
}

export function decodeRows(reader: ByteReader, space: Space): Row[] {
  return codecs[space].decode(reader).map((value) => ({ space, value }) as Row);
}

function oneByOne<T>(
  encodeOne: (writer: ByteWriter, value: T) => void,
  decodeOne: (reader: ByteReader) => T,
): RowCodec<T> {
  return {
    encode: (writer, values) => writer.list(values, (value) => encodeOne(writer, value)),
    decode: (reader) => reader.list(() => decodeOne(reader)),
  };
}

function encodeDictionaryRow(writer: ByteWriter, row: DictionaryRow): void {
  encodeDictionary(writer, row.schema);
  encodeNextCodes(writer, row.nextCodes);
}

function decodeDictionaryRow(reader: ByteReader): DictionaryRow {
  return { schema: decodeDictionary(reader), nextCodes: decodeNextCodes(reader) };
}

function encodeCommit(writer: ByteWriter, row: CommitRow): void {
  writer.varuint(row.version);
  writer.hexId(row.commitId);
  writer.varuint(row.date);
}

function decodeCommit(reader: ByteReader): CommitRow {
  return {
    version: reader.varuint() as CatalogVersion,
    commitId: reader.hexId(),
    date: reader.varuint(),
  };
}

function encodeToken(writer: ByteWriter, row: TokenRow): void {
  writer.varuint(row.table);
  writer.byteString(row.partition);
  writer.raw(Buffer.from(row.digest, 'latin1'));
  writer.varuint(row.version);
  writer.varuint(row.date);
}

function decodeToken(reader: ByteReader): TokenRow {
  return {
    table: reader.varuint() as TableId,
    partition: reader.byteString(),
    digest: Buffer.from(reader.raw(digestBytes)).toString('latin1'),
    version: reader.varuint() as CatalogVersion,
    date: reader.varuint(),
  };
}

function encodeFinishedFile(writer: ByteWriter, row: FinishedFileRow): void {
  writer.varuint(row.table);
  writer.byteString(row.job);
  writer.raw(Buffer.from(row.digest, 'latin1'));
  writer.varuint(row.bytes);
  writer.varuint(row.rows);
  writer.varuint(row.version);
  writer.varuint(row.date);
}

function decodeFinishedFile(reader: ByteReader): FinishedFileRow {
  return {
    table: reader.varuint() as TableId,
    job: reader.byteString(),
    digest: Buffer.from(reader.raw(digestBytes)).toString('latin1'),
    bytes: reader.varuint(),
    rows: reader.varuint(),
    version: reader.varuint() as CatalogVersion,
    date: reader.varuint(),
  };
}
