import { describe, expect, it } from 'vitest';
import { Session } from '../queries/session.ts';

async function table(): Promise<Session> {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE t (id UInt32, day Date, name String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY id',
  );
  return session;
}

const read = 'SELECT id, day, name, bitmapToArray(users) FROM t ORDER BY id';

describe('VALUES', () => {
  it('may hold calls of functions, beside literals', async () => {
    const session = await table();
    await session.run(
      "INSERT INTO t VALUES (1, toDate('2026-01-01') + 1, concat('a', 'b'), [3, 18446744073709551615]), (toUInt32(2), '2026-02-01', 'c', bitmapBuild([toUInt64(5)]))",
    );
    expect((await session.ask(read)).text).toBe(
      '1\t2026-01-02\tab\t[3,18446744073709551615]\n2\t2026-02-01\tc\t[5]',
    );
  });

  it('that make no sense say so, and insert nothing', async () => {
    const session = await table();
    const insert = (values: string) => session.run(`INSERT INTO t VALUES ${values}`);
    await expect(insert('(toUInt32(1), now())')).rejects.toMatchObject({ code: 20 });
    await expect(insert("(1, nofunc(2), 'a', [])")).rejects.toMatchObject({ code: 46 });
    await expect(insert("(1, toDate('2026-01-01'), 'a', [1)")).rejects.toMatchObject({ code: 62 });
    expect((await session.ask(read)).text).toBe('');
  });

  it('too long to be read twice are literals', async () => {
    const session = await table();
    const rows = Array.from({ length: 9000 }, (_, i) => `(${i}, '2026-01-01', 'name', [${i}])`);
    await session.run('INSERT INTO t VALUES', { body: rows.join(', ') });
    expect((await session.ask('SELECT count(), groupBitmapMerge(users) FROM t')).text).toBe(
      '9000\t9000',
    );
    const call = `${rows.join(', ')}, (9000, today(), '', [])`;
    await expect(session.run('INSERT INTO t VALUES', { body: call })).rejects.toMatchObject({
      code: 48,
    });
  });
});

describe('NULL for a column without NULL', () => {
  it('is its default, in VALUES and in INSERT SELECT', async () => {
    const session = await Session.open();
    await session.run('CREATE DATABASE bm');
    await session.run(
      "CREATE TABLE n (id UInt32, name String, day Date, kind Enum8('a' = 5, 'b' = 6)) ENGINE = MergeTree ORDER BY id",
    );
    await session.run(
      "INSERT INTO n VALUES (1, upper('x'), '2026-01-01', 'b'), (2, NULL, NULL, NULL)",
    );
    await session.run(
      "INSERT INTO n SELECT number + 3, if(number = 0, NULL, 'y'), if(number = 0, '2026-01-02', NULL), NULL FROM numbers(2)",
    );
    expect((await session.ask('SELECT * FROM n ORDER BY id')).text).toBe(
      '1\tX\t2026-01-01\tb\n2\t\t1970-01-01\ta\n3\t\t2026-01-02\ta\n4\ty\t1970-01-01\ta',
    );
  });
});
