// All keys of segments: the same as were written, whatever their sizes, with small reads of large ones; and
// damage is told.
import { expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { SegmentEntry } from '../../../catalog/entry.ts';
import type { DictionaryId } from '../../../catalog/schema.ts';
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { DataObjects } from '../../../engine/dictionary/data-objects.ts';
import { readKeys } from '../../../engine/dictionary/stored-keys.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import type { KeyList } from '../../../storage-format/key-list.ts';
import { writeSegment } from '../../../storage-format/segment-writer.ts';

const store = new CountingStore(new MemoryStore());
const data = new DataObjects(store, 1);
let objects = 0;

/** Behind other bytes, as in a shared object. */
async function stored(keys: KeyList, damagedAt?: number): Promise<SegmentEntry> {
  const { bytes, checksum, index, count, hashMin, hashMax } = writeSegment(keys);
  if (damagedAt !== undefined) bytes[damagedAt]! ^= 1;
  const [object, offset] = [String(objects++).padStart(32, '0'), 64];
  await store.put(data.key(object), Buffer.concat([new Uint8Array(offset), bytes]));
  const within = { start: offset + index.start, end: offset + index.end };
  const rest = { objectBytes: offset + bytes.length, groupFirst: 0, groupCount: 1, shared: true };
  const place = { object, offset, bytes: bytes.length, checksum, index: within, ...rest };
  const first = { version: 1 as Snapshot['version'], ordinal: 0 };
  const dictionary = 1 as DictionaryId;
  return { dictionary, group: 0, base: 0, count, place, hashMin, hashMax, first };
}

function integers(count: number, from: number): KeyList {
  const values = BigUint64Array.from({ length: count }, (_, i) => BigInt(from + i) * 0x9e3779b9n);
  return { domain: 'integer', values };
}

const strings = (count: number, from: number): KeyList => ({
  domain: 'string',
  values: Array.from({ length: count }, (_, i) => `key ${from + i}`),
});

test.each([
  ['integer', integers],
  ['string', strings],
] as const)('keys of segments of any size, %s', async (domain, make) => {
  const lists = [make(3, 0), make(700_000, 10), make(2_000, 800_000)];
  const segments = await Promise.all(lists.map(async (list) => await stored(list)));
  const keys = await readKeys(segments, domain, { data, clock: systemClock });
  expect(keys.domain).toBe(domain);
  const wanted = lists.flatMap((list): (bigint | string)[] => [...list.values]);
  expect(keys.values.length).toBe(wanted.length);
  expect(wanted.findIndex((key, i) => key !== keys.values[i])).toBe(-1);
});

test('of a large segment of integers only the keys are read, some megabytes at a time', async () => {
  const segment = await stored(integers(1_500_000, 0));
  store.reset();
  await readKeys([segment], 'integer', { data, clock: systemClock });
  const { reads, bytesRead } = store.counts();
  expect(bytesRead).toBeLessThan(0.4 * segment.place.bytes);
  expect(reads).toBe(1 + Math.ceil(1_500_000 / 8192 / 64));
});

test.each([2_000, 700_000])('a damaged key of %i is told', async (count) => {
  const segment = await stored(integers(count, 0), 10_000);
  const reading = readKeys([segment], 'integer', { data, clock: systemClock });
  await expect(reading).rejects.toThrow(/^corrupt part .*: (extent keys 0|envelope)/);
});
