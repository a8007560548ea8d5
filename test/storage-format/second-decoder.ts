// A second, independent reader of parts and segments, written from SPEC.md alone: it imports nothing
// of storage-format, is slow and plain, checks every checksum that it meets, and reads whole files.

export type Value = null | number | bigint | string | boolean | readonly Value[];

export interface SecondPart {
  readonly shape: number;
  readonly rows: number;
  readonly groups: readonly [number, number];
  /** Values of scalar columns by id. */
  readonly scalars: ReadonlyMap<number, readonly Value[]>;
  /** Codes of bitmap columns by id: group, row. */
  readonly sets: ReadonlyMap<number, ReadonlyMap<number, readonly (readonly number[])[]>>;
}

export interface SecondSegment {
  readonly keys: readonly (bigint | string)[];
  find(key: bigint | string): number;
}

export function decodePart(bytes: Uint8Array, indexEnd: number): SecondPart {
  const index = openIndex(bytes, indexEnd, 1);
  const c = index.directory;
  const shape = c.varuint();
  const rows = c.varuint();
  c.varuint();
  const groups = [c.varuint(), c.varuint()] as const;
  const rowGroups = c.list(() => c.varuint());
  const columns = c.list(() => ({ id: c.varuint(), type: c.text(), key: c.u8() }));
  const tables = c.varuint();
  const scalars = new Map<number, Value[]>();
  const sets = new Map<number, Map<number, number[][]>>();
  const batchGroups = shape === 1 ? [0] : range(groups[1]).map((g) => groups[0] + g);
  for (const group of batchGroups) {
    for (const count of rowGroups) {
      const body = c.varuint();
      const end = body + c.varuint();
      for (const { id, type } of columns) {
        const at = {
          bytes: bytes.subarray(0, end),
          body,
          count,
          group,
          tables: bytes.subarray(tables),
        };
        const kind = c.u8();
        if (kind === 1) {
          const values = scalarColumn(c, at, { type, index: index.bytes });
          if (group === batchGroups[0]) append(scalars, id, values);
        } else {
          const byGroup = sets.get(id) ?? new Map<number, number[][]>();
          sets.set(id, byGroup);
          if (kind === 2) memberColumn(c, at, byGroup);
          else append(byGroup, group, sliceColumn(c, at, index.bytes));
        }
      }
    }
  }
  c.expectEnd();
  return { shape, rows, groups, scalars, sets };
}

export function decodeSegment(bytes: Uint8Array, indexEnd: number): SecondSegment {
  const index = openIndex(bytes, indexEnd, 2);
  const c = index.directory;
  const domain = c.varuint();
  const count = c.varuint();
  const keys: (bigint | string)[] = [];
  for (const run of c.list(() => ({ keys: c.varuint(), ...segmentRun(c) }))) {
    const extent = checked(bytes, run.at, run.length, run.checksum);
    const type = domain === 1 ? 'UInt64' : domain === 2 ? 'String' : 'UUID';
    for (const key of column(new Buffers(extent, run.buffers), type, run.keys)) {
      keys.push(typeof key === 'bigint' ? key : String(key));
    }
  }
  const [at, pages, slots] = [c.varuint(), c.varuint(), c.varuint()];
  const [slotBytes, pageBytes] = [c.varuint(), c.varuint()];
  c.expectEnd();
  if (keys.length !== count) throw new Error('count');
  for (let p = 0; p < pages; p++) {
    const trailer = new Cursor(bytes, at + (p + 1) * pageBytes - 16);
    if (trailer.u32() !== p || trailer.u32() !== count) throw new Error('page');
    if (trailer.u32() !== 0) throw new Error('spare word of a page');
    checked(bytes, at + p * pageBytes, pageBytes - 4, trailer.u32());
  }
  const slotWord = (page: number, slot: number, word: number) =>
    new Cursor(bytes, at + page * pageBytes + slot * slotBytes + 4 * word).u32();
  const find = (key: bigint | string) => {
    const text = typeof key === 'bigint' ? undefined : Buffer.from(key, 'latin1');
    const hash =
      typeof key === 'bigint' ? hashOfInteger(key) : hashOfBytes(Buffer.from(key, 'latin1'));
    const [low, high] = [Number(hash & 0xffff_ffffn), Number(hash >> 32n)];
    const second =
      text === undefined ? high : (high % 65536) + 65536 * Math.min(text.length, 65535);
    const isKey = (ordinal: number, place: number) => {
      if (text === undefined) return true;
      const there = bytes.subarray(place, place + text.length);
      return text.equals(there) && keys[ordinal] === key;
    };
    let page = Number((BigInt(low) * BigInt(pages)) >> 32n);
    for (;;) {
      let slot = Math.floor(((high % 65536) * slots) / 65536);
      for (let n = 0; n < slots; n++) {
        const ordinal = slotWord(page, slot, 2) - 1;
        if (ordinal < 0) return -1;
        const same = slotWord(page, slot, 0) === low && slotWord(page, slot, 1) === second;
        if (same && isKey(ordinal, slotWord(page, slot, 3))) return ordinal;
        slot = (slot + 1) % slots;
      }
      page = (page + 1) % pages;
      if (page === 0 && pages === 1) return -1;
    }
  };
  return { keys, find };
}

