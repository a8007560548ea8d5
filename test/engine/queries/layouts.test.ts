// The layout test: every statement of the corpus, with 1, 2, 3 and 7 groups and 1 and 3 code ranges,
// on dense and on sparse data, always through bytes: how data is cut never shows in an answer. Its
// twin over child processes is test/integration/layouts.test.ts.

import { beforeAll, describe, expect, it } from 'vitest';
import { allPlacedQueries, ofEventsById, ofTwin } from './placed-queries.ts';
import {
  answerOf,
  answersOf,
  corpus,
  type DataName,
  data,
  differences,
  fillSession,
} from './corpus.ts';
import { refusedQueries } from './mistake-queries.ts';
import { uuidTwins } from './uuid-queries.ts';
import { Session } from './session.ts';

const groupCounts = [1, 2, 3, 7];
const rangeCounts = [1, 3];

describe.each(Object.keys(data) as DataName[])('%s data', (name) => {
  let expected: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const session = await Session.open();
    await fillSession(session, 1, name);
    expected = await answersOf(session);
  }, 60_000);

  it('answers what it should, and refuses what it must', () => {
    for (const [sql, answer] of expected) {
      if (refusedQueries.includes(sql))
        expect({ sql, answer }).toEqual({ sql, answer: 'error 48' });
      expect(answer, sql).not.toMatch(/^error (49|undefined|[^\d])/);
    }
  });

  it('sets of texts hold what rows of texts do', async () => {
    const session = await Session.open();
    await fillSession(session, 3, name);
    const texts =
      "(SELECT city, arrayJoin([concat('u', toString(uid)), concat('v', toString(uid % 9))]) AS x FROM bm.ev)";
    const same = async (sets: string, rows: string) =>
      expect((await session.ask(sets)).text).toBe((await session.ask(rows)).text);
    await same('SELECT groupBitmapMerge(users) FROM bm.named', `SELECT uniqExact(x) FROM ${texts}`);
    await same(
      'SELECT city, toString(bitmapToArray(users)) FROM bm.named ORDER BY city',
      `SELECT city, toString(arraySort(groupUniqArray(x))) FROM ${texts} GROUP BY city ORDER BY city`,
    );
  });

  it('tables grouped by columns answer as those grouped by id', async () => {
    const session = await Session.open({ rangesPerGroup: 3 });
    await fillSession(session, 7, name);
    for (const sql of allPlacedQueries) {
      const found = await answerOf(session, { sql });
      expect({ sql, found }).toEqual({ sql, found: await answerOf(session, { sql: ofTwin(sql) }) });
      expect(found, sql).not.toMatch(/^error/);
    }
  }, 60_000);

  it('rows that lie with their ids answer as those that lie anywhere', async () => {
    const session = await Session.open({ rangesPerGroup: 3 });
    await fillSession(session, 7, name);
    const asked = corpus.filter(
      ({ sql, mistake }) => ofEventsById(sql) !== sql && mistake !== 'decided in order of arrival',
    );
    expect(asked.length).toBeGreaterThan(40);
    for (const query of asked) {
      const { sql } = query;
      const found = await answerOf(session, { ...query, sql: ofEventsById(sql) });
      expect({ sql, found }).toEqual({ sql, found: await answerOf(session, query) });
    }
  }, 60_000);

  it.each(uuidTwins)('sets of UUIDs hold what rows do: %s', async (sets, rows) => {
    const session = await Session.open();
    await fillSession(session, 3, name);
    expect((await session.ask(sets)).text).toBe((await session.ask(rows)).text);
  });

  describe.each(groupCounts)('%d groups', (groups) => {
    let session: Session;

    beforeAll(async () => {
      session = await Session.open();
      await fillSession(session, groups, name);
    }, 60_000);

    it.each(rangeCounts)('%d code ranges', { timeout: 60_000 }, async (rangesPerGroup) => {
      const found = await answersOf(await session.reopen({ rangesPerGroup }));
      expect(differences(expected, found)).toEqual([]);
    });
  });
});
