// Tables grouped by columns: every question is asked of bm.cells and bm.steps, whose rows lie whole in
// one group, and of their twins bm.cells_by_id and bm.steps_by_id with the same rows grouped by id. All
// answers must be alike. ClickHouse knows no difference.

const cells = (name: string, settings: string) => [
  `CREATE TABLE bm.${name} (exp UInt16, arm LowCardinality(String), day Date, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (exp, arm, day)${settings}`,
  `INSERT INTO bm.${name} SELECT uid % 11, city, toDate(ts), groupBitmapState(uid) FROM bm.ev GROUP BY uid % 11, city, toDate(ts)`,
  `INSERT INTO bm.${name} SELECT uid % 5, city, toDate(ts), groupBitmapState(toUInt64(uid + 3)) FROM bm.ev GROUP BY uid % 5, city, toDate(ts)`,
  `INSERT INTO bm.${name} SELECT 77, 'empty', toDate('2026-01-05'), bitmapBuild(emptyArrayUInt64())`,
];

const steps = (name: string, settings: string) => [
  `CREATE TABLE bm.${name} (k UInt32, note Nullable(String), amount Float64, users AggregateFunction(groupBitmap, UInt64), names AggregateFunction(groupBitmap, String)) ENGINE = MergeTree ORDER BY k${settings}`,
  `INSERT INTO bm.${name} SELECT uid % 17, if(uid % 3 = 0, NULL, city), amount, bitmapBuild([uid, toUInt64(uid % 7)]), bitmapBuild([CAST(city AS String), CAST(event AS String)]) FROM bm.ev`,
];

/** The events of bm.ev, lying with their ids. */
export const idColumnSetUp: readonly string[] = [
  "CREATE TABLE bm.ev_by_uid (uid UInt64, ts DateTime, event LowCardinality(String), city LowCardinality(String), os LowCardinality(String), amount UInt32) ENGINE = MergeTree ORDER BY (event, ts) SETTINGS muster_id_column = 'uid'",
  'INSERT INTO bm.ev_by_uid SELECT * FROM bm.ev WHERE amount % 2 = 0',
  'INSERT INTO bm.ev_by_uid SELECT * FROM bm.ev WHERE amount % 2 != 0',
];

export const placedSetUp: readonly string[] = [
  ...cells('cells', " SETTINGS muster_group_by = 'exp, arm'"),
  ...cells('cells_by_id', ''),
  ...steps('steps', " SETTINGS muster_group_by = 'note'"),
  ...steps('steps_by_id', ''),
];

const keysRaggedQueries = [
  'SELECT exp, arm, groupBitmapMerge(users) AS n, bitmapToArray(groupBitmapMergeState(users)) FROM bm.cells WHERE exp = 3 GROUP BY exp, arm ORDER BY exp, arm',
  'SELECT exp, arm, groupBitmapMerge(users) AS n FROM bm.cells WHERE exp = 3 AND day > toDate(99999) GROUP BY exp, arm ORDER BY exp, arm',
  'SELECT exp, arm, groupBitmapMerge(users) AS n FROM bm.cells GROUP BY exp, arm ORDER BY exp, arm',
  'SELECT count() FROM (SELECT exp, arm, groupBitmapMerge(users) AS n FROM bm.cells GROUP BY exp, arm HAVING n > 2)',
  'SELECT exp, groupBitmapMerge(users), groupBitmapAnd(users), groupBitmapXor(users) FROM bm.cells GROUP BY exp ORDER BY exp',
  'SELECT arm, groupBitmapMergeIf(users, exp > 3), groupBitmapAndIf(users, exp > 3) FROM bm.cells GROUP BY arm ORDER BY arm',
  'SELECT exp % 3 AS e, arm, groupBitmapMerge(users), count() FROM bm.cells GROUP BY e, arm ORDER BY e, arm',
  'SELECT exp, upper(arm) AS a, groupBitmapMerge(users), count() FROM bm.cells GROUP BY exp, a ORDER BY exp, a',
  'SELECT note, count(), groupBitmapMerge(users) FROM bm.steps GROUP BY note ORDER BY note',
  'SELECT a.exp, a.arm, bitmapAndCardinality(a.u, b.u) FROM (SELECT exp, arm, groupBitmapMergeState(users) AS u FROM bm.cells GROUP BY exp, arm) AS a INNER JOIN (SELECT exp, arm, groupBitmapMergeState(users) AS u FROM bm.cells WHERE day > toDate(20456) GROUP BY exp, arm) AS b ON a.exp = b.exp AND a.arm = b.arm ORDER BY a.exp, a.arm',
];