class Cursor {
  readonly bytes: Uint8Array;
  at: number;
  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  u8(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error('end of bytes');
    return byte;
  }
  u16(): number {
    return this.u8() + 256 * this.u8();
  }
  u32(): number {
    return this.u16() + 65536 * this.u16();
  }
  u64(): bigint {
    return BigInt(this.u32()) + (BigInt(this.u32()) << 32n);
  }
  varuint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.u8();
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }
  text(): string {
    const length = this.varuint();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString('utf8');
  }
  list<T>(next: () => T): T[] {
    return range(this.varuint()).map(next);
  }
  expectEnd(): void {
    if (this.at !== this.bytes.length) throw new Error('bytes left in the directory');
  }
}

function openIndex(file: Uint8Array, end: number, kind: number) {
  const trailer = new Cursor(file, end - 32);
  const length = trailer.u32();
  const directoryLength = trailer.u32();
  const [version, minReader] = [trailer.u16(), trailer.u16()];
  if (version !== 1 || minReader !== 1) throw new Error('version');
  if (trailer.u32() !== kind || trailer.u32() !== 0) throw new Error('kind');
  const bytes = file.subarray(end - length, end);
  checked(bytes, 0, length - 12, trailer.u32());
  if (Buffer.from(bytes.subarray(length - 8)).toString() !== 'MUSTERIX') throw new Error('magic');
  const start = length - 32 - pad8(directoryLength);
  return { bytes, directory: new Cursor(bytes.subarray(start, start + directoryLength)) };
}

interface At {
  readonly bytes: Uint8Array;
  readonly body: number;
  readonly count: number;
  readonly group: number;
  /** From the first table on. */
  readonly tables: Uint8Array;
}

function extentOf(c: Cursor, at: At): Uint8Array {
  const [start, length] = [c.varuint(), c.varuint()];
  return checked(at.bytes, at.body + start, length, c.u32());
}

function scalarColumn(c: Cursor, at: At, of: { type: string; index: Uint8Array }): Value[] {
  const extent = extentOf(c, at);
  const lengths = c.list(() => c.varuint());
  const copy = c.varuint();
  if (copy > 0) {
    const copied = of.index.subarray(copy - 1, copy - 1 + extent.length);
    if (Buffer.compare(copied, extent) !== 0) throw new Error('a copy differs');
  }
  if (c.u8() > 0) {
    c.text();
    c.text();
  }
  return column(new Buffers(extent, lengths), of.type, at.count);
}

