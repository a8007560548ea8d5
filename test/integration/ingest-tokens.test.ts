// Exactly once: an insert with a token that is killed at any of its store calls and sent again, or sent
// by several processes at once, adds its rows once.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkDictionaries, openEngine, startInserts, type StorePlace } from './kill/inserting.ts';
import './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-tokens-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function emptyTables(name: string): Promise<StorePlace> {
  const place = { url: join(root, name) };
  const { query } = await openEngine(place);
  await query('CREATE DATABASE kill');
  await query('CREATE TABLE kill.rows (n UInt32) ENGINE = MergeTree PARTITION BY n % 3 ORDER BY n');
  await query(
    'CREATE TABLE kill.sets (k UInt32, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k',
  );
  return place;
}

const tokenOf = (token: string): string => `SETTINGS insert_deduplication_token = '${token}'`;
const rows = `INSERT INTO kill.rows ${tokenOf('a')} SELECT number FROM numbers(30)`;
/** More than one flush: codes first, then all rows. */
const sets = `INSERT INTO kill.sets ${tokenOf('b')}, max_memory_usage = 2000000 SELECT number % 900, groupBitmapState(toUInt64(number * 7)) FROM numbers(20000) GROUP BY 1`;

async function check(place: StorePlace): Promise<void> {
  const { query, catalog, store } = await openEngine(place);
  expect(await query('SELECT count(), sum(n) FROM kill.rows')).toBe('30\t435\n');
  expect(await query('SELECT sum(bitmapCardinality(ids)) FROM kill.sets')).toBe('20000\n');
  await checkDictionaries(store, await catalog.snapshot('kill'));
}

test('killed at every store call, then sent again, twice', async () => {
  const { calls } = await startInserts({
    store: await emptyTables('counting'),
    inserts: [rows, sets],
  }).done;
  expect(calls).toBeGreaterThan(8);
  const kills = Array.from({ length: calls ?? 0 }, (_, at) => at + 1);
  for (const killAt of kills.filter((at) => at % 3 === 1)) {
    const place = await emptyTables(`kill-${killAt}`);
    const moment = killAt % 2 === 0 ? 'before' : 'after';
    const killed = await startInserts({ store: place, inserts: [rows, sets], killAt, moment }).done;
    expect(killed.signal).toBe('SIGKILL');
    for (let again = 0; again < 2; again++) {
      await startInserts({ store: place, inserts: [rows, sets] }).done;
    }
    await check(place);
  }
});

test('sent by three processes at once', async () => {
  const place = await emptyTables('racing');
  const runs = [0, 1, 2].map(() => startInserts({ store: place, inserts: [rows, sets] }).done);
  for (const run of await Promise.all(runs)) expect(run.acknowledged).toHaveLength(2);
  await check(place);
});
