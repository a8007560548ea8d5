// What it costs over S3 to ask about one person, or a few, of sets of up to ten million: requests and
// bytes, counted after the head, of a root and a worker that know nothing yet.

import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { openStore } from '../../object-store/open-store.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { coldCost } from '../engine/queries/cold-cost.ts';
import { Session } from '../engine/queries/session.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

/** Of tag `1 in n` is everybody whose hash is a multiple of n. */
const steps = [1, 2, 10, 100, 1000, 10_000];

const isIn = (id: number, step: number) => `toUInt8(intHash32(toUInt64(${id})) % ${step} = 0)`;
const size = 64 * 1024;

async function openPlace(): Promise<{ readonly store: ObjectStore; readonly session: Session }> {
  await ensureTestBucket();
  const url = `s3://${testBucket}/points-${randomBytes(6).toString('hex')}`;
  const store = await openStore(url, { clock: systemClock, endpoint: s3Endpoint() });
  const session = await Session.open({ store });
  await session.run('CREATE DATABASE bm');
  return { store, session };
}

describe.each([
  [2_000_000, 4],
  [10_000_000, 16],
])('%i people in %i groups', (people, groups) => {
  let store: ObjectStore;

  beforeAll(async () => {
    const opened = await openPlace();
    const { session } = opened;
    store = opened.store;
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

  it.each(steps)('one in %i of them', async (step) => {
    const at = `FROM t WHERE tag = '1 in ${step}'`;
    const [a, b] = [1_654_321, 123];
    const one = await coldCost(
      store,
      `SELECT bitmapContains(users, toUInt64(${a})) = ${isIn(a, step)}, bitmapCardinality(users) > 0 ${at}`,
    );
    expect(one.text).toBe('1\t1');
    expect(one.requests).toBeLessThanOrEqual(6);
    expect(one.bytes).toBeLessThanOrEqual(size);
    const few = await coldCost(
      store,
      `SELECT bitmapHasAny(users, bitmapBuild([toUInt64(${a}), toUInt64(${b})])) = greatest(${isIn(a, step)}, ${isIn(b, step)}) ${at}`,
    );
    expect(few.text).toBe('1');
    expect(few.bytes).toBeLessThanOrEqual(2 * size);
  });
});

/** Tag k has k % 50 + 1 people; one of them is in every third tag. */
describe('1,000 sets of up to fifty people in 16 groups', () => {
  let store: ObjectStore;

  const everywhere = 7_000_007;
  const member = (tag: number, i: number) => 1_000 * tag + i;

  beforeAll(async () => {
    const opened = await openPlace();
    const { session } = opened;
    store = opened.store;
    await session.run(
      'CREATE TABLE s (tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_groups = 16',
    );
    const lines = Array.from({ length: 1000 }, (_none, tag) => {
      const ids = Array.from({ length: (tag % 50) + 1 }, (_, i) => member(tag, i));
      if (tag % 3 === 0) ids.push(everywhere);
      return ids.map((id) => `tag ${tag}\t${id}\n`).join('');
    });
    await session.run(
      "INSERT INTO s SELECT tag, groupBitmapState(id) FROM input('tag String, id UInt64') GROUP BY tag FORMAT TSV",
      { body: lines.join('') },
    );
    await session.engine.idle();
  }, 120_000);

  const asked: readonly (readonly [what: string, sql: string, answer: string, requests: number])[] =
    [
      [
        'one person, everywhere',
        `SELECT count(), sum(toUInt32(substring(tag, 5))) FROM s WHERE bitmapContains(users, toUInt64(${everywhere}))`,
        '334\t166833',
        3,
      ],
      [
        'one person, in one of them',
        `SELECT bitmapContains(users, toUInt64(${member(617, 3)})) FROM s WHERE tag = 'tag 617'`,
        '1',
        3,
      ],
      [
        'a person whom nobody knows',
        'SELECT tag FROM s WHERE bitmapContains(users, toUInt64(12345678901234))',
        '',
        2,
      ],
      [
        'any of two',
        `SELECT tag FROM s WHERE bitmapHasAny(users, bitmapBuild([toUInt64(${member(617, 3)}), toUInt64(${member(44, 0)})])) ORDER BY tag`,
        'tag 44\ntag 617',
        5,
      ],
      [
        'all of three',
        `SELECT tag FROM s WHERE bitmapHasAll(users, bitmapBuild([toUInt64(${member(618, 3)}), toUInt64(${member(618, 18)}), toUInt64(${everywhere})]))`,
        'tag 618',
        7,
      ],
    ];

  it.each(asked)('%s', async (_, sql, answer, requests) => {
    const found = await coldCost(store, sql);
    expect(found.text).toBe(answer);
    expect(found.requests).toBeLessThanOrEqual(requests);
    expect(found.bytes).toBeLessThanOrEqual(size);
  });
});
