// Blocks to write as stripes, and a sink that keeps what was written, for the tests of this folder.
import type { Column } from '../../storage-format/column.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import type { StoredColumn, StripeBlock } from '../../storage-format/part-writer.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { SetList } from '../../storage-format/set-vector.ts';
import type { StripeSink } from '../../storage-format/stripe-writer.ts';
import { nilUuid, parseUuid } from '../../storage-format/uuid.ts';

/** Remembers parts by object; small ones share the object `shared`, behind some foreign bytes. */
export class MemorySink implements StripeSink {
  readonly objects = new Map<string, Uint8Array>();
  reads = 0;
  bytesRead = 0;

  packed(part: Uint8Array) {
    const before = this.objects.get('shared') ?? new Uint8Array(64).fill(7);
    const offset = before.length + ((8 - (before.length % 8)) % 8);
    const after = new Uint8Array(offset + part.length);
    after.set(before);
    after.set(part, offset);
    this.objects.set('shared', after);
    return { object: 'shared', offset };
  }

  object(group: number) {
    const object = `group-${group}`;
    const chunks: Uint8Array[] = [];
    return {
      object,
      write: async (bytes: Uint8Array) => {
        chunks.push(bytes.slice());
      },
      finish: async () => {
        this.objects.set(object, Buffer.concat(chunks));
      },
    };
  }

  reader(object: string) {
    return async (range: { start: number; end: number }) => {
      this.reads++;
      this.bytesRead += range.end - range.start;
      // As sockets give them: Buffers at any alignment.
      const shift = this.reads % 8;
      const bytes = Buffer.alloc(shift + range.end - range.start);
      bytes.set(this.objects.get(object)!.subarray(range.start, range.end), shift);
      return bytes.subarray(shift);
    };
  }
}

const bitmapType = parseType('AggregateFunction(groupBitmap, UInt64)');

/** A table of a label, a NULL-able day and a bitmap column; `sets[group][row]`. */
export function bitmapBlock(sets: readonly (readonly CodeSet[])[]): StripeBlock {
  const rows = sets[0]!.length;
  const columns: StoredColumn[] = [
    { id: 1, name: 'label', type: parseType('LowCardinality(String)') },
    { id: 2, name: 'day', type: parseType('Nullable(Date)') },
    { id: 5, name: 'users', type: bitmapType },
  ];
  const label = Array.from({ length: rows }, (_, row) => `label ${String(row).padStart(6, '0')}`);
  const nulls = Uint8Array.from(label, (_, row) => (row % 3 === 0 ? 1 : 0));
  const days = Uint16Array.from(label, (_, row) => (row % 3 === 0 ? 0 : 20_000 + row));
  return {
    columns,
    keyColumns: [1],
    rows,
    scalars: new Map<number, Column>([
      [1, { kind: 'string', values: label }],
      [2, { kind: 'number', values: days, nulls }],
    ]),
    sets: new Map([[5, sets.map((group) => new SetList(group))]]),
    groups: sets.length,
  };
}

const uuidOf = (row: number) =>
  parseUuid(`61f0c404-5cb3-11e7-907b-${row.toString(16).padStart(12, '0')}`);
const bytesOf = (row: number) => (row % 7 === 3 ? '\xff\0' : Buffer.from('é').toString('latin1'));

/** One row of every scalar type, `rows` times, with values that differ. */
export function scalarBlock(rows: number): StripeBlock {
  const each = <T>(value: (row: number) => T) =>
    Array.from({ length: rows }, (_, row) => value(row));
  const nulls = Uint8Array.from(each((row) => (row % 5 === 0 ? 1 : 0)));
  const columns: [string, Column][] = [
    ['UInt32', { kind: 'number', values: Uint32Array.from(each((row) => row)) }],
    ['Int8', { kind: 'number', values: Int8Array.from(each((row) => row - 100)) }],
    ['Int64', { kind: 'wide', values: BigInt64Array.from(each((row) => BigInt(row) - 2n ** 62n)) }],
    [
      'UInt64',
      { kind: 'wide', values: BigUint64Array.from(each((r) => 2n ** 64n - 1n - BigInt(r))) },
    ],
    ['Float32', { kind: 'number', values: Float32Array.from(each((row) => row / 4)) }],
    ['Float64', { kind: 'number', values: Float64Array.from(each((row) => -row / 3)) }],
    ['Bool', { kind: 'number', values: Uint8Array.from(each((row) => row % 2)) }],
    ['String', { kind: 'string', values: each((row) => `row ${row}`) }],
    ['String', { kind: 'string', values: each(bytesOf) }],
    ['UUID', { kind: 'string', values: each(uuidOf) }],
    [
      'Nullable(UUID)',
      { kind: 'string', values: each((r) => (nulls[r] ? nilUuid : uuidOf(r))), nulls },
    ],
    ['Date', { kind: 'number', values: Uint16Array.from(each((row) => row)) }],
    ["DateTime('UTC')", { kind: 'number', values: Uint32Array.from(each((row) => row * 60)) }],
    ["DateTime64(3, 'UTC')", { kind: 'wide', values: BigInt64Array.from(each((r) => BigInt(r))) }],
    ['DateTime64(2)', { kind: 'wide', values: BigInt64Array.from(each((r) => BigInt(-r))) }],
    [
      "Enum8('a' = -1, 'b' = 2)",
      { kind: 'number', values: Int8Array.from(each((r) => (r % 2) * 3 - 1)) },
    ],
    [
      'Nullable(String)',
      { kind: 'string', values: each((row) => (nulls[row] ? '' : `s${row}`)), nulls },
    ],
    [
      'Nullable(Bool)',
      { kind: 'number', values: Uint8Array.from(each((r) => (nulls[r] ? 0 : 1))), nulls },
    ],
    [
      'Array(Nullable(Bool))',
      {
        kind: 'array',
        offsets: Uint32Array.from({ length: rows + 1 }, (_, row) => 2 * row),
        items: {
          kind: 'number',
          values: Uint8Array.from({ length: 2 * rows }, (_, i) => (i % 3 === 0 ? 1 : 0)),
          nulls: Uint8Array.from({ length: 2 * rows }, (_, i) => (i % 4 === 1 ? 1 : 0)),
        },
      },
    ],
    [
      'Array(String)',
      {
        kind: 'array',
        offsets: Uint32Array.from({ length: rows + 1 }, (_, row) => row),
        items: { kind: 'string', values: each((row) => `item ${row}`) },
      },
    ],
  ];
  return {
    columns: columns.map(([type], i) => ({ id: i + 1, name: `c${i + 1}`, type: parseType(type) })),
    keyColumns: [1],
    rows,
    scalars: new Map(columns.map(([, column], i) => [i + 1, column])),
    sets: new Map(),
    groups: 1,
  };
}
