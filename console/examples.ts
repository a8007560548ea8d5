// Questions over the demo's tables, as links of the page. Each begins with what it asks; the tables
// are made by `muster demo` and `muster serve --demo`.

export interface Example {
  readonly title: string;
  readonly sql: string;
  /** Where the answer is best seen. */
  readonly view: 'table' | 'chart';
}

/** As functions/demo/demo-database.ts names it; a test compares them. */
export const demoDatabase = 'demo';

export const demoExamples: readonly Example[] = [
  {
    title: 'Audience: A and B but not C',
    view: 'table',
    sql: `-- Who likes topic 00 and lives in the east, but has never paid?
WITH
  (SELECT groupBitmapMergeState(users) FROM demo.tags
   WHERE label = 'interest' AND value = 'topic00') AS interested,
  (SELECT groupBitmapMergeState(users) FROM demo.tags
   WHERE label = 'region' AND value = 'east') AS eastern,
  (SELECT groupBitmapMergeState(users) FROM demo.daily
   WHERE event = 'pay') AS payers
SELECT
  bitmapCardinality(bitmapAndnot(bitmapAnd(interested, eastern), payers)) AS audience`,
  },
  {
    title: 'Audience: sizes by region',
    view: 'chart',
    sql: `-- How many people of each region came in January, and how many paid?
WITH
  (SELECT groupBitmapMergeState(users) FROM demo.daily WHERE event = 'open') AS came,
  (SELECT groupBitmapMergeState(users) FROM demo.daily WHERE event = 'pay') AS paid
SELECT
  value AS region,
  bitmapAndCardinality(groupBitmapMergeState(users), came) AS visitors,
  bitmapAndCardinality(groupBitmapMergeState(users), paid) AS payers
FROM demo.tags
WHERE label = 'region'
GROUP BY region
ORDER BY visitors DESC`,
  },
  {
    title: 'Activity: people a day by event',
    view: 'chart',
    sql: `-- Different people of each day, by what they did.
SELECT dt, event, groupBitmapMerge(users) AS people
FROM demo.daily
GROUP BY dt, event
ORDER BY dt, event`,
  },
  {
    title: 'Retention: cohorts by day',
    view: 'chart',
    sql: `-- Of those who came on a day, what share came again n days later?
WITH days AS (
  SELECT dt, groupBitmapMergeState(users) AS people
  FROM demo.daily
  WHERE event = 'open'
  GROUP BY dt
)
SELECT
  cohort.dt AS day,
  dateDiff('day', cohort.dt, later.dt) AS days_later,
  bitmapCardinality(cohort.people) AS size,
  bitmapAndCardinality(cohort.people, later.people) AS kept,
  round(kept / size, 4) AS rate
FROM days AS cohort CROSS JOIN days AS later
WHERE later.dt > cohort.dt AND later.dt <= cohort.dt + 10
ORDER BY day, days_later`,
  },
  {
    title: 'Funnel: saw, clicked, paid',
    view: 'chart',
    sql: `-- Of those who were shown campaign 101, how many clicked, and how many of these paid?
WITH
  (SELECT groupBitmapMergeState(users) FROM demo.reddot
   WHERE campaign = 101 AND stage = 'shown') AS shown,
  (SELECT groupBitmapMergeState(users) FROM demo.reddot
   WHERE campaign = 101 AND stage = 'clicked') AS clicked,
  (SELECT groupBitmapMergeState(users) FROM demo.daily
   WHERE event = 'pay' AND dt >= '2026-01-11') AS paid
SELECT
  bitmapCardinality(shown) AS saw,
  bitmapAndCardinality(shown, clicked) AS reacted,
  bitmapCardinality(bitmapAnd(bitmapAnd(shown, clicked), paid)) AS bought`,
  },
  {
    title: 'Experiment: conversion by arm',
    view: 'table',
    sql: `-- Each arm of the checkout experiment: people in it, those who paid, and the rate.
WITH
  arms AS (
    SELECT arm, groupBitmapMergeState(users) AS people
    FROM demo.expo
    WHERE exp = 'checkout'
    GROUP BY arm
  ),
  (SELECT groupBitmapMergeState(users) FROM demo.daily
   WHERE event = 'pay' AND dt >= '2026-01-09') AS paid
SELECT
  arm,
  bitmapCardinality(people) AS n,
  bitmapAndCardinality(people, paid) AS converted,
  round(converted / n, 4) AS rate
FROM arms
ORDER BY arm`,
  },
];

/** Runs on an empty server. */
export const firstExample: Example = {
  title: 'Two sets, without any table',
  view: 'chart',
  sql: `-- Two sets of people: how many are in both, in one alone, in either?
WITH
  bitmapBuild([1, 2, 3, 5, 8, 13, 21]) AS a,
  bitmapBuild([1, 3, 5, 7, 9, 11, 13]) AS b
SELECT
  bitmapAndCardinality(a, b) AS in_both,
  bitmapAndnotCardinality(a, b) AS only_in_a,
  bitmapAndnotCardinality(b, a) AS only_in_b,
  bitmapOrCardinality(a, b) AS in_either`,
};
