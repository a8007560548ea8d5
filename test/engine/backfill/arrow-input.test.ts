import {
  Dictionary,
  Field,
  Int32,
  List,
  makeVector,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { readArrow } from '../../../engine/backfill/arrow-input.ts';
import type { Column } from '../../../storage-format/column.ts';

// Of ClickHouse 26.7, packed by zstd: UInt32 and UInt64, 0 to 2.
const packedByZstd =
  '/////6AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABAAAAABAAAANj///8AAAACEAAAABQAAAAEAAAAAAAAAAEAAABiAAAAyv///0AAAAAQABQACAAAAAcADAAAABAAEAAAAAAAAAIQAAAAGAAAAAQAAAAAAAAAAQAAAGEABgAIAAQABgAAACAAAAAAAAAA/////9AAAAAUAAAAAAAAAAwAGAAGAAUACAAMAAwAAAAAAwQAHAAAAEgAAAAAAAAAAAAAAAwAHgAQAAQACAAMAAwAAABwAAAAJAAAABgAAAADAAAAAAAAAAAAAAAAAAYACAAHAAYAAAAAAAABBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB0AAAAAAAAAIAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAJQAAAAAAAAAAAAAAAgAAAAMAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAotS/9IAxhAAAAAAAAAQAAAAIAAAAAAAAYAAAAAAAAACi1L/0gGKUAAGAAAAEAAgAAAAAAAAACAGDgAWABAAAA/////wAAAAA=';

async function rowsOf(bytes: Uint8Array): Promise<unknown[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const { batches } = await readArrow(body());
  const rows: unknown[] = [];
  for await (const { rows: count, values } of batches) {
    for (let row = 0; row < count; row++) rows.push(values.map((column) => valueAt(column, row)));
  }
  return rows;
}

function valueAt(column: Column, row: number): unknown {
  if (column.kind === 'array') {
    const { offsets, items } = column;
    const [from = 0, to = 0] = offsets.subarray(row, row + 2);
    return Array.from({ length: to - from }, (_, i) => valueAt(items, from + i));
  }
  if (column.kind !== 'number' && column.kind !== 'wide' && column.kind !== 'string') return null;
  if (column.nulls?.[row] === 1) return null;
  const value = column.values[row];
  if (value === undefined) throw new Error('a value that is not there');
  return value;
}

/** What it gives, or the name of the error; other errors than ours fail the test. */
async function outcome(bytes: Uint8Array): Promise<unknown> {
  try {
    return await rowsOf(bytes);
  } catch (error) {
    if (error instanceof MusterError && error.errorName !== 'LOGICAL_ERROR') return error.errorName;
    throw error;
  }
}

/** A file is the stream between a mark and a footer, which is not read. */
function ipc(of: Table, form: 'file' | 'stream'): Buffer {
  const stream = Buffer.from(tableToIPC(of, 'stream'));
  if (form === 'stream') return stream;
  return Buffer.concat([Buffer.from('ARROW1\0\0'), stream, Buffer.from('footerARROW1')]);
}

const table = new Table({
  number: makeVector(Int32Array.of(1, 2, 3)),
  wide: makeVector(BigInt64Array.of(1n, -2n, 3n)),
  text: vectorFromArray(['a', null, 'ccc'], new Utf8()),
  list: vectorFromArray([[1, 2], [], [3]], new List(new Field('item', new Int32()))),
  entry: vectorFromArray(['x', 'y', 'x'], new Dictionary(new Utf8(), new Int32())),
  flag: vectorFromArray([true, null, false]),
});
const rows = [
  [1, 1n, 'a', [1, 2], 'x', 1],
  [2, -2n, null, [], 'y', null],
  [3, 3n, 'ccc', [3], 'x', 0],
];

describe('Arrow', () => {
  it('is read from files, streams and packed streams', async () => {
    expect(await rowsOf(ipc(table, 'file'))).toEqual(rows);
    expect(await rowsOf(ipc(table, 'stream'))).toEqual(rows);
    expect(await rowsOf(Buffer.from(packedByZstd, 'base64'))).toEqual([
      [0, 0n],
      [1, 1n],
      [2, 2n],
    ]);
  });

  it('that was cut off is whole or an error, also between two batches', async () => {
    for (const form of ['file', 'stream'] as const) {
      const whole = ipc(table.concat(table), form);
      const answers = new Set<string>();
      for (let length = 0; length < whole.length; length += 5) {
        const answer = await outcome(whole.subarray(0, length));
        if (Array.isArray(answer) && form === 'file') expect(answer).toEqual([...rows, ...rows]);
        answers.add(Array.isArray(answer) ? String(answer.length) : String(answer));
      }
      expect(answers).toContain('CANNOT_READ_ALL_DATA');
    }
  });

  it('that lies about itself costs neither memory nor a wrong kind of error', async () => {
    const plain = ipc(table, 'stream');
    const before = process.memoryUsage.rss();
    let refused = 0;
    for (const whole of [plain, Buffer.from(packedByZstd, 'base64')]) {
      for (let at = 0; at + 4 <= whole.length; at += 4) {
        for (const word of [0xffff_ffff, 0x1000_0000]) {
          const changed = Buffer.from(whole);
          changed.writeUInt32LE(word, at);
          if (typeof (await outcome(changed)) === 'string') refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(100);
    expect(process.memoryUsage.rss() - before).toBeLessThan(400e6);
  });

  it('with batches whose columns differ in length is refused', async () => {
    const bytes = ipc(tableFromArrays({ n: Int32Array.of(7, 8, 9) }), 'stream');
    const three = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0]);
    const at = bytes.indexOf(three, bytes.indexOf(three) + 1);
    bytes[at] = 2;
    expect(await outcome(bytes)).toBe('INCORRECT_DATA');
  });
});