const rowsQueries = [
  'SELECT count(), sum(bitmapCardinality(users)), min(bitmapCardinality(users)), max(bitmapCardinality(users)) FROM bm.cells',
  'SELECT count() FROM bm.cells WHERE bitmapCardinality(users) > 1',
  'SELECT count(), sum(amount), avg(amount), countIf(amount > 100), minIf(amount, amount > 1e9) FROM bm.steps',
  'SELECT count(), sum(amount), min(amount), groupBitmapAnd(users), groupBitmapMerge(users) FROM bm.steps WHERE k > 1000',
  'SELECT k, count(), sum(amount), sumIf(amount, note IS NULL), min(note), max(amount) FROM bm.steps GROUP BY k ORDER BY k',
  'SELECT sum(exp), groupBitmap(exp), uniqExact(arm) FROM bm.cells',
  'SELECT day, groupBitmap(exp), bitmapCardinality(groupBitmapState(toUInt64(exp))) FROM bm.cells GROUP BY day ORDER BY day',
];

const setQueries = [
  'SELECT exp, arm, day, bitmapCardinality(users), bitmapToArray(users) FROM bm.cells ORDER BY exp, arm, day',
  'SELECT exp, arm, day FROM bm.cells WHERE bitmapContains(users, toUInt64(3)) ORDER BY exp, arm, day',
  'SELECT exp, arm, day, bitmapMin(users), bitmapMax(users) FROM bm.cells WHERE exp < 4 ORDER BY exp, arm, day',
  'SELECT exp, arm, bitmapOrCardinality(groupBitmapMergeState(users), bitmapBuild([toUInt64(3), 999999999999])) FROM bm.cells GROUP BY exp, arm ORDER BY exp, arm',
  'SELECT exp, day, bitmapToArray(bitmapSubsetLimit(users, toUInt64(2), toUInt64(3))), bitmapToArray(subBitmap(users, toUInt64(1), toUInt64(2))) FROM bm.cells ORDER BY exp, arm, day',
  'SELECT bitmapCardinality(bitmapSubsetInRange(users, toUInt64(2), toUInt64(4000000000))) FROM bm.cells ORDER BY exp, arm, day',
  'SELECT bitmapToArray(bitmapTransform(users, [toUInt64(3), 4], [toUInt64(5), 999])) FROM bm.cells ORDER BY exp, arm, day',
  'SELECT hex(users) FROM bm.cells WHERE exp = 2 ORDER BY exp, arm, day',
  'SELECT k, bitmapCardinality(users), bitmapCardinality(names), bitmapContains(names, note), bitmapHasAny(names, bitmapBuild([assumeNotNull(note)])) FROM bm.steps ORDER BY k, amount, note',
  'SELECT bitmapCardinality(bitmapAnd(bitmapBuild([toUInt64(1), 2]), bitmapBuild([toUInt64(2), toUInt64(k)]))) AS n, count() FROM bm.steps GROUP BY n ORDER BY n',
  'SELECT uid, count(), max(exp) FROM (SELECT exp, arrayJoin(bitmapToArray(users)) AS uid FROM bm.cells) GROUP BY uid ORDER BY uid',
  'SELECT exp, uid FROM bm.cells LEFT ARRAY JOIN bitmapToArray(users) AS uid ORDER BY exp, uid',
  'SELECT note, groupBitmapMerge(users), groupBitmapMerge(names), any(bitmapCardinality(names)) >= 0 FROM bm.steps GROUP BY note ORDER BY note',
];

