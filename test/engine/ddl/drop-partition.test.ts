// DROP PARTITION: which rows go, which stay, and that tokens of the partition load again.

import { expect, test } from 'vitest';
import { Session } from '../queries/session.ts';

async function sessionWith(key: string): Promise<Session> {
  const session = await Session.open();
  await session.ask('CREATE DATABASE bm');
  await session.ask(
    `CREATE TABLE t (day Date, code UInt16, n UInt32, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY ${key} ORDER BY n`,
  );
  return session;
}

const fill = (from: number): string =>
  `SELECT toDate('2026-01-30') + number, number % 3, number, groupBitmapState(number + ${from}) FROM numbers(6) GROUP BY number`;

test.each([
  ['day', "'2026-01-31'", "day = '2026-01-31'"],
  ['toYYYYMM(day)', '202601', 'toYYYYMM(day) = 202601'],
  ['toYYYYMM(day)', "toYYYYMM(toDate('2026-02-03'))", 'toYYYYMM(day) = 202602'],
  ['(toYYYYMM(day), code)', '(202602, 1)', 'toYYYYMM(day) = 202602 AND code = 1'],
  ['code', '2', 'code = 2'],
  ['code', '77', 'code = 77'],
])('PARTITION BY %s: %s', async (key, partition, gone) => {
  const session = await sessionWith(key);
  await session.ask(`INSERT INTO t ${fill(0)}`);
  const left = await session.ask(`SELECT n FROM t WHERE NOT (${gone}) ORDER BY n`);
  await session.ask(`ALTER TABLE t DROP PARTITION ${partition}`);
  expect((await session.ask('SELECT n FROM t ORDER BY n')).text).toBe(left.text);
});

test('ALL takes everything; a key of another form or out of range is refused', async () => {
  const session = await sessionWith('code');
  await session.ask(`INSERT INTO t ${fill(0)}`);
  await expect(session.ask('ALTER TABLE t DROP PARTITION (1, 2)')).rejects.toThrow(/1 elements/);
  await expect(session.ask('ALTER TABLE t DROP PARTITION 65536')).rejects.toThrow(/out of range/);
  await expect(session.ask('ALTER TABLE none DROP PARTITION 1')).rejects.toThrow(/none/);
  await session.ask('ALTER TABLE t DROP PARTITION ALL');
  expect((await session.ask('SELECT count() FROM t')).text).toBe('0');
});

test('a token loads once, and once more into a partition that was dropped', async () => {
  const session = await sessionWith('code');
  const insert = `INSERT INTO t SETTINGS insert_deduplication_token = 'file-1' ${fill(0)}`;
  const rows = async (): Promise<string> =>
    (
      await session.ask(
        'SELECT code, count(), groupBitmapMerge(ids) FROM t GROUP BY code ORDER BY code',
      )
    ).text;
  for (let i = 0; i < 3; i++) await session.ask(insert);
  const once = await rows();
  expect(once).toBe('0\t2\t2\n1\t2\t2\n2\t2\t2');
  await session.ask('ALTER TABLE t DROP PARTITION 1');
  expect(await rows()).toBe('0\t2\t2\n2\t2\t2');
  await session.ask(insert);
  expect(await rows()).toBe(once);
  await session.ask('TRUNCATE TABLE t');
  await session.ask(insert);
  expect(await rows()).toBe(once);
  await session.ask(
    `INSERT INTO t SETTINGS insert_deduplication_token = 'file-1', insert_deduplicate = 0 ${fill(100)}`,
  );
  expect(await rows()).toBe('0\t2\t4\n1\t2\t4\n2\t2\t4');
});