function memberColumn(c: Cursor, at: At, byGroup: Map<number, number[][]>): void {
  const extent = extentOf(c, at);
  const members = c.varuint();
  const maxCodes = c.list(() => c.varuint() - 1);
  const values = new Cursor(extent, pad8(4 * (at.count + 1)));
  const all = range(members).map(() => values.u64());
  const offsets = new Cursor(extent);
  const ends = range(at.count + 1).map(() => offsets.u32());
  maxCodes.forEach((max, group) => {
    const rows = range(at.count).map((row) =>
      all
        .slice(ends[row], ends[row + 1])
        .filter((member) => Number(member >> 32n) === group)
        .map((member) => Number(member & 0xffff_ffffn)),
    );
    if (rows.flat().some((code) => code > max)) throw new Error('largest code');
    append(byGroup, group, rows);
  });
}

function sliceColumn(c: Cursor, at: At, index: Uint8Array): number[][] {
  extentOf(c, at);
  extentOf(c, at);
  const statistics = extentOf(c, at);
  extentOf(c, at);
  const maxCode = c.varuint() - 1;
  let codesAt = at.body + c.varuint();
  const small: number[] = [];
  for (const run of c.list(() => ({ rows: c.varuint(), codes: c.varuint(), sum: c.u32() }))) {
    const codes = new Cursor(checked(at.bytes, codesAt, 4 * run.codes, run.sum));
    for (let i = 0; i < run.codes; i++) small.push(codes.u32());
    codesAt += 4 * run.codes;
  }
  let payloadAt = at.body + c.varuint();
  let tableAt = c.varuint();
  const large = new Map<number, number[]>();
  let last = -1;
  const entries = c.list(() => ({
    gap: c.varuint(),
    length: c.varuint(),
    sum: c.u32(),
    table: c.varuint(),
  }));
  for (const { gap, length, sum, table } of entries) {
    last += gap + 1;
    const payload = checked(at.bytes, payloadAt, length, sum);
    const codes = roaring(payload);
    if (table > 0) {
      const found = tableCodes(at.tables.subarray(tableAt, tableAt + table), payload, sum);
      if (found.join() !== codes.join()) throw new Error('pieces hold other codes');
    } else if (length > 16_384) throw new Error('a payload without a table');
    large.set(last, codes);
    payloadAt += length;
    tableAt += table;
  }
  const width = c.u8();
  const copy = width > 0 ? new Cursor(index, c.varuint()) : undefined;
  const counts = new Cursor(statistics);
  let used = 0;
  return range(at.count).map((row) => {
    const count = counts.u32();
    const copied = width === 4 ? copy?.u32() : width === 2 ? copy?.u16() : copy?.u8();
    if (copied !== undefined && copied !== count) throw new Error('copied cardinality');
    const codes = count > 2048 ? (large.get(row) ?? []) : small.slice(used, used + count);
    if (count <= 2048) used += count;
    if (codes.length !== count || codes.some((code) => code > maxCode)) throw new Error('slice');
    return codes;
  });
}

/** The codes of a payload, found by its table alone: as one reads a few pieces of it. */
function tableCodes(table: Uint8Array, payload: Uint8Array, sum: number): number[] {
  checked(table, 0, table.length - 4, new Cursor(table, table.length - 4).u32());
  const c = new Cursor(table.subarray(0, -4));
  if (c.u32() !== sum) throw new Error('table of another payload');
  let key = -1;
  const pieces = c.list(() => {
    const [count, checksum] = [c.varuint(), c.u32()];
    const containers = range(count).map(() => {
      const head = c.varuint();
      key += Math.floor(head / 2) + 1;
      const cardinality = c.varuint() + 1;
      const runs = head % 2 === 1 ? c.varuint() : -1;
      const plain = cardinality > 4096 ? 8192 : 2 * cardinality;
      return { key, cardinality, isRun: runs >= 0, length: runs < 0 ? plain : 2 + 4 * runs };
    });
    return { checksum, containers };
  });
  c.expectEnd();
  const all = pieces.flatMap(({ containers }) => containers);
  const withRuns = all.some(({ isRun }) => isRun);
  const heads = 4 * all.length + (withRuns && all.length < 4 ? 0 : 4 * all.length);
  let start = heads + (withRuns ? 4 + Math.ceil(all.length / 8) : 8);
  const codes: number[] = [];
  for (const { checksum, containers } of pieces) {
    const length = containers.reduce((bytes, container) => bytes + container.length, 0);
    if (length > 8192 && containers.length > 1) throw new Error('a piece too long');
    const found = new Cursor(checked(payload, start, length, checksum));
    for (const container of containers) codes.push(...containerCodes(found, container));
    start += length;
  }
  if (start !== payload.length) throw new Error('pieces end elsewhere');
  return codes;
}

