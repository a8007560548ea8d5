import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { insertDirectly } from '../../../functions/lambda/direct-insert.ts';
import type { InsertEvent } from '../../../functions/lambda/function-event.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { objectKey } from '../../../object-store/object-key.ts';
import { ScriptedEngine } from '../http/scripted-engine.ts';

async function insert(
  data: InsertEvent['data'],
  objects: Readonly<Record<string, Uint8Array>> = {},
) {
  const store = new MemoryStore();
  for (const [key, bytes] of Object.entries(objects)) await store.put(objectKey(key), bytes);
  const engine = new ScriptedEngine();
  const { signal } = new AbortController();
  const ports = { engine, store, queryId: 'q1', signal };
  const reply = await insertDirectly({ query: 'INSERT INTO t FORMAT CSV', data }, ports);
  return { reply, stored: engine.stored };
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => `${i}\n`).join('');

describe('an INSERT by Invoke', () => {
  it('takes rows from the event', async () => {
    const { reply, stored } = await insert({ in: 'body', bytes: Buffer.from('1\n2\n') });
    expect(reply).toEqual({ muster: 1, inserted: { queryId: 'q1', rows: 2 } });
    expect(stored).toEqual([1, 2]);
  });

  it('takes rows from an object, in pieces, plain or gzip', async () => {
    const text = Buffer.from(rows(90_000).replaceAll(/\d+/g, (digits) => digits.padStart(95, '0')));
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    const objects = { 'inbox/a.csv': text, 'inbox/day/a.csv.gz': gzipSync(text) };
    for (const key of Object.keys(objects)) {
      const { stored } = await insert({ in: 'store', key }, objects);
      expect(stored).toEqual(Array.from({ length: 90_000 }, (_, i) => i));
    }
  });

  it.each([
    ['inbox/none.csv', /Code: 36\..*no object inbox\/none\.csv/],
    ['catalog/0/heads/1', /Code: 36\..*refused: rows are read from keys inbox\//],
    ['inbox/../catalog/0', /refused/],
    ['inbox/broken.gz', /Code: 117\..*damaged or cut off/],
    ['inbox/words.csv', /Code: 27|Code: 72|Code: 6/],
  ])('throws what is wrong with %s', async (key, message) => {
    const objects = {
      'inbox/broken.gz': gzipSync(rows(100)).subarray(0, 60),
      'inbox/words.csv': Buffer.from('one\n'),
    };
    await expect(insert({ in: 'store', key }, objects)).rejects.toThrow(message);
  });
});
