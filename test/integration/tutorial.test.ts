// The tutorial's answers are ClickHouse's on the raw clicks. That they are Muster's too, docs.test.ts
// shows: it runs the page.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { blocksToRun, DocsShell } from './docs-page.ts';
import { repository, testPackage } from './places.ts';

const did = (event: string) => `(SELECT user_id FROM clicks WHERE event = '${event}')`;

/** By the heading above the answer; ClickHouse has no sets of strings, so it counts rows. */
const rawQuestions: Readonly<Record<string, string>> = {
  'How much is there?':
    'SELECT count() AS clicks, uniqExact(user_id) AS visitors, min(timestamp) AS first, max(timestamp) AS last FROM clicks',
  'Who are they?':
    'SELECT acquisition_channel AS channel, uniqExact(user_id) AS people FROM clicks GROUP BY channel ORDER BY people DESC',
  'The funnel': `SELECT uniqExact(user_id) AS viewed, uniqExactIf(user_id, user_id IN ${did('add_to_cart')}) AS added, uniqExactIf(user_id, user_id IN ${did('add_to_cart')} AND user_id IN ${did('purchase')}) AS bought FROM clicks WHERE event = 'product_view'`,
  'Which channel sells?': `SELECT acquisition_channel AS channel, uniqExactIf(user_id, user_id IN ${did('add_to_cart')}) AS added, uniqExactIf(user_id, user_id IN ${did('purchase')}) AS bought, round(bought / added, 3) AS rate FROM clicks GROUP BY channel ORDER BY rate DESC`,
  'Who left their cart behind?': `SELECT length(ids) AS people, arraySlice(ids, 1, 3) AS the_first FROM (SELECT arraySort(groupUniqArray(user_id)) AS ids FROM clicks WHERE event = 'add_to_cart' AND user_id NOT IN ${did('purchase')})`,
  'Who comes back?':
    "WITH months AS (SELECT DISTINCT toStartOfMonth(toDate(timestamp)) AS month, user_id FROM clicks), sizes AS (SELECT month, count() AS people FROM months GROUP BY month), stays AS (SELECT a.month AS month, dateDiff('month', a.month, b.month) AS later, count() AS stayed FROM months AS a INNER JOIN months AS b ON a.user_id = b.user_id WHERE b.month > a.month GROUP BY month, later) SELECT stays.month AS cohort, stays.later AS later, sizes.people AS people, stays.stayed AS stayed, round(100 * stayed / people, 1) AS percent FROM stays INNER JOIN sizes ON stays.month = sizes.month WHERE later <= 2 ORDER BY cohort, later",
  'Did the arm win?':
    "WITH arms AS (SELECT sipHash64('checkout', user_id) % 2 AS arm, toFloat64(uniqExact(user_id)) AS n, toFloat64(uniqExactIf(user_id, event = 'purchase')) AS c FROM clicks WHERE timestamp >= '2024-04-01 00:00:00' GROUP BY arm) SELECT a.n AS exposed_a, a.c AS bought_a, b.n AS exposed_b, b.c AS bought_b, round(b.c / b.n - a.c / a.n, 4) AS lift, round((b.c / b.n - a.c / a.n) / sqrt((a.c + b.c) / (a.n + b.n) * (1 - (a.c + b.c) / (a.n + b.n)) * (1 / a.n + 1 / b.n)), 2) AS z FROM arms AS a CROSS JOIN arms AS b WHERE a.arm = 0 AND b.arm = 1",
};

const page = readFileSync(join(repository, 'docs/tutorial/shop-clicks.md'), 'utf8');
const blocks = blocksToRun(page);
const answered = blocks.filter((block) => block.language === 'sql' && block.promised !== undefined);
const oracle = ClickHouseOracle.open(testPackage);
const folder = mkdtempSync(join(tmpdir(), 'muster-tutorial-'));

beforeAll(() => {
  const [download] = blocks;
  if (download !== undefined) new DocsShell(folder, 'nobody is asked').run(download);
  const csv = join(folder, 'retentioneering/datasets/ecom.csv.gz');
  oracle.query(
    `CREATE TABLE clicks ENGINE = MergeTree ORDER BY event AS SELECT * FROM file('${csv}', CSVWithNames, 'user_id String, session_id String, event String, timestamp DateTime, platform String, acquisition_channel String, user_cohort String, user_lifecycle String')`,
  );
});

afterAll(() => {
  oracle.close();
  rmSync(folder, { recursive: true, force: true });
});

it('every answer of the tutorial is asked of ClickHouse too', () => {
  expect(answered.map((block) => block.heading)).toEqual(Object.keys(rawQuestions));
});

it.each(answered)('ClickHouse answers the same: $heading', ({ heading, promised }) => {
  const theirs = oracle.query(rawQuestions[heading] ?? '', 'PrettyCompact');
  expect(promised?.trim()).toBe(theirs.trim());
});
