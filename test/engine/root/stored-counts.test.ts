// Counts of stored sets without a worker: what indexes tell is what workers count, for every shape of
// stripe, row order and engine; what they don't tell is still asked.

import { beforeAll, describe, expect, it } from 'vitest';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { Session } from '../queries/session.ts';

const store = new CountingStore(new MemoryStore({ id: 'memory:stored-counts' }));
let session: Session;

/** Sets of `size(tag)` ids; a later stripe adds one more id to each tag of an aggregating table. */
const small = (table: string, from: number, count: number) =>
  `INSERT INTO ${table} SELECT ${from} + number % ${count} AS tag, groupBitmapState(number * 7919) ` +
  `FROM numbers(${count * (count + 1)}) WHERE intDiv(number, ${count}) <= number % ${count} GROUP BY tag`;

beforeAll(async () => {
  session = await Session.open({ store });
  await session.run('CREATE DATABASE bm');
  const columns = '(tag UInt32, users AggregateFunction(groupBitmap, UInt64))';
  for (const [table, engine, settings] of [
    ['plain', 'MergeTree', ''],
    ['merged', 'AggregatingMergeTree', ''],
    ['one_group', 'MergeTree', " SETTINGS muster_dictionary = 'ones', muster_groups = 1"],
  ] as const) {
    await session.run(
      `CREATE TABLE ${table} ${columns} ENGINE = ${engine} ORDER BY tag${settings}`,
    );
    await session.run(small(table, 0, 12));
    await session.run(small(table, 5, 9));
  }
  // Beyond 8 MB each group has a part of its own.
  await session.run(`CREATE TABLE wide ${columns} ENGINE = MergeTree ORDER BY tag`);
  await session.run(
    'INSERT INTO wide SELECT number % 2 AS tag, groupBitmapState(number) ' +
      'FROM numbers(200000) GROUP BY tag',
  );
}, 60_000);

/** The sizes that workers count: of a union with nothing, which no index tells. */
const counted = (table: string) =>
  `SELECT tag, bitmapCardinality(bitmapOr(users, bitmapBuild(emptyArrayUInt64()))) AS n FROM ${table}`;
const told = (table: string) => `SELECT tag, bitmapCardinality(users) AS n FROM ${table}`;

describe('counts of stored sets', () => {
  it.each(['plain', 'one_group', 'wide'])('of %s are what workers count', async (table) => {
    for (const rest of ['', ' ORDER BY n DESC, tag', ' WHERE tag IN (1, 6, 7)', ' WHERE tag > 9']) {
      const asked = await session.ask(counted(table) + rest);
      const known = await session.ask(told(table) + rest);
      expect(known.text).toBe(asked.text);
      expect([asked.dispatches, known.dispatches]).toEqual([asked.text === '' ? 0 : 1, 0]);
    }
  });

  it('of merged rows are asked for where rows fold, and told where they do not', async () => {
    const asked = await session.ask(`${counted('merged')} ORDER BY tag`);
    expect(await session.ask(`${told('merged')} ORDER BY tag`)).toEqual(asked);
    const alone = await session.ask(`${told('merged')} WHERE tag < 3 ORDER BY tag`);
    expect(alone.text).toBe(asked.text.split('\n').slice(0, 3).join('\n'));
  });

  it('join, concatenate and filter without a worker', async () => {
    const sql =
      'SELECT sum(bitmapCardinality(u)) FROM (SELECT users AS u FROM plain UNION ALL ' +
      'SELECT bitmapBuild([toUInt64(1), toUInt64(2)]) AS u UNION ALL ' +
      'SELECT users AS u FROM plain WHERE tag > 4)';
    const sums =
      'SELECT sum(bitmapCardinality(users)), sumIf(bitmapCardinality(users), tag > 4) FROM plain';
    const [all, some] = (await session.ask(sums)).text.split('\t');
    const { text, dispatches } = await session.ask(sql);
    expect([Number(text), dispatches]).toEqual([Number(all) + Number(some) + 2, 0]);
  });

  it('of a join miss are 0', async () => {
    const { text, dispatches } = await session.ask(
      'SELECT number, bitmapCardinality(users) FROM numbers(14) AS n ' +
        'LEFT JOIN (SELECT toUInt64(tag) AS t, users FROM one_group WHERE tag < 5) AS p ' +
        'ON n.number = p.t ORDER BY number LIMIT 3 OFFSET 4',
    );
    const rows = text.split('\n');
    expect([rows[1], rows[2], dispatches]).toEqual(['5\t0', '6\t0', 0]);
  });

  it('read indexes once, and then nothing but the head', async () => {
    const cold = await session.reopen();
    await cold.ask(told('wide'));
    store.reset();
    await cold.ask(`SELECT count() FROM wide WHERE bitmapCardinality(users) > 10`);
    expect(store.calls.map(({ key }) => key).filter((key) => key.startsWith('data/'))).toEqual([]);
  });

  it('go to workers together with what must go there', async () => {
    const seen: number[] = [];
    const inner = new InProcessInvoker(createWorkerEnvironment(store));
    const invoker: Invoker = {
      parallelism: 1,
      invoke: (request, options) => {
        seen.push(request.length);
        return inner.invoke(request, options);
      },
      close: () => inner.close(),
    };
    const counting = await session.reopen({ invoker });
    const both = await counting.ask(
      'SELECT bitmapCardinality(users), bitmapAndCardinality(users, users) FROM wide',
    );
    expect(both.text).toBe('100000\t100000\n100000\t100000');
    expect([seen.length, both.dispatches]).toEqual([1, 1]);
  });
});
