// What the catalog's golden files hold: heads and pages with every field and form that the format has.
// A sample never changes once its file is written; new forms get new samples.

import { type CommitRecord, emptyRecord } from '../../catalog/commit-record.ts';
import type { NewStripe, PartPlace, SegmentEntry, StripeEntry } from '../../catalog/entry.ts';
import { firstHead } from '../../catalog/head.ts';
import type { InnerPage, LeafPage, PageRef } from '../../catalog/page.ts';
import type { Row, SortKey } from '../../catalog/row.ts';
import type {
  CatalogVersion,
  ColumnId,
  DictionaryId,
  DictionarySchema,
  NamespaceId,
  TableId,
  TableSchema,
} from '../../catalog/schema.ts';

const version = (n: number) => n as CatalogVersion;
const id = (n: number) => n.toString(16).padStart(32, '0');
const at = (v: number, ordinal: number) => ({ version: version(v), ordinal });

function place(object: string, bytes: number, changes: Partial<PartPlace> = {}): PartPlace {
  return {
    object,
    objectBytes: bytes + 64,
    offset: 64,
    bytes,
    checksum: 0xfedc_ba98,
    index: { start: bytes - 200, end: bytes },
    groupFirst: 0,
    groupCount: 4,
    shared: true,
    ...changes,
  };
}

const dictionaries: readonly DictionarySchema[] = [
  {
    id: 1 as DictionaryId,
    name: 'default_integer',
    domain: 'integer',
    groups: 4,
    groupBy: { rule: 'id' },
    hashFunction: 1,
    valueEncoding: 1,
  },
  {
    id: 2 as DictionaryId,
    name: 'Größe 😀',
    domain: 'string',
    groups: 4096,
    groupBy: { rule: 'columns', columns: ['exp', 'arm'] },
    hashFunction: 1,
    valueEncoding: 1,
  },
  {
    id: 3 as DictionaryId,
    name: '',
    domain: 'uuid',
    groups: 1,
    groupBy: { rule: 'id' },
    hashFunction: 1,
    valueEncoding: 1,
  },
];

const tables: readonly TableSchema[] = [
  {
    id: 1 as TableId,
    name: 'ev',
    engine: 'MergeTree',
    columns: [
      { id: 1 as ColumnId, name: 'id', type: { kind: 'UInt64' } },
      { id: 2 as ColumnId, name: 'tags', type: { kind: 'Array', item: { kind: 'String' } } },
    ],
    orderBy: [],
    settings: [],
    comment: '',
    schemaVersion: 1,
  },
  {
    id: 300 as TableId,
    name: 'tags 😀',
    engine: 'ReplacingMergeTree',
    versionColumn: 'ver',
    columns: [
      { id: 7 as ColumnId, name: 'label', type: { kind: 'String' } },
      { id: 8 as ColumnId, name: 'ver', type: { kind: 'UInt32' } },
      {
        id: 9 as ColumnId,
        name: 'users',
        type: { kind: 'Bitmap', id: { kind: 'UInt64' } },
        dictionary: 1 as DictionaryId,
      },
    ],
    partitionBy: 'toYYYYMM(day)',
    orderBy: ['label', 'intDiv(ver, 10)'],
    settings: [
      ['index_granularity', '8192'],
      ['muster_groups', '4'],
    ],
    comment: "people's tags",
    schemaVersion: 12,
  },
];

function stripe(
  table: number,
  changes: Partial<NewStripe>,
  first: StripeEntry['first'],
): StripeEntry {
  return {
    table: table as TableId,
    partition: '',
    shape: 'unsplit',
    rows: 3,
    parts: [place(id(0xabc), 4_000)],
    groupBytes: [10, 0, 300, 70_000],
    groupCardinality: [1, 0, 200, 2 ** 32],
    keyMin: 'a\0\0',
    keyMax: 'a\0\0',
    zones: [],
    schemaVersion: 1,
    erasureEpoch: 0,
    first,
    last: first,
    ...changes,
  };
}

const stripes: readonly StripeEntry[] = [
  stripe(1, {}, at(2, 0)),
  stripe(
    1,
    {
      partition: '\xff\x01p1',
      shape: 'batches',
      rows: 2 ** 31,
      keyMin: 'a\0b',
      keyMax: 'a\0bc\xff',
      zones: [
        { columnId: 7, min: 'm', max: 'mm' },
        { columnId: 8, min: '', max: '\xff' },
      ],
      parts: [place(id(0xabc), 9_000_000_000, { offset: 8_192 })],
      erasureEpoch: 5,
    },
    at(300, 77),
  ),
  {
    ...stripe(
      300,
      {
        partition: '\xff\x01p2',
        shape: 'objects',
        keyMin: 'a\0bc',
        keyMax: 'b',
        parts: [0, 1].map((group) =>
          place(`${id(0xdef)}-${group}`, 20_000_000, {
            offset: 0,
            groupFirst: group,
            groupCount: 1,
            shared: false,
          }),
        ),
      },
      at(4, 1),
    ),
    last: at(9, 3),
  },
];

const segments: readonly SegmentEntry[] = [
  {
    dictionary: 1 as DictionaryId,
    group: 0,
    base: 0,
    count: 5,
    place: place(id(0xabc), 700, { groupCount: 1 }),
    hashMin: 0,
    hashMax: 0xffff_ffff,
    first: at(2, 1),
  },
  {
    dictionary: 2 as DictionaryId,
    group: 4095,
    base: 2 ** 32 - 2,
    count: 2,
    place: place(id(0xdef), 900, { groupFirst: 4095, groupCount: 1, shared: false }),
    hashMin: 0x8000_0000,
    hashMax: 0x8000_0001,
    first: at(300, 2),
  },
];