const mixedQueries = [
  'SELECT c.exp, c.arm, bitmapAndCardinality(c.u, s.users) FROM (SELECT exp, arm, groupBitmapMergeState(users) AS u FROM bm.cells GROUP BY exp, arm) AS c CROSS JOIN (SELECT users FROM bm.seg WHERE seg_id = 8) AS s ORDER BY c.exp, c.arm',
  'SELECT exp, arm, bitmapAndCardinality(users, (SELECT users FROM bm.seg WHERE seg_id = 8)) FROM bm.cells ORDER BY exp, arm, day',
  'SELECT count() FROM bm.cells WHERE bitmapCardinality(users) > (SELECT avg(bitmapCardinality(users)) FROM bm.cells)',
  'SELECT city, uniqExact(uid) FROM bm.ev WHERE bitmapContains((SELECT groupBitmapMergeState(users) FROM bm.cells WHERE exp = 2), uid) GROUP BY city ORDER BY city',
  'SELECT count() FROM bm.ev WHERE uid IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.cells WHERE exp = 3)',
  'SELECT exp, arm FROM bm.cells WHERE exp IN (SELECT toUInt16(seg_id) FROM bm.seg) GROUP BY exp, arm ORDER BY exp, arm',
  'SELECT groupBitmapMerge(u) FROM (SELECT users AS u FROM bm.cells UNION ALL SELECT users FROM bm.seg)',
  'SELECT exp, arm, n FROM (SELECT exp, arm, groupBitmapMerge(users) AS n FROM bm.cells GROUP BY exp, arm) ORDER BY n DESC, exp, arm LIMIT 3',
];

export const placedQueries = {
  'detail ids counted by slice': [
    'SELECT event, uniqExact(uid), count() FROM bm.ev_by_uid GROUP BY event ORDER BY event',
    "SELECT uniqExactIf(uid, event = 'pay'), uniqExact(uid) FROM bm.ev_by_uid",
    'SELECT count(), max(n) FROM (SELECT uid, count() AS n FROM bm.ev_by_uid GROUP BY uid)',
  ],
  'keys ragged between slices': [
    ...keysRaggedQueries,
    'SELECT a.k, bitmapAndCardinality(a.u, b.u) FROM (SELECT toDate(ts) AS k, groupBitmapState(uid) AS u FROM bm.ev_by_uid GROUP BY k) AS a INNER JOIN (SELECT dt AS k, groupBitmapMergeState(users) AS u FROM bm.daily GROUP BY k) AS b ON a.k = b.k ORDER BY a.k',
    'SELECT a.k, b.k, bitmapAndCardinality(a.u, b.u) FROM (SELECT toDate(ts) AS k, groupBitmapState(uid) AS u FROM bm.ev_by_uid GROUP BY k) AS a CROSS JOIN (SELECT toDate(ts) AS k, groupBitmapStateIf(uid, amount > 100) AS u FROM bm.ev_by_uid GROUP BY k) AS b ORDER BY a.k, b.k',
  ],
  'a set joined to rows sees its own slice': [
    'SELECT event, count() FROM bm.ev_by_uid WHERE bitmapContains((SELECT users FROM bm.seg WHERE seg_id = 8), uid) GROUP BY event ORDER BY event',
    'SELECT event, countIf(uid IN (1, 2)), groupBitmap(uid) FROM bm.ev_by_uid WHERE uid IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.seg) GROUP BY event ORDER BY event',
  ],
  'rows counted by slice': rowsQueries,
} as const;

export const otherPlacedQueries: readonly string[] = [...setQueries, ...mixedQueries];

export const allPlacedQueries: readonly string[] = [
  ...keysRaggedQueries,
  ...rowsQueries,
  ...otherPlacedQueries,
];

