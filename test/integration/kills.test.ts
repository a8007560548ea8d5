// What a killed, a racing or a second process leaves behind: nothing lost, nothing doubled, codes
// dense and the same for all, and a clean next start.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MusterProcess } from '../../bench/muster-process.ts';
import { checkDictionaries, openEngine, startInserts } from './kill/inserting.ts';
import { builtMain } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-kills-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const createTable =
  'CREATE TABLE kill.t (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag';

/** Insert i adds one tag of 40 ids, half of which the next insert has too. */
function insertOf(tag: number): string {
  return `INSERT INTO kill.t SELECT toUInt32(${tag}), groupBitmapState(toUInt64(sipHash64(number + ${20 * tag}))) FROM numbers(40)`;
}

async function emptyTable(folder: string): Promise<void> {
  const { query } = await openEngine(folder);
  await query('CREATE DATABASE kill');
  await query(createTable);
}

/** Tags in the table; each must have exactly its 40 ids. */
async function tagsOf(folder: string): Promise<number[]> {
  const { query, catalog, store } = await openEngine(folder);
  const rows = await query('SELECT tag, bitmapCardinality(users) FROM kill.t ORDER BY tag');
  const tags = rows.split('\n').filter((line) => line !== '');
  for (const line of tags) expect(line.split('\t')[1]).toBe('40');
  const union = await query('SELECT groupBitmapMerge(users) FROM kill.t');
  const known = await checkDictionaries(store, await catalog.snapshot('kill'));
  expect(known).toBeGreaterThanOrEqual(Number(union));
  return tags.map((line) => Number(line.split('\t')[0]));
}

describe('kill -9', () => {
  it('at every store call of a scripted insert', async () => {
    const base = join(root, 'base');
    await emptyTable(base);
    const inserts = [1, 2, 3].map(insertOf);
    const counting = join(root, 'counting');
    cpSync(base, counting, { recursive: true });
    const { calls } = await startInserts({ folder: counting, inserts }).done;
    expect(calls).toBeGreaterThan(8);
    expect(await tagsOf(counting)).toEqual([1, 2, 3]);
    let killed = 0;
    for (let killAt = 1; killAt <= (calls ?? 0); killAt++) {
      for (const moment of ['before', 'after'] as const) {
        const folder = join(root, `at-${killAt}-${moment}`);
        cpSync(base, folder, { recursive: true });
        const run = await startInserts({ folder, inserts, killAt, moment }).done;
        expect(run.signal).toBe('SIGKILL');
        killed++;
        const tags = await tagsOf(folder);
        const acknowledged = run.acknowledged.map((i) => i + 1);
        // The insert that was under way is wholly there or not at all.
        expect([acknowledged, [...acknowledged, acknowledged.length + 1]]).toContainEqual(tags);
        const { query } = await openEngine(folder);
        await query(insertOf(9));
        expect(await tagsOf(folder)).toEqual([...tags, 9]);
        rmSync(folder, { recursive: true });
      }
    }
    console.log(`killed ${killed} times, at each of ${calls} store calls`);
  });

  it('at 50 random moments, one directory through all of them', async () => {
    const folder = join(root, 'random');
    await emptyTable(folder);
    let next = 1;
    for (let round = 0; round < 50; round++) {
      const inserts = Array.from({ length: 200 }, (_, i) => insertOf(next + i));
      const { child, done } = startInserts({ folder, inserts });
      child.stdout?.once('data', () => {
        setTimeout(() => child.kill('SIGKILL'), (round * 37) % 120);
      });
      const { acknowledged } = await done;
      const tags = await tagsOf(folder);
      const wholly = next - 1 + acknowledged.length;
      expect([wholly, wholly + 1]).toContain(tags.length);
      expect(tags).toEqual(Array.from({ length: tags.length }, (_, i) => i + 1));
      next = tags.length + 1;
    }
    console.log(`${next - 1} inserts survived 50 kills`);
  });
});

describe('several processes', () => {
  it('eight insert overlapping new ids at once', async () => {
    const folder = join(root, 'eight');
    await emptyTable(folder);
    const runs = Array.from({ length: 8 }, (_, process) => {
      const inserts = Array.from({ length: 10 }, (__, i) => insertOf(process + 8 * i));
      return startInserts({ folder, inserts }).done;
    });
    for (const run of await Promise.all(runs)) expect(run.acknowledged.length).toBe(10);
    expect(await tagsOf(folder)).toEqual(Array.from({ length: 80 }, (_, i) => i));
    const { query, catalog, store } = await openEngine(folder);
    // Tags 0..79 cover the numbers 0..(20 * 79 + 39), each once.
    expect(await query('SELECT groupBitmapMerge(users) FROM kill.t')).toBe('1620\n');
    expect(await checkDictionaries(store, await catalog.snapshot('kill'))).toBe(1620);
  });

  it('two servers over one store see each other at once', async () => {
    const args = ['--data', join(root, 'two')];
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
