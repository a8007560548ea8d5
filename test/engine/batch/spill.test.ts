import { expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { encodeFailure, encodeSpilled } from '../../../engine/batch/batch-codec.ts';
import { readSpilled, spill, wholeReply } from '../../../engine/batch/spill.ts';
import { objectKey } from '../../../object-store/object-key.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';

const options = { namespace: 7, clock: systemClock };
const bytes = encodeFailure(new Error('a'.repeat(5000)));

test('what is spilled comes back, and is gone when a reply was read', async () => {
  const store = new MemoryStore();
  const ref = await spill(store, bytes, options);
  expect(ref.key).toMatch(/^spill\/7\/[0-9a-f]{32}$/);
  expect(await readSpilled(store, ref)).toEqual(bytes);
  expect(await wholeReply(store, encodeSpilled(ref))).toEqual(bytes);
  expect(await store.read(objectKey(ref.key))).toBeUndefined();
  expect(await wholeReply(store, bytes)).toBe(bytes);
});

test('what is not what was spilled is never taken', async () => {
  const store = new MemoryStore();
  const ref = await spill(store, bytes, options);
  const damaged = { errorName: 'CORRUPTED_DATA', message: expect.stringContaining(ref.key) };
  const wrong = [{ checksum: ref.checksum ^ 1 }, { bytes: ref.bytes - 1 }];
  for (const one of wrong) {
    await expect(readSpilled(store, { ...ref, ...one })).rejects.toMatchObject(damaged);
  }
  await store.remove([objectKey(ref.key)]);
  await expect(readSpilled(store, ref)).rejects.toMatchObject(damaged);
});

test('a reference leads to spilled objects alone', async () => {
  const store = new MemoryStore();
  await store.put(objectKey('data/7/0'), bytes);
  for (const key of ['data/7/0', 'spill/7/../../data/7/0', 'spill/7', '']) {
    const ref = { key, bytes: bytes.length, checksum: 0 };
    await expect(readSpilled(store, ref)).rejects.toMatchObject({ errorName: 'BAD_ARGUMENTS' });
  }
});