const ofSegment = '(SELECT users FROM bm.seg WHERE seg_id = 8)';

/** Sets of rows' own ids, and rows' own ids in sets. */
const ownIdQueries: readonly string[] = [
  'SELECT event, groupBitmap(uid), groupBitmapIf(uid, amount > 100), count(), max(amount) FROM bm.ev GROUP BY event ORDER BY event',
  'SELECT groupBitmap(uid) FROM bm.ev WHERE amount > 1e9',
  'SELECT event, groupBitmap(uid) FROM bm.ev WHERE uid = 5 GROUP BY event ORDER BY event',
  'SELECT event, bitmapToArray(groupBitmapState(uid)) FROM bm.ev WHERE uid IN (5, 6) GROUP BY event ORDER BY event',
  'SELECT event, groupBitmap(uid) FROM bm.ev WHERE 0 GROUP BY event',
  'SELECT toDate(ts) AS day, city, groupBitmap(uid) AS n FROM bm.ev GROUP BY day, city HAVING n > 2 ORDER BY n DESC, day, city LIMIT 7',
  'SELECT n, groupBitmap(uid) FROM (SELECT uid, count() AS n FROM bm.ev GROUP BY uid) GROUP BY n ORDER BY n',
  'SELECT uid, groupBitmap(uid), count() FROM bm.ev GROUP BY uid ORDER BY uid LIMIT 5',
  "SELECT bitmapAndCardinality(groupBitmapStateIf(uid, event = 'open'), groupBitmapStateIf(uid, event = 'pay')), bitmapAndnotCardinality(groupBitmapState(uid), bitmapBuild([toUInt64(1), 2, 999999999999])) FROM bm.ev",
  'SELECT city, bitmapContains(groupBitmapState(uid), toUInt64(3)), bitmapHasAny(groupBitmapState(uid), bitmapBuild([toUInt64(5), 6])) FROM bm.ev GROUP BY city ORDER BY city',
  'SELECT city, avg(amount), groupBitmap(uid) FROM bm.ev GROUP BY city ORDER BY city',
  'SELECT city, groupBitmap(uid), groupBitmap(amount) FROM bm.ev GROUP BY city ORDER BY city',
  'SELECT city, bitmapToArray(groupBitmapState(uid)), min(ts) FROM bm.ev GROUP BY city ORDER BY city',
  'SELECT city, bitmapMin(groupBitmapState(uid)), bitmapMax(groupBitmapState(uid)), bitmapToArray(bitmapSubsetLimit(groupBitmapState(uid), toUInt64(2), toUInt64(3))) FROM bm.ev GROUP BY city ORDER BY city',
  'SELECT city, hex(groupBitmapState(uid)) FROM bm.ev WHERE amount < 40 GROUP BY city ORDER BY city',
  'SELECT groupBitmapMerge(u), groupBitmapAnd(u), max(n) FROM (SELECT city, groupBitmapState(uid) AS u, count() AS n FROM bm.ev GROUP BY city)',
  'SELECT groupBitmapMerge(u) FROM (SELECT groupBitmapState(uid) AS u FROM bm.ev WHERE amount > 50 UNION ALL SELECT users FROM bm.seg)',
  'WITH (SELECT groupBitmapState(uid) FROM bm.ev WHERE amount > 1e9) AS none SELECT bitmapCardinality(none), bitmapToArray(none)',
  `WITH ${ofSegment} AS s SELECT city, bitmapAndCardinality(s, groupBitmapState(uid)), bitmapAndnotCardinality(s, groupBitmapState(uid)) FROM bm.ev GROUP BY city ORDER BY city`,
  `WITH ${ofSegment} AS s SELECT city, countIf(bitmapContains(s, uid)), groupBitmapIf(uid, bitmapContains(s, uid)), count() FROM bm.ev GROUP BY city ORDER BY city`,
  `WITH ${ofSegment} AS s SELECT uid, event, amount FROM bm.ev WHERE bitmapContains(s, uid) AND amount > 30 ORDER BY uid, event, amount, ts`,
  `WITH ${ofSegment} AS s SELECT uid, count(), max(amount) FROM bm.ev WHERE NOT bitmapContains(bitmapOr(s, bitmapBuild([toUInt64(1), 2])), uid) GROUP BY uid ORDER BY uid`,
  `WITH ${ofSegment} AS s SELECT city, sum(n) FROM (SELECT uid, city, count() AS n FROM bm.ev WHERE bitmapContains(s, uid) GROUP BY uid, city) WHERE bitmapContains(s, uid) GROUP BY city ORDER BY city`,
  'WITH (SELECT groupBitmapState(uid) FROM bm.ev WHERE amount > 200) AS rich SELECT event, countIf(bitmapContains(rich, uid)), bitmapAndCardinality(rich, groupBitmapState(uid)) FROM bm.ev GROUP BY event ORDER BY event',
  'SELECT count(), sum(amount) FROM bm.ev WHERE uid IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.seg WHERE seg_id = 8)',
  'SELECT city, groupBitmap(uid) FROM bm.ev WHERE uid NOT IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.seg) OR amount < 20 GROUP BY city ORDER BY city',
  'SELECT count() FROM bm.ev WHERE uid IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.seg WHERE seg_id = 12345)',
  'SELECT count() FROM bm.ev WHERE uid IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.seg) AND bitmapContains((SELECT groupBitmapMergeState(users) FROM bm.daily), uid)',
  'SELECT count() FROM bm.ev WHERE uid IN (SELECT arrayJoin(bitmapToArray(users)) FROM bm.cells WHERE exp = 3)',
  'SELECT city, bitmapAndCardinality(u, users) FROM (SELECT city, groupBitmapState(uid) AS u FROM bm.ev GROUP BY city) AS e CROSS JOIN (SELECT exp, users FROM bm.cells WHERE exp = 2) AS c ORDER BY city, exp, bitmapCardinality(users), 2',
];

