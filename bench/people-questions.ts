// Twelve questions that growth, ads and experiment teams ask every day, in SQL that ClickHouse runs
// as it is. Used by tests (equal answers) and by benches (times). Tables:
// functions/demo/people/people.ts, in database ppl.

export interface Question {
  readonly name: string;
  readonly sql: string;
}

const set = (table: string, where: string): string =>
  `(SELECT groupBitmapMergeState(users) FROM ppl.${table} WHERE ${where})`;

export const questions: readonly Question[] = [
  {
    name: 'audience-any-of-ten',
    sql: `SELECT groupBitmapMerge(users) AS audience FROM ppl.tags WHERE label = 'interest' AND value IN ('topic00','topic01','topic02','topic03','topic04','topic05','topic06','topic07','topic08','topic09')`,
  },
  {
    name: 'audience-a-and-b-not-c',
    sql: `WITH ${set('tags', "label = 'interest' AND value = 'topic00'")} AS a, ${set('tags', "label = 'region' AND value = 'east'")} AS b, ${set('daily', "event = 'pay'")} AS c SELECT bitmapCardinality(bitmapAndnot(bitmapAnd(a, b), c)) AS n`,
  },
  {
    name: 'audience-by-age',
    sql: `SELECT bitmapAndCardinality(${set('tags', "label = 'age' AND toUInt8OrZero(value) BETWEEN 20 AND 35")}, ${set('tags', "label = 'region' AND value IN ('north', 'south')")}) AS n`,
  },
  {
    name: 'audience-four-ways',
    sql: `WITH groupBitmapMergeStateIf(users, label = 'interest' AND value = 'topic01') AS a, groupBitmapMergeStateIf(users, label = 'region' AND value = 'east') AS b SELECT bitmapAndCardinality(a, b) AS both, bitmapAndnotCardinality(a, b) AS only_a, bitmapAndnotCardinality(b, a) AS only_b, bitmapXorCardinality(a, b) AS exactly_one FROM ppl.tags WHERE label IN ('interest', 'region')`,
  },
  {
    name: 'profile-of-payers',
    sql: `WITH ${set('daily', "event = 'pay'")} AS s, ${set('tags', "label = 'region'")} AS everyone SELECT label, value, bitmapAndCardinality(groupBitmapMergeState(users), s) AS in_seg, bitmapCardinality(groupBitmapMergeState(users)) AS in_all, (in_seg / bitmapCardinality(s)) / (in_all / bitmapCardinality(everyone)) AS tgi FROM ppl.tags GROUP BY label, value HAVING in_all >= 50 ORDER BY tgi DESC, label, value LIMIT 10`,
  },
  {
    name: 'retention-day-7',
    sql: `SELECT bitmapCardinality(a) AS cohort, bitmapAndCardinality(a, b) AS kept, kept / cohort AS rate FROM (SELECT groupBitmapMergeStateIf(users, dt = '2026-01-05') AS a, groupBitmapMergeStateIf(users, dt = '2026-01-12') AS b FROM ppl.daily WHERE event = 'open')`,
  },
  {
    name: 'retention-matrix',
    sql: `WITH d AS (SELECT dt, groupBitmapMergeState(users) AS u FROM ppl.daily WHERE event = 'open' GROUP BY dt) SELECT a.dt AS cohort, dateDiff('day', a.dt, b.dt) AS day_n, bitmapCardinality(a.u) AS size, bitmapAndCardinality(a.u, b.u) AS kept, round(kept / size, 4) AS rate FROM d AS a CROSS JOIN d AS b WHERE b.dt >= a.dt AND b.dt <= a.dt + 7 ORDER BY cohort, day_n`,
  },
  {
    name: 'new-returning-lost',
    sql: `SELECT bitmapCardinality(t) AS today, bitmapAndCardinality(t, y) AS returning_users, bitmapAndnotCardinality(t, y) AS new_users, bitmapAndnotCardinality(y, t) AS lost_users FROM (SELECT groupBitmapMergeStateIf(users, dt = '2026-01-20') AS t, groupBitmapMergeStateIf(users, dt < '2026-01-20') AS y FROM ppl.daily WHERE event = 'open')`,
  },
  {
    name: 'difference-week-over-week',
    sql: `SELECT event, bitmapAndnotCardinality(w1, w2) AS lost, bitmapAndnotCardinality(w2, w1) AS gained, bitmapAndCardinality(w1, w2) AS stayed FROM (SELECT event, groupBitmapMergeStateIf(users, dt BETWEEN '2026-01-05' AND '2026-01-11') AS w1, groupBitmapMergeStateIf(users, dt BETWEEN '2026-01-12' AND '2026-01-18') AS w2 FROM ppl.daily GROUP BY event) ORDER BY event`,
  },
  {
    name: 'experiment-exposure',
    sql: `SELECT dt, arm, groupBitmapMerge(users) AS units FROM ppl.expo WHERE exp = 'checkout' GROUP BY dt, arm ORDER BY dt, arm`,
  },
  {
    name: 'experiment-conversion',
    sql: `WITH x AS (SELECT arm, groupBitmapMergeState(users) AS u FROM ppl.expo WHERE exp = 'checkout' GROUP BY arm), ${set('daily', "event = 'pay' AND dt >= '2026-01-09'")} AS pay SELECT arm, bitmapCardinality(u) AS n, bitmapAndCardinality(u, pay) AS conv, conv / n AS cr FROM x ORDER BY arm`,
  },
  {
    name: 'red-dot-funnel',
    sql: `WITH ${set('reddot', "campaign = 101 AND stage = 'shown'")} AS shown, ${set('reddot', "campaign = 101 AND stage = 'clicked'")} AS clicked, ${set('daily', "event = 'pay' AND dt >= '2026-01-11'")} AS pay SELECT bitmapCardinality(shown) AS saw, bitmapAndCardinality(shown, clicked) AS reacted, bitmapCardinality(bitmapAnd(bitmapAnd(shown, clicked), pay)) AS paid`,
  },
];
