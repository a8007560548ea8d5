// The tables and queries by which people analyse audiences, retention and experiments, as one corpus
// for the comparison with ClickHouse and for the layout test.

export const setUp: readonly string[] = [
  'CREATE DATABASE IF NOT EXISTS bm',
  'CREATE TABLE bm.tags (label LowCardinality(String), value String, users AggregateFunction(groupBitmap, UInt64)) ENGINE=AggregatingMergeTree ORDER BY (label, value)',
  'CREATE TABLE bm.daily (dt Date, event LowCardinality(String), city LowCardinality(String), os LowCardinality(String), users AggregateFunction(groupBitmap, UInt64)) ENGINE=AggregatingMergeTree ORDER BY (event, dt, city, os)',
  'CREATE TABLE bm.ev (uid UInt64, ts DateTime, event LowCardinality(String), city LowCardinality(String), os LowCardinality(String), amount UInt32) ENGINE=MergeTree ORDER BY (event, ts)',
  'CREATE TABLE bm.expo (exp LowCardinality(String), arm LowCardinality(String), dt Date, users AggregateFunction(groupBitmap, UInt64)) ENGINE=AggregatingMergeTree ORDER BY (exp, arm, dt)',
  'CREATE TABLE bm.seg (seg_id UInt32, seg_name String, ver UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE=ReplacingMergeTree(ver) ORDER BY seg_id',
  'CREATE TABLE bm.metric_slice (metric LowCardinality(String), dt Date, bit UInt8, users AggregateFunction(groupBitmap, UInt64)) ENGINE=AggregatingMergeTree ORDER BY (metric, dt, bit)',
  'CREATE TABLE bm.reddot (campaign UInt32, stage LowCardinality(String), dt Date, users AggregateFunction(groupBitmap, UInt64)) ENGINE=AggregatingMergeTree ORDER BY (campaign, stage, dt)',
];

/**
 * Events come in three inserts. `uid` decides whether the data is dense (many ids per set) or sparse;
 * a multiplier spreads ids.
 */
export function fill(rows = 60_000, uid = 'intHash32(number) % 5000'): readonly string[] {
  return [
    ...[0, 1, 2].map((third) => events(third * (rows / 3), rows / 3, uid)),
    'INSERT INTO bm.daily SELECT toDate(ts), event, city, os, groupBitmapState(uid) FROM bm.ev GROUP BY 1,2,3,4',
    "INSERT INTO bm.tags SELECT 'city', city, groupBitmapState(uid) FROM bm.ev GROUP BY city",
    "INSERT INTO bm.tags SELECT 'os', os, groupBitmapState(uid) FROM bm.ev GROUP BY os",
    "INSERT INTO bm.tags SELECT 'paid', 'yes', groupBitmapState(uid) FROM bm.ev WHERE event='pay'",
    "INSERT INTO bm.tags SELECT 'age', toString(18 + uid % 40), groupBitmapState(uid) FROM bm.ev GROUP BY 18 + uid % 40",
    "INSERT INTO bm.expo SELECT 'exp1', if(uid % 2, 'B', 'A'), toDate(ts), groupBitmapState(uid) FROM bm.ev WHERE event='open' GROUP BY 1,2,3",
    "INSERT INTO bm.seg SELECT 7, 'payers', 1, groupBitmapState(uid) FROM bm.ev WHERE event='pay'",
    "INSERT INTO bm.seg SELECT 8, 'ios', 1, groupBitmapState(uid) FROM bm.ev WHERE os='ios'",
    "INSERT INTO bm.metric_slice SELECT 'amount', '2026-01-05', bit, groupBitmapState(uid) FROM (SELECT uid, sum(amount) AS s FROM bm.ev WHERE toDate(ts)='2026-01-05' GROUP BY uid) ARRAY JOIN range(20) AS bit WHERE bitTest(s, bit) GROUP BY bit",
    // Once more under the same keys: reads merge what several inserts said.
    "INSERT INTO bm.tags SELECT 'city', city, groupBitmapState(uid) FROM bm.ev WHERE event = 'view' GROUP BY city",
    "INSERT INTO bm.tags SELECT 'age', toString(18 + uid % 40), groupBitmapState(uid + 1) FROM bm.ev WHERE uid % 3 = 0 GROUP BY 18 + uid % 40",
    "INSERT INTO bm.daily SELECT toDate(ts) + 1, event, city, os, groupBitmapState(uid) FROM bm.ev WHERE event != 'pay' GROUP BY 1,2,3,4",
    "INSERT INTO bm.seg SELECT 7, 'nobody', 0, groupBitmapState(uid) FROM bm.ev WHERE amount < 3",
    "INSERT INTO bm.seg SELECT 9, 'old', 1, groupBitmapState(uid) FROM bm.ev WHERE os = 'android'",
    "INSERT INTO bm.seg SELECT 9, 'new', 2, groupBitmapState(uid) FROM bm.ev WHERE event = 'cart'",
    'INSERT INTO bm.reddot SELECT 101, event, toDate(ts), groupBitmapState(uid) FROM bm.ev GROUP BY event, toDate(ts)',
  ];
}