function segmentRun(c: Cursor) {
  const [at, length, checksum] = [c.varuint(), c.varuint(), c.u32()];
  return { at, length, checksum, buffers: c.list(() => c.varuint()) };
}

/** The portable format, by RoaringFormatSpec. */
function roaring(bytes: Uint8Array): number[] {
  const c = new Cursor(bytes);
  const cookie = c.u32();
  const withRuns = cookie % 65536 === 12347;
  if (!withRuns && cookie !== 12346) throw new Error('cookie');
  const count = withRuns ? Math.floor(cookie / 65536) + 1 : c.u32();
  const flags = withRuns ? range(Math.ceil(count / 8)).map(() => c.u8()) : [];
  const heads = range(count).map(() => ({ key: c.u16(), cardinality: c.u16() + 1 }));
  if (!withRuns || count >= 4) c.at += 4 * count;
  const codes: number[] = [];
  heads.forEach(({ key, cardinality }, i) => {
    const isRun = withRuns && Math.floor(flags[i >> 3]! / 2 ** (i % 8)) % 2 === 1;
    codes.push(...containerCodes(c, { key, cardinality, isRun }));
  });
  return codes;
}

function containerCodes(
  c: Cursor,
  { key, cardinality, isRun }: { key: number; cardinality: number; isRun: boolean },
): number[] {
  const codes: number[] = [];
  if (isRun) {
    for (const [start, more] of range(c.u16()).map(() => [c.u16(), c.u16()] as const)) {
      for (let v = start; v <= start + more; v++) codes.push(key * 65536 + v);
    }
  } else if (cardinality <= 4096) {
    for (let n = 0; n < cardinality; n++) codes.push(key * 65536 + c.u16());
  } else {
    for (let byte = 0; byte < 8192; byte++) {
      const bits = c.u8();
      for (let b = 0; b < 8; b++) if (bits & (1 << b)) codes.push(key * 65536 + byte * 8 + b);
    }
  }
  if (codes.length !== cardinality) throw new Error('members of a container');
  return codes;
}

class Buffers {
  readonly #extent: Uint8Array;
  readonly #lengths: readonly number[];
  #next = 0;
  #at = 0;
  constructor(extent: Uint8Array, lengths: readonly number[]) {
    this.#extent = extent;
    this.#lengths = lengths;
  }
  next(): Uint8Array {
    const length = this.#lengths[this.#next++]!;
    const buffer = this.#extent.subarray(this.#at, this.#at + length);
    this.#at += pad8(length);
    return buffer;
  }
}

function column(buffers: Buffers, written: string, count: number): Value[] {
  const type = written
    .replace(/^LowCardinality\((.*)\)$/, '$1')
    .replace(/^Nullable\((.*)\)$/, '$1');
  const validity = buffers.next();
  const isValid = (row: number) => validity.length === 0 || bit(validity, row);
  const values = plainColumn(buffers, type, count);
  return values.map((value, row) => (isValid(row) ? value : null));
}

