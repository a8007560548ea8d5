// What a killed, a racing or a second process leaves behind, over a directory and over S3: nothing
// lost, nothing doubled, codes dense and the same for all, and a clean next start.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MusterProcess } from '../../bench/muster-process.ts';
import { checkDictionaries, openEngine, type StorePlace, startInserts } from './kill/inserting.ts';
import { builtMain, ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-kills-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(ensureTestBucket);

const createTable =
  'CREATE TABLE kill.t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag';

/** Insert i adds one tag of 40 ids, half of which the next insert has too. */
function insertOf(tag: number): string {
  return `INSERT INTO kill.t SELECT toUInt32(${tag}), groupBitmapState(toUInt64(sipHash64(number + ${20 * tag}))) FROM numbers(40)`;
}

const inserts = [1, 2, 3].map(insertOf);

async function createEmptyTable(store: StorePlace): Promise<StorePlace> {
  const { query } = await openEngine(store);
  await query('CREATE DATABASE kill');
  await query(createTable);
  return store;
}

/** Tags in the table; each must have exactly its 40 ids, and the dictionary be dense. */
async function tagsOf(place: StorePlace): Promise<number[]> {
  const { query, catalog, store } = await openEngine(place);
  const rows = await query('SELECT tag, bitmapCardinality(users) FROM kill.t ORDER BY tag');
  const tags = rows.split('\n').filter((line) => line !== '');
  for (const line of tags) expect(line.split('\t')[1]).toBe('40');
  const union = await query('SELECT groupBitmapMerge(users) FROM kill.t');
  const known = await checkDictionaries(store, await catalog.snapshot('kill'));
  expect(known).toBeGreaterThanOrEqual(Number(union));
  return tags.map((line) => Number(line.split('\t')[0]));
}

let places = 0;
const onDirectory = (): StorePlace => ({ url: join(root, `store-${places++}`) });
const onS3 = (): StorePlace => ({
  url: `s3://${testBucket}/kills-${randomBytes(6).toString('hex')}`,
  endpoint: s3Endpoint(),
});

describe.each([
  { name: 'a directory', fresh: onDirectory, kills: 50 },
  { name: 'S3 on LocalStack', fresh: onS3, kills: 20 },
])('over $name, kill -9', ({ name, fresh, kills }) => {
  it('at every store call of a scripted insert', async () => {
    const counting = await createEmptyTable(fresh());
    const { calls } = await startInserts({ store: counting, inserts }).done;
    expect(calls).toBeGreaterThan(8);
    expect(await tagsOf(counting)).toEqual([1, 2, 3]);
    let killed = 0;
    for (let killAt = 1; killAt <= (calls ?? 0); killAt++) {
      for (const moment of ['before', 'after'] as const) {
        const store = await createEmptyTable(fresh());
        const run = await startInserts({ store, inserts, killAt, moment }).done;
        expect(run.signal).toBe('SIGKILL');
        killed++;
        const tags = await tagsOf(store);
        const acknowledged = run.acknowledged.map((i) => i + 1);
        // The insert that was under way is wholly there or not at all.
        expect([acknowledged, [...acknowledged, acknowledged.length + 1]]).toContainEqual(tags);
        const { query } = await openEngine(store);
        await query(insertOf(9));
        expect(await tagsOf(store)).toEqual([...tags, 9]);
      }
    }
    console.log(`${name}: killed ${killed} times, at each of ${calls} store calls`);
  });

  it(`at ${kills} random moments, one store through all of them`, async () => {
    const store = await createEmptyTable(fresh());
    let next = 1;
    for (let round = 0; round < kills; round++) {
      const many = Array.from({ length: 200 }, (_, i) => insertOf(next + i));
      const { child, done } = startInserts({ store, inserts: many });
      let answers = 0;
      child.stdout?.on('data', (chunk: Buffer) => {
        answers += chunk.toString().split('acknowledged').length - 1;
        if (answers >= round % 3) setTimeout(() => child.kill('SIGKILL'), (round * 37) % 120);
      });
      const { acknowledged } = await done;
      const tags = await tagsOf(store);
      const wholly = next - 1 + acknowledged.length;
      expect([wholly, wholly + 1]).toContain(tags.length);
      expect(tags).toEqual(Array.from({ length: tags.length }, (_, i) => i + 1));
      next = tags.length + 1;
    }
    expect(next).toBeGreaterThanOrEqual(kills);
    console.log(`${name}: ${next - 1} inserts survived ${kills} kills`);
  });
});

describe.each([
  { name: 'a directory', fresh: onDirectory },
  { name: 'S3 on LocalStack', fresh: onS3 },
])('over $name', ({ fresh }) => {
  it('eight processes insert overlapping new ids at once', async () => {
    const store = await createEmptyTable(fresh());
    const runs = Array.from({ length: 8 }, (_, process) => {
      const own = Array.from({ length: 10 }, (__, i) => insertOf(process + 8 * i));
      return startInserts({ store, inserts: own }).done;
    });
    for (const run of await Promise.all(runs)) expect(run.acknowledged.length).toBe(10);
    expect(await tagsOf(store)).toEqual(Array.from({ length: 80 }, (_, i) => i));
    const { query, catalog, store: opened } = await openEngine(store);
    // Tags 0..79 cover the numbers 0..(20 * 79 + 39), each once.
    expect(await query('SELECT groupBitmapMerge(users) FROM kill.t')).toBe('1620\n');
    expect(await checkDictionaries(opened, await catalog.snapshot('kill'))).toBe(1620);
  });

  it('two servers see each other at once', async () => {
    const { url, endpoint } = fresh();
    const args =
      endpoint === undefined ? ['--data', url] : ['--store', url, '--endpoint', endpoint];
    const first = await MusterProcess.start(builtMain, args);
    const second = await MusterProcess.start(builtMain, args);
    try {
      await first.query('CREATE DATABASE kill');
      await second.query(createTable);
      for (let tag = 1; tag <= 20; tag++) {
        const [writer, reader] = tag % 2 === 0 ? [first, second] : [second, first];
        await writer.query(insertOf(tag));
        expect(await reader.query('SELECT count() FROM kill.t')).toBe(`${tag}\n`);
        const union = await reader.query('SELECT groupBitmapMerge(users) FROM kill.t');
        expect(union).toBe(`${20 * (tag - 1) + 40}\n`);
      }
    } finally {
      await first.stop();
      await second.stop();
    }
  });
});
