import { describe, expect, it } from 'vitest';
import { emptyRecord, encodeRecord } from '../../catalog/commit-record.ts';
import { catalogFormat } from '../../catalog/envelope.ts';
import {
  decodeHead,
  encodeHead,
  firstHead,
  type Head,
  recordsByVersion,
} from '../../catalog/head.ts';
import type { PageRef } from '../../catalog/page.ts';
import type { CatalogVersion, DictionaryId, NamespaceId, TableId } from '../../catalog/schema.ts';
import {
  objectName,
  sampleDictionary,
  samplePlace,
  sampleSegment,
  sampleStripe,
  sampleTable,
} from './samples.ts';

const commitId = 'c'.repeat(32);

function fullHead(): Head {
  const first = firstHead({
    namespace: 5 as NamespaceId,
    commitId,
    date: 1_700_000_000_000,
    keepMs: 86_400_000,
  });
  const version = 2 as CatalogVersion;
  const sequence = { version, ordinal: 3 };
  const record = {
    ...emptyRecord({ version, commitId, date: 5 }),
    droppedTables: [3 as TableId],
    truncations: [{ table: 1 as TableId }, { table: 1 as TableId, partition: '\u0000\u00ff' }],
    tables: [sampleTable({ table: 1, column: 1, dictionary: 1 }, 'naïve 😀')],
    dictionaries: [sampleDictionary(1)],
    stripes: [
      { ...sampleStripe(1, 1), first: sequence, last: sequence },
      {
        ...sampleStripe(1, 2, {
          parts: [samplePlace(`${objectName(1)}-7`), samplePlace(objectName(2))],
        }),
        first: sequence,
        last: { version, ordinal: 9 },
      },
    ],
    segments: [{ ...sampleSegment(1, { group: 1, base: 2 ** 32 - 5, count: 5 }), first: sequence }],
    tokens: [
      { table: 1 as TableId, partition: 'p', digest: '\u00fe'.repeat(16), version, date: 5 },
    ],
    namespaces: [{ id: 9 as NamespaceId, name: '../' }],
    droppedNamespaces: [8 as NamespaceId],
    finishedFiles: [
      {
        table: 1 as TableId,
        job: 'j\u00e9',
        digest: '\u0001'.repeat(16),
        bytes: 2 ** 40,
        rows: 3,
        version,
        date: 5,
      },
    ],
    removedJobs: [{ table: 1 as TableId, job: 'old' }],
  };
  const key = { space: 'stripe', id: 1, partition: 'p', key: 'k', version: 1, ordinal: 0 } as const;
  const ref: PageRef = {
    pageId: objectName(77),
    pageBytes: 1234,
    digest: 'ab'.repeat(32),
    rows: 9,
    partBytes: 2 ** 40,
    first: key,
    last: { ...key, partition: 'q' },
    keyMin: 'k',
    keyMax: 'kk',
    partitions: [{ table: 1, partition: 'p' }],
  };
  return {
    ...first,
    version,
    sweptBefore: 77,
    tombstone: true,
    nextTableId: 12 as TableId,
    erasures: [
      { dictionary: 1 as DictionaryId, epoch: 3, erased: samplePlace(objectName(8)) },
      { dictionary: 2 as DictionaryId, epoch: 1 },
    ],
    roots: {
      entries: { level: 2, refs: [ref, { ...ref, partitions: undefined }] },
      schemas: { level: 0, refs: [] },
      log: { level: 0, refs: [{ ...ref, partitions: [] }] },
    },
    tail: [{ record, bytes: encodeRecord(record) }],
  };
}

describe('heads', () => {
  it('come back with every field', () => {
    const head = fullHead();
    const back = decodeHead(encodeHead(head), 'head x');
    expect(back.tail.map(({ record }) => record)).toEqual(head.tail.map(({ record }) => record));
    expect({ ...back, tail: [] }).toEqual({ ...head, tail: [] });
    expect(encodeHead(back)).toEqual(encodeHead(head));
  });

  it('any flipped byte is found, and the head is named', () => {
    const bytes = encodeHead(fullHead());
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      expect(() => decodeHead(damaged, 'head x'), `byte ${at}`).toThrow(/head x/);
    }
    for (const length of [0, 3, 10, bytes.length - 1]) {
      expect(() => decodeHead(bytes.subarray(0, length), 'head x')).toThrow(/head x/);
    }
  });

  it('of a newer format say so in one sentence', () => {
    const numbers = { format: 9, minReader: catalogFormat + 1, minWriter: 9 };
    const newer = encodeHead({ ...fullHead(), numbers });
    expect(() => decodeHead(newer, 'head x')).toThrow(
      `head x needs catalog format ${catalogFormat + 1} to read, this Muster knows ${catalogFormat}: upgrade`,
    );
  });

  it('Invariant C3: a tail with a gap is refused', () => {
    const head = { ...fullHead(), version: 3 as CatalogVersion };
    expect(() => decodeHead(encodeHead(head), 'head x')).toThrow('a tail with a gap');
  });

  it('records that are known are not decoded again', () => {
    const head = fullHead();
    const back = decodeHead(encodeHead(head), 'head x', recordsByVersion(head));
    expect(back.tail[0]).toBe(head.tail[0]);
  });
});
