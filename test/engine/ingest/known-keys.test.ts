import { expect, test } from 'vitest';
import { DataObjects } from '../../../engine/dictionary/data-objects.ts';
import {
  createDictionaryCaches,
  DictionaryReader,
} from '../../../engine/dictionary/dictionary-reader.ts';
import { encodeAgain } from '../../../engine/ingest/known-keys.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { keyList, makeWorld, namespace } from '../worker/world.ts';

test('after a lost race only new segments are read, and the answer is as from scratch', async () => {
  const ids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => BigInt(from + i) * 0x9e3779b97f4an);
  const commits = [ids(0, 5_000), ids(5_000, 5_100)];
  const world = await makeWorld({ domain: 'integer', groups: 3, commits, sources: [] });
  const now = world.dictionary;
  const early = now.segments.filter(({ base }) => base === 0);
  const nextCodes = early.map(({ count }) => count);
  const before = { ...now, segments: early, nextCodes };
  const store = new CountingStore(world.store);
  const reader = new DictionaryReader(
    new DataObjects(store, namespace),
    createDictionaryCaches(1e6),
  );
  const keys = keyList('integer', ids(4_000, 5_200));
  const asked = { reader, namespace, group: undefined };
  const first = await encodeAgain(keys, { ...asked, ref: before });
  expect(first.known.reduce((sum, is) => sum + is, 0)).toBe(1_000);
  const reads = store.counts().reads;
  const second = await encodeAgain(keys, { ...asked, ref: now });
  expect(store.counts().reads - reads).toBeLessThanOrEqual(3);
  const scratch = new DictionaryReader(
    new DataObjects(store, namespace),
    createDictionaryCaches(1e6),
  );
  expect(second).toEqual(await scratch.encode(keys, now));
  expect(second.known.reduce((sum, is) => sum + is, 0)).toBe(1_100);
});
