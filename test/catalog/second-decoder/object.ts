// Heads and pages, read by the second decoder. Sections are those of catalog/SPEC.md.

import { Cursor, named } from './cursor.ts';
import { commit, dictionary, places, rowsOf, spaces, stripes } from './rows.ts';

interface DecodedObject {
  readonly kind: 'head' | 'leaf' | 'inner';
  readonly numbers: {
    readonly format: number;
    readonly minReader: number;
    readonly minWriter: number;
  };
  readonly [field: string]: unknown;
}

/** Section 3. Throws for anything but exactly one sound object. */
export function decodeCatalogObject(bytes: Uint8Array): DecodedObject {
  const cursor = new Cursor(bytes.subarray(0, bytes.length - 4));
  const magic = Buffer.from(cursor.take(4)).toString('latin1');
  const numbers = {
    format: cursor.varuint(),
    minReader: cursor.varuint(),
    minWriter: cursor.varuint(),
  };
  const promised = new Cursor(bytes.subarray(bytes.length - 4)).u32();
  if (promised !== checksum(bytes.subarray(0, bytes.length - 4))) throw new Error('checksum');
  if (magic !== 'MSTH' && magic !== 'MSTP') throw new Error(`magic ${magic}`);
  const body = magic === 'MSTH' ? head(cursor) : page(cursor);
  cursor.end();
  return { numbers, ...body };
}

/** Section 4. */
function head(cursor: Cursor) {
  const ids = {
    namespace: cursor.varuint(),
    version: cursor.varuint(),
    commitId: cursor.id(),
    date: cursor.varuint(),
    keepMs: cursor.varuint(),
    sweptBefore: cursor.varuint(),
    oldestKept: cursor.varuint(),
    tombstone: cursor.byte() === 1,
    nextTableId: cursor.varuint(),
    nextDictionaryId: cursor.varuint(),
    nextColumnId: cursor.varuint(),
    nextNamespaceId: cursor.varuint(),
  };
  const erasures = cursor.list(() => {
    const erasure = { dictionary: cursor.varuint(), epoch: cursor.varuint() };
    return cursor.byte() === 0 ? erasure : { ...erasure, erased: places(cursor, 1)[0] };
  });
  const folded = { foldedThrough: cursor.varuint(), logFrom: cursor.varuint() };
  const roots = {
    entries: references(cursor),
    schemas: references(cursor),
    log: references(cursor),
  };
  const tail = cursor.list(() => {
    const inner = new Cursor(cursor.bytes());
    const found = record(inner);
    inner.end();
    return found;
  });
  return { kind: 'head' as const, ...ids, erasures, ...folded, roots, tail };
}

/** Section 5. */
function page(cursor: Cursor) {
  if (cursor.byte() === 1) return { kind: 'inner' as const, ...references(cursor) };
  const space = named(spaces, cursor.byte());
  return { kind: 'leaf' as const, space, rows: rowsOf(cursor, space) };
}

function references(cursor: Cursor) {
  const level = cursor.varuint();
  const refs = cursor.list(() => {
    const object = { pageId: cursor.id(), pageBytes: cursor.varuint(), digest: cursor.hex(32) };
    const sums = { rows: cursor.varuint(), partBytes: cursor.varuint() };
    const ends = { first: sortKey(cursor), last: sortKey(cursor) };
    const keyMin = cursor.text('latin1');
    const keyMax = cursor.suffix(keyMin);
    const told = cursor.varuint();
    const partitions = Array.from({ length: told - 1 }, () => ({
      table: cursor.varuint(),
      partition: cursor.text('latin1'),
    }));
    const known = told === 0 ? {} : { partitions };
    return { ...object, ...sums, ...ends, keyMin, keyMax, ...known };
  });
  return { level, refs };
}

function sortKey(cursor: Cursor) {
  return {
    space: named(spaces, cursor.byte()),
    id: cursor.varuint(),
    partition: cursor.text('latin1'),
    key: cursor.text('latin1'),
    ...cursor.sequence(),
  };
}

/** Section 8. Sections that a record has not are empty lists. */
function record(cursor: Cursor) {
  const [row] = cursor.list(() => commit(cursor));
  const found: Record<string, unknown[]> = {
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
  const names = Object.keys(found);
  for (let left = cursor.varuint(); left > 0; left--) {
    const name = named(names, cursor.byte());
    found[name] = section(cursor, name);
  }
  return { ...row, ...found };
}

function section(cursor: Cursor, name: string): unknown[] {
  switch (name) {
    case 'droppedTables':
    case 'droppedNamespaces':
      return cursor.list(() => cursor.varuint());
    case 'truncations':
      return cursor.list(() => {
        const ofTable = { table: cursor.varuint() };
        return cursor.byte() === 0 ? ofTable : { ...ofTable, partition: cursor.text('latin1') };
      });
    case 'dictionaries':
      return cursor.list(() => dictionary(cursor));
    case 'finishedFiles':
      return rowsOf(cursor, 'finished-file');
    case 'mergedSegments':
      return rowsOf(cursor, 'segment');
    case 'mergedStripes':
      return stripes(cursor).map((stripe) => ({
        stripe,
        taken: cursor.list(() => ({
          keyMin: cursor.suffix(stripe.keyMin),
          first: cursor.sequence(),
        })),
      }));
    case 'removedJobs':
      return cursor.list(() => ({ table: cursor.varuint(), job: cursor.text('latin1') }));
    default:
      return rowsOf(cursor, name === 'tables' ? 'table' : name.slice(0, -1));
  }
}

/** CRC32C, bit by bit. */
function checksum(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}