function plainColumn(buffers: Buffers, type: string, count: number): Value[] {
  const rows = range(count);
  if (type.startsWith('Array(')) {
    const offsets = new Cursor(buffers.next());
    const ends = range(count + 1).map(() => offsets.u32());
    const items = column(buffers, type.slice(6, -1), ends[count]!);
    return rows.map((row) => items.slice(ends[row], ends[row + 1]));
  }
  if (type === 'String') {
    const offsets = new Cursor(buffers.next());
    const ends = range(count + 1).map(() => offsets.u32());
    const bytes = Buffer.from(buffers.next());
    return rows.map((row) => bytes.subarray(ends[row], ends[row + 1]).toString('latin1'));
  }
  const bytes = Buffer.from(buffers.next());
  if (type === 'UUID') {
    const half = (from: number) => bytes.subarray(from, from + 8).toString('latin1');
    return rows.map((r) => half(16 * r + 8) + half(16 * r));
  }
  if (type === 'Bool') return rows.map((row) => (bit(bytes, row) ? 1 : 0));
  if (type === 'Float32') return rows.map((row) => bytes.readFloatLE(4 * row));
  if (type === 'Float64') return rows.map((row) => bytes.readDoubleLE(8 * row));
  if (type === 'UInt8') return rows.map((row) => bytes.readUInt8(row));
  if (/^(Int8|Enum8)/.test(type)) return rows.map((row) => bytes.readInt8(row));
  if (/^(UInt16|Date$)/.test(type)) return rows.map((row) => bytes.readUInt16LE(2 * row));
  if (type === 'Int16') return rows.map((row) => bytes.readInt16LE(2 * row));
  if (/^(UInt32|DateTime($|\())/.test(type)) return rows.map((row) => bytes.readUInt32LE(4 * row));
  if (type === 'Int32') return rows.map((row) => bytes.readInt32LE(4 * row));
  if (type === 'UInt64') return rows.map((row) => bytes.readBigUInt64LE(8 * row));
  return rows.map((row) => bytes.readBigInt64LE(8 * row));
}

function hashOfInteger(key: bigint): bigint {
  return join(mix((key & m32) ^ 0x9e3779b9n, (key >> 32n) ^ (m32 - 0x9e3779b9n)));
}

function hashOfBytes(bytes: Uint8Array): bigint {
  let lanes: [bigint, bigint] = [0x7f4a7c15n, m32 - 0x7f4a7c15n];
  for (let at = 0; at < bytes.length; at += 8) {
    const block = new Uint8Array(8);
    block.set(bytes.subarray(at, at + 8));
    const c = new Cursor(block);
    lanes = mix(lanes[0] ^ BigInt(c.u32()), lanes[1] ^ BigInt(c.u32()));
  }
  return join(mix(lanes[0] ^ BigInt(bytes.length), lanes[1]));
}

const m32 = 0xffff_ffffn;
const join = ([a, b]: readonly [bigint, bigint]) => (b << 32n) + a;

function mix(first: bigint, second: bigint): [bigint, bigint] {
  let [a, b] = [first, second];
  a = ((a ^ (a >> 16n)) * 0x85ebca6bn) & m32;
  b = (((b ^ (b >> 15n)) * 0xc2b2ae35n) & m32) ^ a;
  a = (((a ^ (a >> 13n) ^ (b >> 7n)) * 0x27d4eb2fn) & m32) ^ ((b << 11n) & m32);
  b = ((b ^ (b >> 16n) ^ (a >> 5n)) * 0x165667b1n) & m32;
  a = ((a ^ b ^ (b >> 14n)) * 0x9e3779b1n) & m32;
  b = ((b ^ (a >> 15n)) + a * 0x85ebca77n) & m32;
  return [a ^ (b >> 16n), b ^ (b >> 13n)];
}

function checked(bytes: Uint8Array, at: number, length: number, checksum: number): Uint8Array {
  const found = bytes.subarray(at, at + length);
  if (found.length !== length) throw new Error('end of file');
  let crc = 0xffff_ffff;
  for (const byte of found) {
    crc = (crc ^ byte) >>> 0;
    for (let i = 0; i < 8; i++) crc = ((crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)) >>> 0;
  }
  if ((crc ^ 0xffff_ffff) >>> 0 !== checksum) throw new Error(`checksum at ${at}`);
  return found;
}

const bit = (bytes: Uint8Array, n: number) => (bytes[n >> 3]! & (1 << (n & 7))) !== 0;
const pad8 = (n: number) => Math.ceil(n / 8) * 8;
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

function append<K, V>(map: Map<K, V[]>, key: K, values: readonly V[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}
