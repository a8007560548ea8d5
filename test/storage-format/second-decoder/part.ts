// A part, read whole by the second decoder: its scalars and, per group, the codes of its sets.

import { Cursor, checked, openIndex, pad8, range } from './bytes.ts';
import { roaring, tableCodes } from './roaring.ts';
import { Buffers, column, type Value } from './values.ts';

interface SecondPart {
  readonly shape: number;
  readonly rows: number;
  readonly groups: readonly [number, number];
  /** Values of scalar columns by id. */
  readonly scalars: ReadonlyMap<number, readonly Value[]>;
  /** Codes of bitmap columns by id: group, row. */
  readonly sets: ReadonlyMap<number, ReadonlyMap<number, readonly (readonly number[])[]>>;
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

function append<K, V>(map: Map<K, V[]>, key: K, values: readonly V[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}
