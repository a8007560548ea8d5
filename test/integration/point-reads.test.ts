// What it costs over S3 to ask about one person, or a few, of sets of up to ten million: requests and
// bytes, counted after the head, of a root and a worker that know nothing yet.

import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { CountingStore } from '../../object-store/counting-store.ts';
import { openStore } from '../../object-store/open-store.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { Session } from '../engine/queries/session.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

/** Of tag `1 in n` is everybody whose hash is a multiple of n. */
const steps = [1, 2, 10, 100, 1000, 10_000];

const isIn = (id: number, step: number) => `toUInt8(intHash32(toUInt64(${id})) % ${step} = 0)`;
const size = 64 * 1024;

describe.each([
  [2_000_000, 4],
  [10_000_000, 16],
])('%i people in %i groups', (people, groups) => {
  let store: ObjectStore;

  beforeAll(async () => {
    await ensureTestBucket();
    const url = `s3://${testBucket}/points-${randomBytes(6).toString('hex')}`;
    store = await openStore(url, { clock: systemClock, endpoint: s3Endpoint() });
    const session = await Session.open({ store });
    await session.run('CREATE DATABASE bm');
    await session.run(
      `CREATE TABLE t (tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY tag ORDER BY tag SETTINGS muster_groups = ${groups}`,
    );
    for (const step of steps) {
      await session.run(
        `INSERT INTO t SELECT '1 in ${step}', groupBitmapState(number) FROM numbers(${people}) WHERE intHash32(number) % ${step} = 0`,
      );
    }
    await session.engine.idle();
  }, 600_000);

  async function cold(sql: string) {
    const counting = new CountingStore(store);
    const session = await Session.open({ store: counting });
    await session.run('SELECT 1');
    counting.reset();
    const { text } = await session.ask(sql);
    const calls = counting.calls.filter(({ key }) => !key.includes('/heads'));
    const bytes = calls.reduce((sum, call) => sum + call.bytes, 0);
    return { text, requests: calls.length, bytes };
  }

  it.each(steps)('one in %i of them', async (step) => {
    const at = `FROM t WHERE tag = '1 in ${step}'`;
    const [a, b] = [1_654_321, 123];
    const one = await cold(
      `SELECT bitmapContains(users, toUInt64(${a})) = ${isIn(a, step)}, bitmapCardinality(users) > 0 ${at}`,
    );
    expect(one.text).toBe('1\t1');
    expect(one.requests).toBeLessThanOrEqual(6);
    expect(one.bytes).toBeLessThanOrEqual(size);
    const few = await cold(
      `SELECT bitmapHasAny(users, bitmapBuild([toUInt64(${a}), toUInt64(${b})])) = greatest(${isIn(a, step)}, ${isIn(b, step)}) ${at}`,
    );
    expect(few.text).toBe('1');
    expect(few.bytes).toBeLessThanOrEqual(2 * size);
  });
});
