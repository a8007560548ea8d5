// Sets of so many new ids that an insert takes them as they come: the answers are those of smaller ones,
// with ids that the dictionary knows already, ids that come twice, and several sets at once.
import { expect, it } from 'vitest';
import { Session } from '../queries/session.ts';

const rows = 200_000;
const half = `SELECT groupBitmapMerge(ids) FROM sets WHERE tag = `;

async function open(settings: string): Promise<Session> {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm');
  await session.run(
    `CREATE TABLE sets (tag UInt8, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS ${settings}`,
  );
  return session;
}

it.each(['muster_groups = 1', 'muster_groups = 4', "muster_groups = 3, muster_group_by = 'tag'"])(
  'are counted, joined and listed as others, %s',
  async (settings) => {
    const session = await open(settings);
    const insert = (ids: string, from: number, tag = '1') =>
      session.run(
        `INSERT INTO sets SELECT ${tag} AS tag, groupBitmapState(${ids}) FROM numbers(${from}, ${rows}) GROUP BY tag`,
      );
    const ask = async (sql: string) => (await session.ask(sql)).text;
    await insert('sipHash64(number)', 0);
    expect(await ask(`${half} 1`)).toBe(`${rows}`);
    // Half of them are known; of the others every third comes twice.
    await insert('sipHash64(number % 3 = 0 ? number + 1 : number)', rows / 2, '2');
    const distinct = new Set(
      Array.from({ length: rows }, (_, i) => i + rows / 2).map((n) => (n % 3 === 0 ? n + 1 : n)),
    );
    expect(await ask(`${half} 2`)).toBe(`${distinct.size}`);
    if (settings.includes('group_by')) return;
    const both = [...distinct].filter((n) => n < rows).length;
    const sets = `SELECT ids FROM sets WHERE tag = `;
    expect(await ask(`SELECT bitmapAndCardinality((${sets} 1), (${sets} 2))`)).toBe(`${both}`);
    expect(await ask(`SELECT bitmapContains((${sets} 2), sipHash64(toUInt64(${rows})))`)).toBe('1');
    expect(await ask(`SELECT bitmapContains((${sets} 2), sipHash64(toUInt64(7)))`)).toBe('0');
    // Seven at once.
    await insert('sipHash64(number)', 50, '3 + number % 7');
    expect(await ask('SELECT groupBitmapMerge(ids) FROM sets WHERE tag > 2')).toBe(`${rows}`);
    expect(
      await ask(
        'SELECT count() FROM (SELECT tag, groupBitmapMerge(ids) AS n FROM sets WHERE tag > 2 GROUP BY tag HAVING n BETWEEN 28571 AND 28572)',
      ),
    ).toBe('7');
  },
);

it('may be looked at on the way', async () => {
  const session = await open('muster_groups = 2');
  await session.run(
    `INSERT INTO sets SELECT 1, bitmapAnd(groupBitmapState(sipHash64(number)), bitmapBuild([sipHash64(toUInt64(5)), 5])) FROM numbers(${rows})`,
  );
  expect((await session.ask(`${half} 1`)).text).toBe('1');
});
