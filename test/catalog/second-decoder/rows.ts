// Rows of leaves and of the tail's records, read by the second decoder. Sections are those of
// catalog/SPEC.md.

import { type Cursor, named } from './cursor.ts';

export const spaces = [
  'stripe',
  'segment',
  'table',
  'dictionary',
  'namespace',
  'commit',
  'token',
  'finished-file',
];
const shapes = ['unsplit', 'batches', 'objects'];
const engines = ['MergeTree', 'AggregatingMergeTree', 'ReplacingMergeTree'];
const domains = ['integer', 'string', 'uuid'];

/** Section 6. */
export function rowsOf(cursor: Cursor, space: string): unknown[] {
  switch (space) {
    case 'stripe':
      return stripes(cursor);
    case 'segment':
      return segments(cursor);
    case 'table':
      return cursor.list(() => table(cursor));
    case 'dictionary':
      return cursor.list(() => ({
        schema: dictionary(cursor),
        nextCodes: cursor.list(() => cursor.varuint()),
      }));
    case 'namespace':
      return cursor.list(() => ({ id: cursor.varuint(), name: cursor.text('utf8') }));
    case 'commit':
      return cursor.list(() => commit(cursor));
    case 'finished-file':
      return cursor.list(() => finishedFile(cursor));
    default:
      return cursor.list(() => token(cursor));
  }
}

function table(cursor: Cursor) {
  const names = { id: cursor.varuint(), name: cursor.text('utf8') };
  const engine = named(engines, cursor.byte());
  const [versionColumn] = cursor.list(() => cursor.text('utf8'));
  const columns = cursor.list(() => {
    const column = { id: cursor.varuint(), name: cursor.text('utf8'), type: cursor.text('utf8') };
    const ofDictionary = cursor.varuint();
    return ofDictionary === 0 ? column : { ...column, dictionary: ofDictionary - 1 };
  });
  const [partitionBy] = cursor.list(() => cursor.text('utf8'));
  const orderBy = cursor.list(() => cursor.text('utf8'));
  const flat = cursor.list(() => cursor.text('utf8'));
  const settings = flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : []));
  const last = { comment: cursor.text('utf8'), schemaVersion: cursor.varuint() };
  return { ...names, engine, versionColumn, columns, partitionBy, orderBy, settings, ...last };
}

export function dictionary(cursor: Cursor) {
  const names = { id: cursor.varuint(), name: cursor.text('utf8') };
  const domain = named(domains, cursor.byte());
  const groups = cursor.varuint();
  const groupBy =
    cursor.byte() === 0
      ? { rule: 'id' }
      : { rule: 'columns', columns: cursor.list(() => cursor.text('utf8')) };
  const numbers = { hashFunction: cursor.varuint(), valueEncoding: cursor.varuint() };
  return { ...names, domain, groups, groupBy, ...numbers };
}

export function commit(cursor: Cursor) {
  return { version: cursor.varuint(), commitId: cursor.id(), date: cursor.varuint() };
}

function token(cursor: Cursor) {
  return {
    table: cursor.varuint(),
    partition: cursor.text('latin1'),
    digest: Buffer.from(cursor.take(16)).toString('latin1'),
    version: cursor.varuint(),
    date: cursor.varuint(),
  };
}

function finishedFile(cursor: Cursor) {
  return {
    table: cursor.varuint(),
    job: cursor.text('latin1'),
    digest: Buffer.from(cursor.take(16)).toString('latin1'),
    bytes: cursor.varuint(),
    rows: cursor.varuint(),
    version: cursor.varuint(),
    date: cursor.varuint(),
  };
}

/** Section 7. */
export function stripes(cursor: Cursor) {
  const n = cursor.varuint();
  const tables = cursor.times(n, () => cursor.varuint());
  const partitions = cursor.chain(n);
  const keyMins = cursor.chain(n);
  const keyMaxs = keyMins.map((keyMin) => cursor.suffix(keyMin));
  const firsts = cursor.times(n, () => cursor.sequence());
  const lasts = cursor.times(n, () => cursor.sequence());
  const shapesFound = cursor.times(n, () => named(shapes, cursor.byte()));
  const rows = cursor.times(n, () => cursor.varuint());
  const schemaVersions = cursor.times(n, () => cursor.varuint());
  const epochs = cursor.times(n, () => cursor.varuint());
  const groupBytes = cursor.times(n, () => cursor.list(() => cursor.varuint()));
  const groupCardinality = cursor.times(n, () => cursor.list(() => cursor.varuint()));
  const zones = cursor.times(n, () =>
    cursor.list(() => {
      const columnId = cursor.varuint();
      const min = cursor.text('latin1');
      return { columnId, min, max: cursor.suffix(min) };
    }),
  );
  const partCounts = cursor.times(n, () => cursor.varuint());
  const all = places(
    cursor,
    partCounts.reduce((a, b) => a + b, 0),
  );
  return tables.map((ofTable, i) => ({
    table: ofTable,
    partition: partitions[i],
    keyMin: keyMins[i]!,
    keyMax: keyMaxs[i],
    first: firsts[i],
    last: lasts[i],
    shape: shapesFound[i],
    rows: rows[i],
    schemaVersion: schemaVersions[i],
    erasureEpoch: epochs[i],
    groupBytes: groupBytes[i],
    groupCardinality: groupCardinality[i],
    zones: zones[i],
    parts: all.splice(0, partCounts[i]),
  }));
}

function segments(cursor: Cursor): unknown[] {
  const n = cursor.varuint();
  const [dictionaries, groups, bases, counts] = cursor.times(4, () =>
    cursor.times(n, () => cursor.varuint()),
  );
  const [hashMins, hashMaxs] = cursor.times(2, () => cursor.times(n, () => cursor.u32()));
  const firsts = cursor.times(n, () => cursor.sequence());
  return places(cursor, n).map((place, i) => ({
    dictionary: dictionaries![i],
    group: groups![i],
    base: bases![i],
    count: counts![i],
    hashMin: hashMins![i],
    hashMax: hashMaxs![i],
    first: firsts[i],
    place,
  }));
}

export function places(cursor: Cursor, n: number): unknown[] {
  let id = '';
  const objects = cursor.times(n, () => {
    if (cursor.byte() === 1) id = cursor.id();
    const group = cursor.varuint();
    return group === 0 ? id : `${id}-${group - 1}`;
  });
  const [objectBytes, offsets, bytes] = cursor.times(3, () =>
    cursor.times(n, () => cursor.varuint()),
  );
  const checksums = cursor.times(n, () => cursor.u32());
  const [starts, lengths, groupFirsts, groupCounts] = cursor.times(4, () =>
    cursor.times(n, () => cursor.varuint()),
  );
  const shared = cursor.times(n, () => cursor.byte() === 1);
  return objects.map((object, i) => ({
    object,
    objectBytes: objectBytes![i],
    offset: offsets![i],
    bytes: bytes![i],
    checksum: checksums[i],
    index: { start: starts![i], end: starts![i]! + lengths![i]! },
    groupFirst: groupFirsts![i],
    groupCount: groupCounts![i],
    shared: shared[i],
  }));
}