function events(first: number, count: number, uid: string): string {
  return `INSERT INTO bm.ev SELECT ${uid} AS uid, toDateTime('2026-01-01 00:00:00','UTC') + (number * 37) % (14*86400), multiIf(intHash32(number*7+1) % 10 < 4, 'open', intHash32(number*7+1) % 10 < 7, 'view', intHash32(number*7+1) % 10 < 9, 'cart', 'pay'), arrayElement(['bj','sh','gz','sz'], 1 + uid % 4), arrayElement(['ios','android'], 1 + uid % 2), intHash32(number*3) % 1000 FROM numbers(${first}, ${count})`;
}

interface UsagePattern {
  readonly name: string;
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Batches sent to workers. */
  readonly dispatches: number;
}

/** The query with its parameters' values in their places, for servers that are given text alone. */
export function inlined({ sql, parameters = {} }: UsagePattern): string {
  return sql.replace(/\{(\w+):\w+\}/g, (_, name: string) => parameters[name] ?? '');
}

export const usagePatterns: readonly UsagePattern[] = [
  {
    name: 'q01 Audience size, one tag, several values (OR)',
    sql: `SELECT groupBitmapMerge(users) AS audience FROM bm.tags WHERE label = 'city' AND value IN ('bj', 'sh')`,
    dispatches: 1,
  },
  {
    name: 'q02 AND of two tag groups by scalar subqueries',
    sql: `SELECT bitmapAndCardinality((SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = 'city' AND value IN ('bj', 'sh')), (SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = 'os' AND value = 'ios')) AS audience`,
    dispatches: 1,
  },
  {
    name: 'q03 AND / AND NOT over three tags, range on a numeric tag',
    sql: `WITH (SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = 'city' AND value = 'bj') AS bj, (SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = 'paid' AND value = 'yes') AS paid, (SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = 'age' AND toUInt8(value) BETWEEN 20 AND 35) AS age SELECT bitmapCardinality(bitmapAndnot(bitmapAnd(bj, age), paid)) AS n`,
    dispatches: 1,
  },
  {
    name: 'q05 Both / only-A / only-B / exactly-one in one scan',
    sql: `WITH groupBitmapMergeStateIf(users, label = 'city' AND value = 'bj') AS c, groupBitmapMergeStateIf(users, label = 'os' AND value = 'ios') AS o SELECT bitmapAndCardinality(c, o) AS both, bitmapAndnotCardinality(c, o) AS only_c, bitmapAndnotCardinality(o, c) AS only_o, bitmapXorCardinality(c, o) AS either_not_both FROM bm.tags WHERE label IN ('city', 'os')`,
    dispatches: 1,
  },
  {
    name: 'q06 Tag distribution with share and top-3 per label',
    sql: `SELECT label, value, bitmapCardinality(groupBitmapMergeState(users)) AS n, n / (SELECT groupBitmapMerge(users) FROM bm.tags WHERE label = 'os') AS share FROM bm.tags GROUP BY label, value ORDER BY label, n DESC, value LIMIT 3 BY label`,
    dispatches: 1,
  },
  {
    name: 'q11 n-day retention matrix by bitmap self cross join',
    sql: `WITH d AS (SELECT dt, groupBitmapMergeState(users) AS u FROM bm.daily WHERE event = 'open' GROUP BY dt) SELECT a.dt AS cohort, dateDiff('day', a.dt, b.dt) AS day_n, bitmapCardinality(a.u) AS size, bitmapAndCardinality(a.u, b.u) AS kept, round(kept / size, 4) AS rate FROM d AS a CROSS JOIN d AS b WHERE b.dt >= a.dt AND b.dt <= a.dt + 7 ORDER BY cohort, day_n`,
    dispatches: 1,
  },
  {
    name: 'q13 New / returning / lost users',
    sql: `SELECT bitmapCardinality(t) AS today, bitmapAndCardinality(t, y) AS returning_users, bitmapAndnotCardinality(t, y) AS new_users, bitmapAndnotCardinality(y, t) AS lost_users FROM (SELECT groupBitmapMergeStateIf(users, dt = '2026-01-08') AS t, groupBitmapMergeStateIf(users, dt < '2026-01-08') AS y FROM bm.daily WHERE event = 'open')`,
    dispatches: 1,
  },
  {
    name: 'q18 Overlap matrix + Jaccard',
    sql: `SELECT a.value AS x, b.value AS y, bitmapAndCardinality(a.u, b.u) AS overlap, overlap / bitmapOrCardinality(a.u, b.u) AS jaccard FROM (SELECT value, groupBitmapMergeState(users) AS u FROM bm.tags WHERE label = 'city' GROUP BY value) AS a, (SELECT value, groupBitmapMergeState(users) AS u FROM bm.tags WHERE label = 'os' GROUP BY value) AS b ORDER BY x, y`,
    dispatches: 1,
  },
  {
    name: 'q19 Look-alike / profile: TGI of every tag value against a segment',
    sql: `WITH (SELECT groupBitmapMergeState(users) FROM bm.seg WHERE seg_id = {seg:UInt32}) AS s, (SELECT groupBitmapMergeState(users) FROM bm.tags WHERE label = 'os') AS everyone SELECT label, value, bitmapAndCardinality(groupBitmapMergeState(users), s) AS in_seg, bitmapCardinality(groupBitmapMergeState(users)) AS in_all, (in_seg / bitmapCardinality(s)) / (in_all / bitmapCardinality(everyone)) AS tgi FROM bm.tags GROUP BY label, value HAVING in_all >= 50 ORDER BY tgi DESC, label, value LIMIT 10`,
    parameters: { seg: '7' },
    dispatches: 1,
  },
  {
    name: 'q20 Point look-up: is a user in a segment',
    sql: `SELECT bitmapContains(groupBitmapMergeState(users), {uid:UInt64}) AS hit FROM bm.seg WHERE seg_id = 7`,
    parameters: { uid: '1234' },
    dispatches: 1,
  },
  {
    name: 'q22 Export of ids, keyset paging',
    sql: `SELECT arrayJoin(bitmapToArray(bitmapSubsetLimit(groupBitmapMergeState(users), toUInt64({after:UInt64}), 5))) AS uid FROM bm.seg WHERE seg_id = 7 ORDER BY uid`,
    parameters: { after: '100' },
    dispatches: 1,
  },
  {
    name: 'q23 Export of ids, offset paging',
    sql: `SELECT bitmapToArray(subBitmap(groupBitmapMergeState(users), 10, 5)) AS page FROM bm.seg WHERE seg_id = 7`,
    dispatches: 1,
  },
  {
    name: 'q25 Same, filter with bitmapContains(scalar, uid)',
    sql: `WITH (SELECT groupBitmapMergeState(users) FROM bm.seg WHERE seg_id = 7) AS s SELECT event, count() AS hits, uniqExact(uid) AS uv, sum(amount) AS amt FROM bm.ev WHERE bitmapContains(s, uid) GROUP BY event ORDER BY event`,
    dispatches: 2,
  },
  {
    name: 'q26 A/B: exposed units by day and arm',
    sql: `SELECT dt, arm, groupBitmapMerge(users) AS units FROM bm.expo WHERE exp = 'exp1' GROUP BY dt, arm ORDER BY dt, arm`,
    dispatches: 0,
  },
  {
    name: 'q27 A/B: conversion per arm',
    sql: `WITH x AS (SELECT arm, groupBitmapMergeState(users) AS u FROM bm.expo WHERE exp = 'exp1' GROUP BY arm), (SELECT groupBitmapMergeState(users) FROM bm.daily WHERE event = 'pay') AS pay SELECT arm, bitmapCardinality(u) AS n, bitmapAndCardinality(u, pay) AS conv, conv / n AS cr FROM x ORDER BY arm`,
    dispatches: 1,
  },
  {
    name: 'q31 BSI: sum of a metric over a segment from bit slices',
    sql: `WITH (SELECT groupBitmapMergeState(users) FROM bm.seg WHERE seg_id = 8) AS f SELECT sum(bitShiftLeft(toUInt64(1), bit) * bitmapAndCardinality(u, f)) AS total FROM (SELECT bit, groupBitmapMergeState(users) AS u FROM bm.metric_slice WHERE metric = 'amount' AND dt = '2026-01-05' GROUP BY bit)`,
    dispatches: 1,
  },
  {
    name: 'q34 Frequency of exposure (how many days each user saw it)',
    sql: `SELECT freq, count() AS users FROM (SELECT uid, uniqExact(dt) AS freq FROM (SELECT dt, arrayJoin(bitmapToArray(groupBitmapMergeState(users))) AS uid FROM bm.reddot WHERE campaign = 101 AND stage = 'view' GROUP BY dt) GROUP BY uid) GROUP BY freq ORDER BY freq`,
    dispatches: 1,
  },
  {
    name: 'q35 Several audiences in one result',
    sql: `SELECT * FROM (SELECT groupBitmapMerge(users) AS n, 'city' AS dim FROM bm.tags WHERE label = 'city' UNION ALL SELECT groupBitmapMerge(users), 'os' FROM bm.tags WHERE label = 'os') ORDER BY dim`,
    dispatches: 1,
  },
  {
    name: 'q36 any day / every day / odd days',
    sql: `SELECT groupBitmapOr(u) AS any_day, groupBitmapAnd(u) AS every_day, groupBitmapXor(u) AS odd FROM (SELECT dt, groupBitmapMergeState(users) AS u FROM bm.daily WHERE event = 'open' AND dt BETWEEN '2026-01-01' AND '2026-01-03' GROUP BY dt)`,
    dispatches: 1,
  },
  {
    name: 'q38 Shard / id-range slice',
    sql: `SELECT bitmapCardinality(bitmapSubsetInRange(groupBitmapMergeState(users), toUInt64(0), toUInt64(1000))) AS shard0 FROM bm.seg WHERE seg_id = 8`,
    dispatches: 1,
  },
  {
    name: 'q39 Four ways to count distinct',
    sql: `SELECT count(DISTINCT uid) AS a, uniqExact(uid) AS b, groupBitmap(uid) AS c, uniq(uid) > 0 AS d FROM bm.ev WHERE ts >= toDateTime('2026-01-03', 'UTC') AND ts < toDateTime('2026-01-04', 'UTC')`,
    dispatches: 1,
  },
  {
    name: 'q40 UV and rate per city with -If',
    sql: `SELECT city, groupBitmap(uid) AS uv, groupBitmapIf(uid, event = 'pay') AS payers, round(payers / uv, 4) AS rate FROM bm.ev GROUP BY city ORDER BY city`,
    dispatches: 1,
  },
  {
    name: 'q43 Calendar roll-up',
    sql: `SELECT toStartOfWeek(dt, 1) AS wk, groupBitmapMerge(users) AS wau FROM bm.daily WHERE event = 'open' GROUP BY wk ORDER BY wk`,
    dispatches: 1,
  },
  {
    name: 'q44 Look at the serialised state',
    sql: `SELECT hex(groupBitmapState(toUInt8(number))) AS small, base64Encode(toString(groupBitmapState(toUInt64(number)))) AS s64 FROM numbers(3)`,
    dispatches: 0,
  },
  {
    name: 'q45 The scalar helpers',
    sql: `SELECT bitmapHasAny(a, b) AS any_, bitmapHasAll(a, b) AS all_, bitmapMin(a) AS mn, bitmapMax(a) AS mx, bitmapToArray(bitmapTransform(a, [1, 2], [101, 102])) AS tr FROM (SELECT bitmapBuild([1, 2, 3]) AS a, bitmapBuild([2]) AS b)`,
    dispatches: 2,
  },
];
