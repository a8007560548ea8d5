// Tables, dictionaries and namespaces in bytes (SPEC.md, "Schemas"). Few and short, so row by row.
// Types are written by their canonical names.

import type { ByteReader } from '../base/byte-reader.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import { formatType } from '../storage-format/data-type.ts';
import { parseType } from '../storage-format/data-type-parser.ts';
import type { KeyDomain } from '../storage-format/key-list.ts';
import { decodeNumbers, encodeNumbers } from './entry-codec.ts';
import type { NamespaceRow } from './row.ts';
import type {
  ColumnId,
  ColumnSchema,
  DictionaryId,
  DictionarySchema,
  GroupRule,
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
  writer.varuint(table.id);
  writer.text(table.name);
  writer.u8(engines.indexOf(table.engine));
  encodeOptionalText(writer, table.versionColumn);
  writer.list(table.columns, (column) => encodeColumn(writer, column));
  encodeOptionalText(writer, table.partitionBy);
  encodeTexts(writer, table.orderBy);
  encodeTexts(writer, table.settings.flat());
  writer.text(table.comment);
  writer.varuint(table.schemaVersion);
}

export function decodeTable(reader: ByteReader): TableSchema {
  const id = reader.varuint() as TableId;
  const name = reader.text();
  const engine = engines[reader.u8()];
  if (engine === undefined) reader.refuse('has an unknown table engine');
  const versionColumn = decodeOptionalText(reader);
  const columns = reader.list(() => decodeColumn(reader));
  const partitionBy = decodeOptionalText(reader);
  const orderBy = decodeTexts(reader);
  const settings = pairs(decodeTexts(reader));
  const comment = reader.text();
  const schemaVersion = reader.varuint();
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
  writer.varuint(dictionary.id);
  writer.text(dictionary.name);
  writer.u8(domains.indexOf(dictionary.domain));
  writer.varuint(dictionary.groups);
  encodeGroupRule(writer, dictionary.groupBy);
  writer.varuint(dictionary.hashFunction);
  writer.varuint(dictionary.valueEncoding);
}

export function decodeDictionary(reader: ByteReader): DictionarySchema {
  const id = reader.varuint() as DictionaryId;
  const name = reader.text();
  const domain = domains[reader.u8()];
  if (domain === undefined) reader.refuse('has an unknown key domain');
  return {
    id,
    name,
    domain,
    groups: reader.varuint(),
    groupBy: decodeGroupRule(reader),
    hashFunction: reader.varuint(),
    valueEncoding: reader.varuint(),
  };
}

/** One number per group of the dictionary written before. */
export const encodeNextCodes = encodeNumbers;
export const decodeNextCodes = decodeNumbers;

export function encodeNamespace(writer: ByteWriter, namespace: NamespaceRow): void {
  writer.varuint(namespace.id);
  writer.text(namespace.name);
}

export function decodeNamespace(reader: ByteReader): NamespaceRow {
  return { id: reader.varuint() as NamespaceId, name: reader.text() };
}

function encodeColumn(writer: ByteWriter, column: ColumnSchema): void {
  writer.varuint(column.id);
  writer.text(column.name);
  writer.text(formatType(column.type));
  writer.varuint(column.dictionary === undefined ? 0 : column.dictionary + 1);
}

function decodeColumn(reader: ByteReader): ColumnSchema {
  const id = reader.varuint() as ColumnId;
  const name = reader.text();
  const type = parseType(reader.text());
  const dictionary = reader.varuint();
  return dictionary === 0
    ? { id, name, type }
    : { id, name, type, dictionary: (dictionary - 1) as DictionaryId };
}

function encodeGroupRule(writer: ByteWriter, rule: GroupRule): void {
  writer.u8(rule.rule === 'id' ? 0 : 1);
  if (rule.rule === 'columns') encodeTexts(writer, rule.columns);
}

function decodeGroupRule(reader: ByteReader): GroupRule {
  switch (reader.u8()) {
    case 0:
      return { rule: 'id' };
    case 1:
      return { rule: 'columns', columns: decodeTexts(reader) };
    default:
      reader.refuse('has an unknown grouping rule');
  }
}

function encodeTexts(writer: ByteWriter, texts: readonly string[]): void {
  writer.list(texts, (text) => writer.text(text));
}

function decodeTexts(reader: ByteReader): string[] {
  return reader.list(() => reader.text());
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
