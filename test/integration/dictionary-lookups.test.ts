// What asking about one id costs over S3: requests, rounds and bytes, counted after the head, whatever the
// dictionary holds.

import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { openCatalog } from '../../catalog/catalog.ts';
import type { DictionaryRef } from '../../engine/batch/batch.ts';
import { DataObjects } from '../../engine/dictionary/data-objects.ts';
import {
  createDictionaryCaches,
  DictionaryReader,
} from '../../engine/dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../../engine/dictionary/dictionary-ref.ts';
import { CountingStore } from '../../object-store/counting-store.ts';
import { openStore } from '../../object-store/open-store.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { Session } from '../engine/queries/session.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

const users = 300_000;
let store: ObjectStore;

beforeAll(async () => {
  await ensureTestBucket();
  const url = `s3://${testBucket}/lookups-${randomBytes(6).toString('hex')}`;
  store = await openStore(url, { clock: systemClock, endpoint: s3Endpoint() });
  const session = await Session.open({ store });
  await session.run('CREATE DATABASE bm');
  for (const [name, id] of [
    ['numbers', 'UInt64'],
    ['names', 'String'],
  ] as const) {
    await session.run(
      `CREATE TABLE ${name} (tag UInt32, users AggregateFunction(groupBitmap, ${id})) ENGINE = AggregatingMergeTree ORDER BY tag`,
    );
    const value = id === 'String' ? "concat('user-', toString(number))" : 'sipHash64(number)';
    // A second level of the dictionary, without a second stripe of tag 0.
    for (const [first, many, where] of [
      [0, users, '1'],
      [users, 70, 'number % 3 > 0'],
    ] as const) {
      await session.run(
        `INSERT INTO ${name} SELECT toUInt32(number % 3), groupBitmapState(${value}) FROM numbers(${first}, ${many}) WHERE ${where} GROUP BY number % 3`,
      );
    }
    await session.engine.idle();
  }
}, 120_000);

async function counted() {
  const counting = new CountingStore(store);
  const catalog = await openCatalog(counting);
  const snapshot = await catalog.snapshot('bm');
  const refs: DictionaryRef[] = [];
  for (const id of snapshot.dictionaries.keys()) refs.push(await dictionaryRef(snapshot, id));
  const data = new DataObjects(counting, snapshot.namespace);
  const reader = new DictionaryReader(data, createDictionaryCaches(1 << 28));
  return { counting, refs, reader };
}

describe.each([0, 1])('dictionary %i', (which) => {
  it('encodes one id, and decodes one code, in two rounds and a request a level', async () => {
    const { counting, refs, reader } = await counted();
    const ref = refs[which]!;
    const group = 2;
    const levels = ref.segments.filter((segment) => segment.group === group).length;
    counting.reset();
    const code = Math.floor((ref.nextCodes[group] ?? 0) / 2);
    const key = await reader.decode(group, Uint32Array.of(code), ref);
    expect(counting.counts().rounds).toBeLessThanOrEqual(2);
    expect(counting.counts().reads).toBeLessThanOrEqual(2);
    const fresh = await counted();
    fresh.counting.reset();
    const { codes, known, groups } = await fresh.reader.encode(key, ref);
    expect([codes[0], known[0], groups[0]]).toEqual([code, 1, group]);
    expect(fresh.counting.counts().rounds).toBeLessThanOrEqual(2);
    expect(fresh.counting.counts().reads).toBeLessThanOrEqual(1 + levels);
    // Asked again it costs nothing.
    fresh.counting.reset();
    await fresh.reader.encode(key, ref);
    expect(fresh.counting.counts().reads).toBe(0);
  });
});

it.each([
  { table: 'numbers', type: 'UInt64', uid: '7654321', unknown: '1' },
  { table: 'names', type: 'String', uid: `user-${users - 3}`, unknown: 'nobody' },
])('bitmapContains for one user: $table', async ({ table, type, uid, unknown }) => {
  const ids = table === 'numbers' ? ['(SELECT sipHash64(toUInt64(299997)))'] : [];
  for (const id of [uid, unknown, ...ids]) {
    const counting = new CountingStore(store);
    const session = await Session.open({ store: counting });
    await session.run('USE bm');
    counting.reset();
    const user = id.startsWith('(') ? id : `{uid:${type}}`;
    const where = `FROM ${table} WHERE tag = 0`;
    const { text } = await session.ask(`SELECT bitmapContains(users, ${user}) ${where}`, {
      parameters: { uid: id },
    });
    const isThere = id.startsWith('(') || id === uid ? table === 'names' || id !== uid : false;
    expect([id, text]).toEqual([id, isThere ? '1' : '0']);
    const { reads, absentReads, bytesRead } = counting.counts();
    expect(reads - absentReads).toBeLessThanOrEqual(6);
    expect(bytesRead).toBeLessThanOrEqual(64 * 1024);
  }
});