/** What is only asked of rows that may lie with their ids. */
export const idColumnQueries: readonly string[] = [
  ...ownIdQueries,
  'SELECT uid, count(), sum(amount), uniqExact(event) FROM bm.ev GROUP BY uid ORDER BY uid',
  'SELECT count(), max(n) FROM (SELECT uid, count() AS n FROM bm.ev GROUP BY uid HAVING n > 1)',
  'SELECT uid, event, any(os) IS NOT NULL, uniqExact(city) FROM bm.ev WHERE amount > 100 GROUP BY event, uid ORDER BY uid, event',
  'SELECT event, uniqExact(uid), count(), sum(amount) FROM bm.ev GROUP BY event ORDER BY event',
  "SELECT uniqExactIf(uid, event = 'pay'), count() FROM bm.ev",
  'SELECT uniqExact(u), count() FROM (SELECT uid AS u FROM bm.ev WHERE amount > 50)',
  'SELECT uniqExact(u), count() FROM (SELECT uid % 10 AS u FROM bm.ev WHERE amount > 50)',
  'SELECT u, count() FROM (SELECT uid % 10 AS u FROM bm.ev) GROUP BY u ORDER BY u',
  'SELECT n, count() FROM (SELECT uid, uniqExact(event) AS n FROM bm.ev GROUP BY uid) GROUP BY n ORDER BY n',
  'SELECT uid, groupBitmap(amount), bitmapToArray(groupBitmapState(amount)) FROM bm.ev GROUP BY uid ORDER BY uid LIMIT 5',
];

/** The same question of the events that lie with their ids. */
export function ofEventsById(sql: string): string {
  return sql.replace(/\bbm\.ev\b/g, 'bm.ev_by_uid');
}

/** The same question of the tables that are grouped by id. */
export function ofTwin(sql: string): string {
  return sql.replace(/bm\.(cells|steps)\b/g, 'bm.$1_by_id');
}
