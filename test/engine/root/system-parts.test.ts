import { expect, test } from 'vitest';
import { Session } from '../queries/session.ts';

test('system.parts has a row for each stripe, by its partition as DROP PARTITION takes it', async () => {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm');
  const keys = {
    t: '(d, s) ORDER BY n',
    u: 'toYYYYMM(d) ORDER BY n',
    v: 's ORDER BY n',
    w: 'd ORDER BY n',
  };
  for (const [name, by] of Object.entries(keys)) {
    await session.run(
      `CREATE TABLE ${name} (d Date, s String, n UInt64) ENGINE = MergeTree PARTITION BY ${by}`,
    );
    await session.run(`INSERT INTO ${name} VALUES ('2026-01-02', 'a\\'b', 1)`);
  }
  await session.run('CREATE TABLE x (n UInt8) ENGINE = MergeTree ORDER BY n');
  await session.run('INSERT INTO x VALUES (1), (2)');
  await session.run('INSERT INTO x VALUES (3)');
  const parts = (what: string) =>
    session.ask(`SELECT ${what} FROM system.parts WHERE database = 'bm' ORDER BY table, name`);
  expect((await parts('table, partition, rows, active')).text.split('\n')).toEqual([
    "t\t('2026-01-02','a\\'b')\t1\t1",
    'u\t202601\t1\t1',
    "v\ta'b\t1\t1",
    'w\t2026-01-02\t1\t1',
    'x\ttuple()\t2\t1',
    'x\ttuple()\t1\t1',
  ]);
  const before = (await parts('min_block_number, max_block_number')).text.split('\n').slice(-2);
  await session.run('OPTIMIZE TABLE x FINAL');
  const after = (await parts('min_block_number, max_block_number, rows')).text.split('\n').at(-1);
  const [first, last] = before.map((line) => line.split('\t')[0]);
  expect(after).toBe(`${first}\t${last}\t3`);
});