const tokens = ['', '\xff\x01p1'].map((partition, n) => ({
  table: 300 as TableId,
  partition,
  digest: '\x00\x7f\x80\xff'.repeat(4),
  version: version(2 + n),
  date: 1_800_000_000_000 + n,
}));

const commits = [2, 3].map((n) => ({
  version: version(n),
  commitId: id(0xc0ffee + n),
  date: 1_800_000_000_000 + n,
}));

const namespaces = ['default', '../😀'].map((name, n) => ({ id: (n + 1) as NamespaceId, name }));

const key: SortKey = {
  space: 'stripe',
  id: 1,
  partition: '\xff',
  key: 'k',
  version: 2,
  ordinal: 0,
};

const refs: readonly PageRef[] = [
  {
    pageId: id(1),
    pageBytes: 120_000,
    digest: 'ab'.repeat(32),
    rows: 2_000,
    partBytes: 2 ** 50,
    first: key,
    last: { ...key, id: 300, key: 'kk', version: 300, ordinal: 77 },
    keyMin: 'k',
    keyMax: 'kk\xff',
    partitions: [
      { table: 1, partition: '\xff' },
      { table: 300, partition: '' },
    ],
  },
  {
    pageId: id(2),
    pageBytes: 60,
    digest: '0f'.repeat(32),
    rows: 1,
    partBytes: 0,
    first: {
      space: 'segment',
      id: 1,
      partition: '\0\0\0\0',
      key: '\0\0\0\0',
      version: 0,
      ordinal: 0,
    },
    last: { space: 'token', id: 9, partition: '', key: '', version: 0, ordinal: 0 },
    keyMin: '',
    keyMax: '',
    partitions: undefined,
  },
];

const first = firstHead({
  namespace: 0 as NamespaceId,
  commitId: id(0xfeed),
  date: 1_800_000_000_000,
  keepMs: 86_400_000,
});

const everything: CommitRecord = {
  ...emptyRecord({ version: version(301), commitId: id(0xc0de), date: 1_800_000_000_301 }),
  droppedTables: [3 as TableId, 400 as TableId],
  truncations: [{ table: 1 as TableId }, { table: 300 as TableId, partition: '\xff\0' }],
  tables,
  dictionaries,
  stripes: stripes.slice(1),
  segments,
  tokens,
  namespaces,
  droppedNamespaces: [8 as NamespaceId],
};

const nothing = emptyRecord({
  version: version(302),
  commitId: id(0xc0df),
  date: 1_800_000_000_302,
});

const merges: CommitRecord = {
  ...emptyRecord({ version: version(303), commitId: id(0xc0e0), date: 1_800_000_000_303 }),
  mergedSegments: segments.slice(0, 1),
  mergedStripes: [
    {
      stripe: stripes[2]!,
      taken: [
        { keyMin: 'a\0bc', first: at(4, 1) },
        { keyMin: 'a\0bd', first: at(7, 0) },
        { keyMin: 'b', first: at(9, 3) },
      ],
    },
    { stripe: stripes[0]!, taken: [{ keyMin: '', first: at(2, 0) }] },
  ],
};

/** Heads by the name of their file; tails are records alone. */
export const headSamples = {
  'head-first': { ...first, tail: [] },
  'head-full': {
    ...first,
    namespace: 70_000 as NamespaceId,
    version: version(302),
    sweptBefore: 1_700_000_000_000,
    oldestKept: version(17),
    tombstone: true,
    nextTableId: 401 as TableId,
    nextDictionaryId: 4 as DictionaryId,
    nextColumnId: 10,
    nextNamespaceId: 9 as NamespaceId,
    erasures: [
      { dictionary: 1 as DictionaryId, epoch: 5, erased: place(id(0xe5a5e), 500) },
      { dictionary: 2 as DictionaryId, epoch: 1 },
    ],
    foldedThrough: version(300),
    logFrom: version(12),
    roots: {
      entries: { level: 1, refs },
      schemas: { level: 0, refs: refs.slice(1) },
      log: { level: 0, refs: [] },
    },
    tail: [everything, nothing],
  },
  'head-merged': {
    ...first,
    namespace: 5 as NamespaceId,
    version: version(303),
    foldedThrough: version(302),
    tail: [merges],
  },
} as const;

const leaf = <S extends Row['space']>(
  space: S,
  values: readonly Extract<Row, { readonly space: S }>['value'][],
): LeafPage => ({ space, rows: values.map((value) => ({ space, value }) as Row) });

export const leafSamples: Readonly<Record<string, LeafPage>> = {
  'leaf-stripes': leaf('stripe', stripes),
  'leaf-segments': leaf('segment', segments),
  'leaf-tables': leaf('table', tables),
  'leaf-dictionaries': leaf('dictionary', [
    { schema: dictionaries[0]!, nextCodes: [0, 1, 300, 2 ** 32] },
    { schema: dictionaries[2]!, nextCodes: [127] },
  ]),
  'leaf-namespaces': leaf('namespace', namespaces),
  'leaf-commits': leaf('commit', commits),
  'leaf-tokens': leaf('token', tokens),
};

export const innerSamples: Readonly<Record<string, InnerPage>> = {
  inner: { level: 2, refs },
};
