// Many processes that give out codes at once, over a directory and over S3: codes stay dense, no id has
// two, whoever races, dies in the middle of a merge, or wakes up after a long sleep.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDictionaries, openEngine, type StorePlace, startInserts } from './kill/inserting.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-writers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(ensureTestBucket);

async function createTable(store: StorePlace): Promise<StorePlace> {
  const { query } = await openEngine(store);
  await query('CREATE DATABASE kill');
  await query(
    'CREATE TABLE kill.t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag',
  );
  return store;
}

/** Sixty ids, of which the neighbouring tags have two thirds. */
function insertOf(tag: number): string {
  return `INSERT INTO kill.t SELECT toUInt32(${tag}), groupBitmapState(toUInt64(sipHash64(number + ${20 * tag}))) FROM numbers(60)`;
}

/** What every reader must see of tags 0 to `tags`. */
async function expectWhole(place: StorePlace, tags: number): Promise<void> {
  const { query, catalog, store } = await openEngine(place);
  const ids = 20 * (tags - 1) + 60;
  expect(await query('SELECT count(), groupBitmapMerge(users) FROM kill.t')).toBe(
    `${tags}\t${ids}\n`,
  );
  expect(await query('SELECT sum(bitmapCardinality(users)) FROM kill.t')).toBe(`${60 * tags}\n`);
  expect(await checkDictionaries(store, await catalog.snapshot('kill'))).toBe(ids);
}

let places = 0;
const onDirectory = (): StorePlace => ({ url: join(root, `store-${places++}`) });
const onS3 = (): StorePlace => ({
  url: `s3://${testBucket}/writers-${randomBytes(6).toString('hex')}`,
  endpoint: s3Endpoint(),
});

describe.each([
  { name: 'a directory', fresh: onDirectory },
  { name: 'S3 on LocalStack', fresh: onS3 },
])('over $name', ({ fresh }) => {
  it('sixteen processes with overlapping ids, and merges behind them', async () => {
    const place = await createTable(fresh());
    const runs = Array.from({ length: 16 }, (_, process) => {
      const inserts = [0, 1, 2].map((i) => insertOf(process + 16 * i));
      return startInserts({ store: place, inserts }).done;
    });
    for (const run of await Promise.all(runs)) expect(run.acknowledged).toEqual([0, 1, 2]);
    await expectWhole(place, 48);
    const { catalog } = await openEngine(place);
    const snapshot = await catalog.snapshot('kill');
    const [id] = snapshot.dictionaries.keys();
    if (id === undefined) throw new Error('no dictionary');
    expect((await snapshot.segments(id)).length).toBeLessThan(4 * 16);
  });

  it('a writer frozen in the middle thaws, and its codes are right', async () => {
    const place = await createTable(fresh());
    const inserts = Array.from({ length: 6 }, (_, i) => insertOf(2 * i));
    const { child, done } = startInserts({ store: place, inserts });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGSTOP');
    const { query } = await openEngine(place);
    for (let i = 0; i < 6; i++) await query(insertOf(2 * i + 1));
    child.kill('SIGCONT');
    expect((await done).acknowledged).toEqual([0, 1, 2, 3, 4, 5]);
    await expectWhole(place, 12);
  });
});

it('a merge that dies at any store call leaves everything as it was', async () => {
  const many = Array.from({ length: 8 }, (_, i) => insertOf(i));
  const counting = await createTable(onDirectory());
  const { calls = 0 } = await startInserts({ store: counting, inserts: many }).done;
  const plain = await startInserts({
    store: await createTable(onDirectory()),
    inserts: many.slice(0, 7),
  }).done;
  const perInsert = Math.ceil((plain.calls ?? 0) / 7);
  let died = 0;
  for (let killAt = calls; killAt > calls - 2 * perInsert - 8; killAt -= 3) {
    const place = await createTable(onDirectory());
    const run = await startInserts({ store: place, inserts: many, killAt, moment: 'after' }).done;
    if (run.signal === 'SIGKILL') died++;
    const { query } = await openEngine(place);
    for (let tag = Number(await query('SELECT count() FROM kill.t')); tag < 9; tag++) {
      await query(insertOf(tag));
    }
    await expectWhole(place, 9);
  }
  expect(died).toBeGreaterThan(2);
});
