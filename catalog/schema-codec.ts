// Tables, dictionaries and namespaces in bytes (SPEC.md, "Schemas"). Few and short, so row by row.
// Types are written by their canonical names.

import { formatType } from '../storage-format/data-type.ts';
import { parseType } from '../storage-format/data-type-parser.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeNumbers, encodeNumbers } from './entry-codec.ts';
import type { NamespaceRow } from './row.ts';
import type {
  ColumnId,
  ColumnSchema,
  DictionaryId,
  DictionarySchema,
  GroupRule,
  KeyDomain,
  NamespaceId,
  TableEngine,
  TableId,
  TableSchema,
} from './schema.ts';

const engines = [
  'MergeTree',
  'AggregatingMergeTree',
  'ReplacingMergeTree',
] as const satisfies readonly TableEngine[];
const domains = ['integer', 'string', 'uuid'] as const satisfies readonly KeyDomain[];

export function encodeTable(writer: ByteWriter, table: TableSchema): void {
  writer.varint(table.id);
  writer.text(table.name);
  writer.byte(engines.indexOf(table.engine));
  encodeOptionalText(writer, table.versionColumn);
  writer.varint(table.columns.length);
  for (const column of table.columns) encodeColumn(writer, column);
  encodeOptionalText(writer, table.partitionBy);
  encodeTexts(writer, table.orderBy);
  encodeTexts(writer, table.settings.flat());
  writer.text(table.comment);
  writer.varint(table.schemaVersion);
}

export function decodeTable(reader: ByteReader): TableSchema {
  const id = reader.varint() as TableId;
  const name = reader.text();
  const engine = engines[reader.byte()];
  if (engine === undefined) throw reader.corrupt('has an unknown table engine');
  const versionColumn = decodeOptionalText(reader);
  const columns = Array.from({ length: reader.count() }, () => decodeColumn(reader));
  const partitionBy = decodeOptionalText(reader);
  const orderBy = decodeTexts(reader);
  const settings = pairs(decodeTexts(reader));
  const comment = reader.text();
  const schemaVersion = reader.varint();
  return {
    id,
    name,
    engine,
    ...(versionColumn === undefined ? {} : { versionColumn }),
    columns,
    ...(partitionBy === undefined ? {} : { partitionBy }),
    orderBy,
    settings,
    comment,
    schemaVersion,
  };
}

export function encodeDictionary(writer: ByteWriter, dictionary: DictionarySchema): void {
  writer.varint(dictionary.id);
  writer.text(dictionary.name);
  writer.byte(domains.indexOf(dictionary.domain));
  writer.varint(dictionary.groups);
  encodeGroupRule(writer, dictionary.groupBy);
  writer.varint(dictionary.hashFunction);
  writer.varint(dictionary.valueEncoding);
}

export function decodeDictionary(reader: ByteReader): DictionarySchema {
  const id = reader.varint() as DictionaryId;
  const name = reader.text();
  const domain = domains[reader.byte()];
  if (domain === undefined) throw reader.corrupt('has an unknown key domain');
  return {
    id,
    name,
    domain,
    groups: reader.varint(),
    groupBy: decodeGroupRule(reader),
    hashFunction: reader.varint(),
    valueEncoding: reader.varint(),
  };
}

/** One number per group of the dictionary written before. */
export const encodeNextCodes = encodeNumbers;
export const decodeNextCodes = decodeNumbers;

export function encodeNamespace(writer: ByteWriter, namespace: NamespaceRow): void {
  writer.varint(namespace.id);
  writer.text(namespace.name);
}

export function decodeNamespace(reader: ByteReader): NamespaceRow {
  return { id: reader.varint() as NamespaceId, name: reader.text() };
}

function encodeColumn(writer: ByteWriter, column: ColumnSchema): void {
  writer.varint(column.id);
  writer.text(column.name);
  writer.text(formatType(column.type));
  writer.varint(column.dictionary === undefined ? 0 : column.dictionary + 1);
}

function decodeColumn(reader: ByteReader): ColumnSchema {
  const id = reader.varint() as ColumnId;
  const name = reader.text();
  const type = parseType(reader.text());
  const dictionary = reader.varint();
  return dictionary === 0
    ? { id, name, type }
    : { id, name, type, dictionary: (dictionary - 1) as DictionaryId };
}

function encodeGroupRule(writer: ByteWriter, rule: GroupRule): void {
  writer.byte(rule.rule === 'id' ? 0 : 1);
  if (rule.rule === 'columns') encodeTexts(writer, rule.columns);
}

function decodeGroupRule(reader: ByteReader): GroupRule {
  switch (reader.byte()) {
    case 0:
      return { rule: 'id' };
    case 1:
      return { rule: 'columns', columns: decodeTexts(reader) };
    default:
      throw reader.corrupt('has an unknown grouping rule');
  }
}

function encodeTexts(writer: ByteWriter, texts: readonly string[]): void {
  writer.varint(texts.length);
  for (const text of texts) writer.text(text);
}

function decodeTexts(reader: ByteReader): string[] {
  return Array.from({ length: reader.count() }, () => reader.text());
}

function encodeOptionalText(writer: ByteWriter, text: string | undefined): void {
  encodeTexts(writer, text === undefined ? [] : [text]);
}

function decodeOptionalText(reader: ByteReader): string | undefined {
  return decodeTexts(reader)[0];
}

function pairs(texts: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: texts.length >> 1 }, (_, i) => [
    texts[2 * i] as string,
    texts[2 * i + 1] as string,
  ]);
}
