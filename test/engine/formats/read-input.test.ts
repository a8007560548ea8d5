// What is the same for all formats: which there are, how large blocks get, and what becomes of a source
// that fails.

import { expect, test } from 'vitest';
import { blockRowsMax, readInput } from '../../../engine/formats/read-input.ts';
import { chunks, expectError, numberAndText, readRows, valueAt } from './reading.ts';

test('unknown formats are named with the nearest one', async () => {
  const reading = { format: 'JSONEachrow', columns: numberAndText, data: '' };
  await expectError(reading, 73, /Unknown format JSONEachrow\. Maybe you meant: \['JSONEachRow'\]/);
});

test('blocks are bounded by rows, and one long row does not read the window again and again', async () => {
  const rows = 2 * blockRowsMax + 5;
  const text = Array.from({ length: rows }, (_, i) => `${i % 256},v${i}\n`).join('');
  const options = {
    format: 'CSV',
    columns: [
      { name: 'a', type: { kind: 'UInt8' } },
      { name: 'b', type: { kind: 'String' } },
    ],
    body: chunks(Buffer.from(text), 10_007),
    settings: new Map<string, string>(),
  } as const;
  const sizes: number[] = [];
  let last: unknown;
  for await (const block of readInput(options)) {
    sizes.push(block.rows);
    last = valueAt(block.columns[1]!, block.rows - 1);
  }
  expect(sizes).toEqual([blockRowsMax, blockRowsMax, 5]);
  expect(last).toBe(`v${rows - 1}`);

  const columns = [
    ['tag', 'String'],
    ['users', 'AggregateFunction(groupBitmap, UInt64)'],
  ] as const;
  const ids = Array.from({ length: 300_000 }, (_, i) => 10_000_000 + 7 * i);
  const data = `{"tag":"x","users":[${ids.join(',')}]}`;
  const read = await readRows({ format: 'JSONEachRow', columns, data, chunk: 4096 });
  expect((read[0]![1] as bigint[]).length).toBe(ids.length);
});

test('a source that fails fails the reading, and is told when no more is wanted', async () => {
  let closed = false;
  async function* failing(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('1,x\n2');
      throw new Error('the client is gone');
    } finally {
      closed = true;
    }
  }
  const columns = [{ name: 'a', type: { kind: 'UInt8' } }] as const;
  const options = { format: 'CSV', columns, body: failing(), settings: new Map() };
  await expect(async () => {
    for await (const block of readInput(options)) expect(block.rows).toBe(0);
  }).rejects.toThrow();
  expect(closed).toBe(true);
});
