// Sets of UUIDs, which ClickHouse has not: bm.keyed holds bm.ev's ids as UUIDs, by city. What they hold
// is also asked of rows.

const uuidOf = (id: string) =>
  `toUUID(hex(substring(concat(toString(${id}), 'abcdefghijklmnop'), 1, 16)))`;

export const uuidSetUp: readonly string[] = [
  'CREATE TABLE bm.keyed (city String, first UUID, users AggregateFunction(groupBitmap, UUID)) ENGINE = AggregatingMergeTree ORDER BY city',
  `INSERT INTO bm.keyed SELECT city, any(${uuidOf('city')}), groupBitmapState(${uuidOf('uid')}) FROM bm.ev GROUP BY city`,
  `INSERT INTO bm.keyed SELECT city, any(${uuidOf('city')}), groupBitmapState(${uuidOf("concat('v', toString(uid % 9))")}) FROM bm.ev GROUP BY city`,
];

export const uuidQueries: readonly string[] = [
  'SELECT city, first, bitmapCardinality(users), bitmapToArray(users) FROM bm.keyed ORDER BY first',
  'SELECT groupBitmapMerge(users), groupBitmapAnd(users), groupBitmapXor(users) FROM bm.keyed',
  `SELECT city, bitmapContains(users, ${uuidOf("'3'")}), bitmapContains(users, ${uuidOf("'v3'")}), bitmapContains(users, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')) FROM bm.keyed ORDER BY city`,
  `SELECT bitmapOrCardinality(users, bitmapBuild([${uuidOf("'v1'")}, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')])) FROM bm.keyed ORDER BY city`,
  'SELECT bitmapAndCardinality(a.users, b.users), bitmapHasAny(a.users, b.users) FROM bm.keyed AS a, bm.keyed AS b ORDER BY a.city, b.city',
  'SELECT id, count() FROM (SELECT arrayJoin(bitmapToArray(users)) AS id FROM bm.keyed) GROUP BY id ORDER BY id',
  'SELECT city, hex(users) FROM bm.keyed ORDER BY city',
  `SELECT city, uniqExact(uid), uniqExact(${uuidOf('uid')}) FROM bm.ev WHERE bitmapContains((SELECT groupBitmapMergeState(users) FROM bm.keyed WHERE city != 'bj'), ${uuidOf('uid')}) GROUP BY city ORDER BY city`,
];

/** Pairs of questions, over sets and over rows, that must be answered alike. */
export const uuidTwins: readonly (readonly [string, string])[] = [
  [
    'SELECT groupBitmapMerge(users) FROM bm.keyed',
    `SELECT uniqExact(x) FROM (SELECT arrayJoin([${uuidOf('uid')}, ${uuidOf("concat('v', toString(uid % 9))")}]) AS x FROM bm.ev)`,
  ],
  [
    'SELECT city, toString(bitmapToArray(users)) FROM bm.keyed ORDER BY city',
    `SELECT city, toString(arraySort(groupUniqArray(x))) FROM (SELECT city, arrayJoin([${uuidOf('uid')}, ${uuidOf("concat('v', toString(uid % 9))")}]) AS x FROM bm.ev) GROUP BY city ORDER BY city`,
  ],
];
