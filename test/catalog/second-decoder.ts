// A second reader of heads and pages, written from catalog/SPEC.md alone; it shares no code with
// catalog/. Byte strings are latin1 strings, types their names.

export interface DecodedObject {
  readonly kind: 'head' | 'leaf' | 'inner';
  readonly numbers: {
    readonly format: number;
    readonly minReader: number;
    readonly minWriter: number;
  };
  readonly [field: string]: unknown;
}

const spaces = [
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

/** Section 6. */
function rowsOf(cursor: Cursor, space: string): unknown[] {
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

function dictionary(cursor: Cursor) {
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

function commit(cursor: Cursor) {
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
function stripes(cursor: Cursor) {
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

function places(cursor: Cursor, n: number): unknown[] {
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

function named(names: readonly string[], number: number): string {
  const name = names[number];
  if (name === undefined) throw new Error(`number ${number} of ${names.join(', ')}`);
  return name;
}

/** Section 2. */
class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    if (taken.length !== count) throw new Error(`${taken.length} of ${count} bytes`);
    this.#at += count;
    return taken;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new Error('bytes are left');
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  u32(): number {
    return Buffer.from(this.take(4)).readUInt32LE();
  }

  varuint(): number {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.byte();
      value += (byte & 127) * place;
      if (byte < 128) return value;
    }
  }

  bytes(): Uint8Array {
    return this.take(this.varuint());
  }

  text(encoding: 'latin1' | 'utf8'): string {
    return Buffer.from(this.bytes()).toString(encoding);
  }

  hex(count: number): string {
    return Buffer.from(this.take(count)).toString('hex');
  }

  id(): string {
    return this.hex(16);
  }

  sequence() {
    return { version: this.varuint(), ordinal: this.varuint() };
  }

  suffix(before: string): string {
    return before.slice(0, this.varuint()) + this.text('latin1');
  }

  /** Each the suffix after the one before. */
  chain(count: number): string[] {
    let before = '';
    return this.times(count, () => (before = this.suffix(before)));
  }

  times<T>(count: number, read: () => T): T[] {
    return Array.from({ length: count }, read);
  }

  list<T>(read: () => T): T[] {
    return this.times(this.varuint(), read);
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
