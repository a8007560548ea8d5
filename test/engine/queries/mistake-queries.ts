// Queries that show what goes wrong when a query is distributed carelessly, by mistake: each must
// answer alike however the data is cut, and as ClickHouse does. The mutants of
// test/engine/mutants.test.ts are caught by the queries of their mistake.

export const mistakeQueries = {
  'detail ids counted by slice': [
    'SELECT uniqExact(uid), count(DISTINCT uid), groupBitmap(uid) FROM bm.ev',
    'SELECT event, uniqExact(uid), uniqExact(city), uniqExact(uid, event) FROM bm.ev GROUP BY event ORDER BY event',
    "SELECT uniqExact(uid), count(DISTINCT city), groupBitmap(uid) FROM bm.ev WHERE event = 'pay' AND amount > 200",
    "SELECT uniqExactIf(uid, event = 'pay'), groupBitmapIf(uid, amount > 500), bitmapCardinality(groupBitmapState(uid)) FROM bm.ev",
    'SELECT uniqExact(uid) FROM (SELECT arrayJoin(bitmapToArray(users)) AS uid FROM bm.tags)',
  ],
  'keys ragged between slices': [
    "SELECT sum(bitmapAndCardinality(a.u, b.u)) FROM (SELECT value AS k, groupBitmapMergeState(users) AS u FROM bm.tags WHERE label = 'age' GROUP BY k) AS a, (SELECT value AS k, groupBitmapMergeState(users) AS u FROM bm.tags WHERE label = 'age' GROUP BY k) AS b WHERE a.k < b.k",
    "SELECT a.k, bitmapAndCardinality(a.u, b.u), bitmapXorCardinality(a.u, b.u) FROM (SELECT value AS k, groupBitmapMergeState(users) AS u FROM bm.tags WHERE label = 'age' GROUP BY k) AS a INNER JOIN (SELECT value AS k, groupBitmapMergeState(users) AS u FROM bm.tags WHERE label = 'age' GROUP BY k) AS b ON a.k = b.k ORDER BY a.k",
    'SELECT a.k, bitmapAndCardinality(a.u, b.u) FROM (SELECT toDate(ts) AS k, groupBitmapState(uid) AS u FROM bm.ev GROUP BY k) AS a INNER JOIN (SELECT dt AS k, groupBitmapMergeState(users) AS u FROM bm.daily GROUP BY k) AS b ON a.k = b.k ORDER BY a.k',
    "SELECT dt, city, bitmapAndnotCardinality(groupBitmapMergeStateIf(users, event = 'open'), groupBitmapMergeStateIf(users, event = 'view')) AS n FROM bm.daily GROUP BY dt, city ORDER BY dt, city",
  ],
  'a set joined to rows sees its own slice': [
    'SELECT s.seg_id, count() FROM bm.ev AS e CROSS JOIN bm.seg AS s WHERE bitmapContains(s.users, e.uid) GROUP BY s.seg_id ORDER BY s.seg_id',
    'SELECT e.event, max(bitmapCardinality(s.users)), count() FROM bm.ev AS e INNER JOIN bm.seg AS s ON s.seg_id = toUInt32(7 + e.uid % 2) GROUP BY e.event ORDER BY e.event',
    "SELECT e.city, any(bitmapCardinality(t.users)) FROM bm.ev AS e INNER JOIN (SELECT value, users FROM bm.tags WHERE label = 'city') AS t ON t.value = e.city GROUP BY e.city ORDER BY e.city",
  ],
  'decided by a count before it is whole': [
    'SELECT max(n), min(n), sum(n) FROM (SELECT value, groupBitmapMerge(users) AS n FROM bm.tags GROUP BY value)',
    'SELECT label, value, bitmapCardinality(users) AS n FROM bm.tags ORDER BY label, n DESC, value LIMIT 1 BY label',
    'SELECT label, value, bitmapCardinality(users) AS n FROM bm.tags ORDER BY n DESC, label, value LIMIT 5',
    'SELECT dt, groupBitmapMerge(users) AS n FROM bm.daily GROUP BY dt HAVING n > 3 ORDER BY n, dt',
    'SELECT sum(n), count() FROM (SELECT value, groupBitmapMerge(users) AS n FROM bm.tags GROUP BY value HAVING n >= (SELECT avg(bitmapCardinality(users)) FROM bm.tags))',
    "SELECT bitmapCardinality(groupBitmapMergeState(users)) FROM bm.tags WHERE value IN (SELECT value FROM bm.tags WHERE bitmapCardinality(users) > 1) AND label != 'os'",
  ],
  'rows counted by slice': [
    'SELECT count() FROM bm.tags',
    'SELECT count(), sum(amount) FROM bm.ev WHERE amount > 100',
    'SELECT count() FROM (SELECT uid FROM bm.ev WHERE amount > 100 LIMIT 25)',
    'SELECT label, count(), sum(bitmapCardinality(users)) FROM bm.tags GROUP BY label ORDER BY label',
    'SELECT count(), countIf(n = 0) FROM (SELECT dt, event, groupBitmapMerge(users) AS n FROM bm.daily GROUP BY dt, event)',
    'SELECT count() FROM (SELECT arrayJoin(bitmapToArray(users)) FROM bm.tags)',
  ],
  'ranks and replacements by slice': [
    "SELECT bitmapToArray(bitmapSubsetLimit(users, toUInt64(1), toUInt64(10))) FROM bm.tags WHERE label = 'os' ORDER BY value",
    "SELECT bitmapCardinality(bitmapSubsetLimit(users, toUInt64(3), toUInt64(20))), bitmapCardinality(subBitmap(users, toUInt64(2), toUInt64(9))) FROM bm.tags WHERE label IN ('os', 'city') ORDER BY label, value",
    "SELECT bitmapToArray(subBitmap(users, toUInt64(5), toUInt64(10))) FROM bm.tags WHERE label = 'city' ORDER BY value",
    'SELECT bitmapAndCardinality(bitmapSubsetLimit(a.users, toUInt64(0), toUInt64(15)), b.users) FROM bm.seg AS a, bm.seg AS b ORDER BY a.seg_id, b.seg_id',
    'WITH (SELECT users FROM bm.seg WHERE seg_id = 8) AS s, arraySort(bitmapToArray(s)) AS ids SELECT bitmapCardinality(bitmapTransform(s, [ids[1], ids[2], ids[3]], [ids[4], toUInt64(77777777777), ids[1]])), bitmapToArray(bitmapAnd(bitmapTransform(s, [ids[1], ids[2], ids[3]], [ids[4], toUInt64(77777777777), ids[1]]), bitmapBuild([ids[1], ids[2], ids[3], ids[4], toUInt64(77777777777)])))',
    "SELECT bitmapMin(users), bitmapMax(users) FROM bm.tags WHERE label = 'age' ORDER BY value",
    'WITH (SELECT bitmapMax(users) FROM bm.seg WHERE seg_id = 8) AS last SELECT bitmapCardinality(bitmapSubsetInRange(users, toUInt64(0), last)) FROM bm.seg ORDER BY seg_id',
    "SELECT bitmapCardinality(bitmapSubsetInRange(users, toUInt64(0), toUInt64(4000000000000000000))) FROM bm.tags WHERE label = 'age' ORDER BY value",
    "SELECT bitmapToArray(users) FROM bm.tags WHERE label = 'os' ORDER BY value",
  ],
  'ids that nobody knows': [
    'SELECT bitmapOrCardinality(users, bitmapBuild([toUInt64(999999999999)])) FROM bm.seg ORDER BY seg_id',
    'SELECT bitmapXorCardinality(bitmapBuild([toUInt64(999999999999), 999999999998, 999999999997]), users), bitmapAndnotCardinality(bitmapBuild([toUInt64(999999999999), 1]), users) FROM bm.seg ORDER BY seg_id',
    'SELECT length(bitmapToArray(bitmapOr(users, bitmapBuild([toUInt64(18446744073709551615), 999999999999])))), bitmapMax(bitmapOr(users, bitmapBuild([toUInt64(18446744073709551615)]))) FROM bm.seg ORDER BY seg_id',
    'SELECT bitmapContains(users, toUInt64(999999999999)), bitmapContains(bitmapOr(users, bitmapBuild([toUInt64(999999999999)])), toUInt64(999999999999)) FROM bm.seg ORDER BY seg_id',
    'SELECT bitmapHasAny(bitmapOr(users, bitmapBuild([toUInt64(999999999999)])), bitmapBuild([toUInt64(999999999999)])), bitmapHasAll(users, bitmapBuild([toUInt64(999999999999)])) FROM bm.seg ORDER BY seg_id',
    'SELECT groupBitmapOr(u) FROM (SELECT users AS u FROM bm.seg UNION ALL SELECT bitmapBuild([toUInt64(999999999999), 999999999998]))',
  ],
  'rows whose slice is empty': [
    "SELECT groupBitmapAnd(users), groupBitmapOr(users), groupBitmapXor(users) FROM bm.tags WHERE label = 'age'",
    'SELECT groupBitmapAnd(users), groupBitmapOr(users), groupBitmapXor(users) FROM bm.tags',
    "SELECT groupBitmapAnd(users) FROM bm.tags WHERE label = 'city'",
    "SELECT groupBitmapAnd(u) FROM (SELECT dt, groupBitmapMergeState(users) AS u FROM bm.daily WHERE event = 'open' GROUP BY dt)",
    'SELECT label, groupBitmapAnd(users) FROM bm.tags GROUP BY label ORDER BY label',
    'SELECT count(), sum(uid) FROM bm.tags LEFT ARRAY JOIN bitmapToArray(users) AS uid',
    "SELECT value, uid FROM bm.tags LEFT ARRAY JOIN bitmapToArray(bitmapAndnot(users, users)) AS uid WHERE label = 'city' ORDER BY value, uid",
    "SELECT value, length(bitmapToArray(users)) AS n FROM bm.tags WHERE label = 'age' ORDER BY value",
    "SELECT bitmapHasAny(a.users, b.users), bitmapHasAll(a.users, b.users) FROM bm.tags AS a, bm.tags AS b WHERE a.label = 'city' AND b.label = 'os' ORDER BY a.value, b.value",
  ],
  'rows without a set': [
    "SELECT x.k, bitmapCardinality(t.users) FROM (SELECT arrayJoin(['bj', 'nowhere']) AS k) AS x LEFT JOIN (SELECT value, users FROM bm.tags WHERE label = 'city') AS t ON t.value = x.k ORDER BY x.k SETTINGS join_use_nulls = 1",
    "SELECT x.k, t.value, bitmapContains(t.users, toUInt64(3)), bitmapHasAll(t.users, t.users) FROM (SELECT arrayJoin(['bj', 'nowhere']) AS k) AS x LEFT JOIN (SELECT value, users FROM bm.tags WHERE label = 'city') AS t ON t.value = x.k ORDER BY x.k",
    "SELECT k, groupBitmapMerge(u), groupBitmapAnd(u), groupBitmapXor(u) FROM (SELECT x.k AS k, t.users AS u FROM (SELECT arrayJoin(['bj', 'nowhere', 'bj', 'sh']) AS k) AS x LEFT JOIN (SELECT value, users FROM bm.tags WHERE label = 'city') AS t ON t.value = x.k) GROUP BY k ORDER BY k",
    "SELECT bitmapCardinality(if(label = 'city', users, bitmapBuild(emptyArrayUInt64()))) FROM bm.tags WHERE label != 'age' ORDER BY label, value",
    "SELECT x.k, bitmapCardinality(t.users), bitmapCardinality(bitmapOr(t.users, s.users)) FROM (SELECT arrayJoin(['bj', 'sh', 'nowhere']) AS k) AS x LEFT JOIN (SELECT value, users FROM bm.tags WHERE label = 'city') AS t ON t.value = x.k CROSS JOIN (SELECT users FROM bm.seg WHERE seg_id = 7) AS s ORDER BY x.k",
    "SELECT x.k, bitmapToArray(bitmapSubsetLimit(t.users, toUInt64(0), toUInt64(2))) FROM (SELECT arrayJoin(['bj', 'nowhere', 'sh']) AS k) AS x LEFT JOIN (SELECT value, users FROM bm.tags WHERE label = 'city') AS t ON t.value = x.k ORDER BY x.k",
    "SELECT label, groupBitmapMergeIf(users, value = 'bj'), groupBitmapAndIf(users, value = 'bj') FROM bm.tags GROUP BY label ORDER BY label",
  ],
  'grouped by a function of the id': [
    'SELECT uid % 50 AS k, count(), uniqExact(uid) FROM bm.ev GROUP BY k ORDER BY k',
    'SELECT count(), sum(n) FROM (SELECT intDiv(uid, 3) AS k, uniqExact(uid) AS n FROM bm.ev GROUP BY k)',
    'SELECT k, groupBitmap(uid), bitmapAndCardinality(groupBitmapState(uid), (SELECT users FROM bm.seg WHERE seg_id = 8)) FROM (SELECT uid, uid % 7 AS k FROM bm.ev) GROUP BY k ORDER BY k',
    "SELECT uid % 5 AS k, count() FROM (SELECT arrayJoin(bitmapToArray(users)) AS uid FROM bm.tags WHERE label = 'age') GROUP BY k ORDER BY k",
  ],
  'distinct sets by slice': [
    'SELECT count() FROM (SELECT DISTINCT hex(users) FROM bm.tags)',
    'SELECT uniqExact(bitmapToArray(users)), uniqExact(bitmapCardinality(users)) FROM bm.tags',
  ],
  'scalar subqueries without rows': [
    'SELECT bitmapCardinality((SELECT users FROM bm.seg WHERE seg_id = 999))',
    'SELECT bitmapCardinality((SELECT groupBitmapMergeState(users) FROM bm.seg WHERE seg_id = 999)), bitmapOrCardinality((SELECT groupBitmapMergeState(users) FROM bm.seg WHERE seg_id = 999), (SELECT users FROM bm.seg WHERE seg_id = 7))',
    'SELECT (SELECT bitmapCardinality(users) FROM bm.seg WHERE seg_id = 999), (SELECT groupBitmapMerge(users) FROM bm.seg WHERE seg_id = 999)',
  ],
  'floats in order of arrival': [
    'SELECT event, avg(amount / 7), sum(amount / 3), sum(amount) / uniqExact(uid) FROM bm.ev GROUP BY event ORDER BY event',
    'SELECT avg(bitmapCardinality(users) / 3), sum(1 / (1 + bitmapCardinality(users))) FROM bm.tags',
    'SELECT value, bitmapCardinality(users) / (SELECT groupBitmapMerge(users) FROM bm.tags) AS share FROM bm.tags ORDER BY label, value',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Answers that the order of rows decides: rows come in the order of the scan, whoever read them.
 * ClickHouse promises no order here.
 */
export const orderQueries: readonly string[] = [
  'SELECT uid, amount FROM bm.ev WHERE amount > 500 LIMIT 7',
  "SELECT groupArray(amount), any(uid), anyLast(uid) FROM bm.ev WHERE event = 'view'",
  'SELECT city, any(uid), argMax(uid, os) FROM bm.ev GROUP BY city ORDER BY city',
  'SELECT uid FROM bm.ev LIMIT 1 BY city',
];

/** Sets of String ids, which ClickHouse has not: bm.named holds bm.ev's ids as texts, by city. */
export const stringSets: {
  readonly setUp: readonly string[];
  readonly queries: readonly string[];
} = {
  setUp: [
    'CREATE TABLE bm.named (city String, users AggregateFunction(groupBitmap, String)) ENGINE = AggregatingMergeTree ORDER BY city',
    "INSERT INTO bm.named SELECT city, groupBitmapState(concat('u', toString(uid))) FROM bm.ev GROUP BY city",
    "INSERT INTO bm.named SELECT city, groupBitmapState(concat('v', toString(uid % 9))) FROM bm.ev GROUP BY city",
  ],
  queries: [
    'SELECT city, bitmapCardinality(users), bitmapToArray(users) FROM bm.named ORDER BY city',
    'SELECT groupBitmapMerge(users), groupBitmapAnd(users), groupBitmapXor(users) FROM bm.named',
    "SELECT city, bitmapContains(users, 'u3'), bitmapContains(users, 'v3'), bitmapContains(users, 'nobody') FROM bm.named ORDER BY city",
    "SELECT bitmapOrCardinality(users, bitmapBuild(['nobody', 'v1', ''])), bitmapXorCardinality(bitmapBuild(['v1', 'nobody']), users) FROM bm.named ORDER BY city",
    'SELECT bitmapAndCardinality(a.users, b.users), bitmapHasAny(a.users, b.users) FROM bm.named AS a, bm.named AS b ORDER BY a.city, b.city',
    'SELECT id, count() FROM (SELECT arrayJoin(bitmapToArray(users)) AS id FROM bm.named) GROUP BY id ORDER BY id',
    "SELECT city, uniqExact(uid) FROM bm.ev WHERE bitmapContains((SELECT groupBitmapMergeState(users) FROM bm.named WHERE city != 'bj'), concat('u', toString(uid))) GROUP BY city ORDER BY city",
  ],
};

/** Refused so far (48), in every layout; ClickHouse answers them. */
export const refusedQueries: readonly string[] = [
  'SELECT DISTINCT users FROM bm.tags',
  'SELECT count() FROM (SELECT users FROM bm.tags GROUP BY users)',
  'SELECT uniqExact(users) FROM bm.tags',
  'SELECT count() FROM bm.tags WHERE users IN (SELECT users FROM bm.seg)',
  'SELECT label, groupBitmapMerge(users) AS n FROM bm.tags GROUP BY label WITH TOTALS HAVING n > 100',
  'SELECT dt, max(groupBitmapMerge(users)) OVER (ORDER BY dt) FROM bm.daily GROUP BY dt',
];

export type Mistake = keyof typeof mistakeQueries | 'decided in order of arrival';
