// Compaction by processes that are killed, and by several at once, over a directory and over S3: no row
// is lost or doubled. The table keeps rows apart, so that a doubled one would show.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDictionaries, openEngine, type StorePlace, startInserts } from './kill/inserting.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-compaction-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(ensureTestBucket);

let places = 0;
const onDirectory = (): StorePlace => ({ url: join(root, `store-${places++}`) });
const onS3 = (): StorePlace => ({
  url: `s3://${testBucket}/compaction-${randomBytes(6).toString('hex')}`,
  endpoint: s3Endpoint(),
});

type Opened = Awaited<ReturnType<typeof openEngine>>;

async function created(place: StorePlace): Promise<Opened> {
  const opened = await openEngine(place);
  await opened.query('CREATE DATABASE kill');
  await opened.query(
    'CREATE TABLE kill.t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY tag',
  );
  return opened;
}

/** Of 40 ids, half of which the next one has too. */
const insertOf = (tag: number, settings = '') =>
  `INSERT INTO kill.t ${settings} SELECT toUInt32(${tag}), groupBitmapState(toUInt64(sipHash64(number + ${20 * tag}))) FROM numbers(40)`;
const aside = 'SETTINGS muster_background_compaction = 0';
const optimize = 'OPTIMIZE TABLE kill.t FINAL';

/** Each tag from 0 once, with its 40 ids. */
async function expectTags({ query, catalog, store }: Opened, count: number): Promise<void> {
  const rows = await query('SELECT tag, bitmapCardinality(users) FROM kill.t ORDER BY tag');
  expect(rows).toBe(Array.from({ length: count }, (_, tag) => `${tag}\t40\n`).join(''));
  const union = await query('SELECT groupBitmapMerge(users) FROM kill.t');
  expect(union).toBe(`${20 * (count - 1) + 40}\n`);
  await checkDictionaries(store, await catalog.snapshot('kill'));
}

async function stripesOf({ catalog }: Opened): Promise<number> {
  const snapshot = await catalog.snapshot('kill');
  return (await snapshot.stripes(snapshot.tables.get('t')!.id)).length;
}

describe.each([
  { name: 'a directory', fresh: onDirectory, step: 1, inserts: 20 },
  { name: 'S3 on LocalStack', fresh: onS3, step: 3, inserts: 12 },
])('over $name', ({ name, fresh, step, inserts }) => {
  it('kill -9 at the store calls of a compaction', async () => {
    const store = fresh();
    const opened = await created(store);
    let tags = 0;
    let killed = 0;
    let merged = 0;
    for (let killAt = 1, over = false; !over; killAt += step) {
      while ((await stripesOf(opened)) < 4) await opened.query(insertOf(tags++, aside));
      const moment = (killAt / step) % 2 < 1 ? 'before' : 'after';
      const run = await startInserts({ store, inserts: [optimize], killAt, moment }).done;
      over = run.signal === null;
      if (!over) killed++;
      if ((await stripesOf(opened)) === 1) merged++;
      await expectTags(opened, tags);
    }
    await expectTags(await openEngine(store), tags);
    expect(killed).toBeGreaterThan(3);
    expect(merged).toBeGreaterThan(0);
    console.log(`${name}: killed ${killed} times`);
  });

  it('two processes compact what they and others insert', async () => {
    const store = fresh();
    const opened = await created(store);
    const runs = [0, 1].map((process) => {
      const own = Array.from({ length: inserts }, (_, i) => insertOf(process + 2 * i));
      const mixed = own.flatMap((insert, i) => (i % 3 === 2 ? [insert, optimize] : [insert]));
      return startInserts({ store, inserts: mixed }).done;
    });
    for (const run of await Promise.all(runs)) {
      expect(run.acknowledged.length).toBe(inserts + Math.floor(inserts / 3));
    }
    await expectTags(opened, 2 * inserts);
    expect(await stripesOf(opened)).toBeLessThan(2 * inserts);
    await opened.query(optimize);
    expect(await stripesOf(opened)).toBe(1);
    await expectTags(await openEngine(store), 2 * inserts);
  });

  it('kill -9 at random moments of inserts that are compacted behind', async () => {
    const store = fresh();
    const opened = await created(store);
    let next = 0;
    for (let round = 0; round < 4; round++) {
      const many = Array.from({ length: 60 }, (_, i) => insertOf(next + i));
      const { child, done } = startInserts({ store, inserts: many });
      let printed = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        // The eighth insert makes a merge due, and so does each eighth after it.
        const lines = printed.split('\n').length;
        if (lines > 8 + 3 * round) setTimeout(() => child.kill('SIGKILL'), 7 * round);
      });
      const { acknowledged } = await done;
      const count = Number(await opened.query('SELECT count() FROM kill.t'));
      expect([acknowledged.length, acknowledged.length + 1]).toContain(count - next);
      next = count;
    }
    await expectTags(await openEngine(store), next);
  });
});
