// What the catalog knows of namespaces, tables, columns and dictionaries. Names may be given again;
// ids never are.

import type { Brand } from '../base/brand.ts';
import type { DataType } from '../storage-format/data-type.ts';
import type { KeyDomain } from '../storage-format/key-list.ts';

export type NamespaceId = Brand<number, 'NamespaceId'>;
export type TableId = Brand<number, 'TableId'>;
export type ColumnId = Brand<number, 'ColumnId'>;
export type DictionaryId = Brand<number, 'DictionaryId'>;
/** Position in a namespace's chain of heads; the first head is 1. */
export type CatalogVersion = Brand<number, 'CatalogVersion'>;

export type TableEngine = 'MergeTree' | 'AggregatingMergeTree' | 'ReplacingMergeTree';

export interface ColumnSchema {
  readonly id: ColumnId;
  readonly name: string;
  readonly type: DataType;
  /** Bitmap columns only: the id space of their members. */
  readonly dictionary?: DictionaryId;
}

export interface TableSchema {
  readonly id: TableId;
  readonly name: string;
  readonly engine: TableEngine;
  /** ReplacingMergeTree(ver). */
  readonly versionColumn?: string;
  readonly columns: readonly ColumnSchema[];
  /** SQL text of the expression, canonical; absent: one partition. */
  readonly partitionBy?: string;
  /** SQL texts of the sorting key's expressions, canonical; empty: tuple(). */
  readonly orderBy: readonly string[];
  /** As given, in order, for SHOW CREATE. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly comment: string;
  /** Grows with each change of the schema. */
  readonly schemaVersion: number;
}

export type GroupRule =
  | { readonly rule: 'id' }
  | { readonly rule: 'columns'; readonly columns: readonly string[] };

/** Everything here is fixed by the commit that creates the dictionary. */
export interface DictionarySchema {
  readonly id: DictionaryId;
  /** Default dictionaries are named `default_integer`, `default_string`, `default_uuid`. */
  readonly name: string;
  readonly domain: KeyDomain;
  /** 1 <= groups <= 4096. */
  readonly groups: number;
  readonly groupBy: GroupRule;
  /** SPEC.md numbers of the hash function and of the value encoding. */
  readonly hashFunction: number;
  readonly valueEncoding: number;
}
