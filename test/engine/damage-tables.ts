// Tables for the damage test: one for each shape of stripes, rows without sets, string ids; each of a
// dictionary of its own and filled by one insert. With each go the questions that read all of it.

const bitmap = 'AggregateFunction(groupBitmap, UInt64)';
/** One table for each shape of stripes, all of their own dictionaries; every insert is one object. */
export const tables = {
  unsplit: {
    create: `CREATE TABLE unsplit (k UInt8, name Nullable(String), u ${bitmap}) ENGINE = AggregatingMergeTree ORDER BY k SETTINGS muster_dictionary = 'a', muster_groups = 2`,
    insert:
      "INSERT INTO unsplit SELECT number % 5 AS k, if(k = 3, NULL, concat('n', toString(k))), groupBitmapState(toUInt64(intHash32(number))) FROM numbers(60) GROUP BY k",
    questions: [
      'SELECT k, name, bitmapCardinality(u) FROM unsplit ORDER BY k',
      'SELECT bitmapToArray(groupBitmapMergeState(u)) FROM unsplit',
      'SELECT bitmapContains(u, toUInt64(intHash32(7))), bitmapOrCardinality(u, bitmapBuild([toUInt64(5)])) FROM unsplit ORDER BY k',
    ],
  },
  batches: {
    create: `CREATE TABLE batches (k UInt16, day Date, u ${bitmap}) ENGINE = AggregatingMergeTree ORDER BY k SETTINGS muster_dictionary = 'b', muster_groups = 2`,
    insert:
      'INSERT INTO batches SELECT if(number < 9000, number % 2, number % 40) AS k, toDate(20000 + k), groupBitmapState(number * 3) FROM numbers(12000) GROUP BY k',
    questions: [
      'SELECT k, day, bitmapCardinality(u) FROM batches ORDER BY k',
      'SELECT groupBitmapMerge(u), groupBitmapAnd(u), groupBitmapXor(u) FROM batches WHERE k < 2',
      'SELECT bitmapToArray(u) FROM batches WHERE k = 39',
      'SELECT bitmapMin(u), bitmapContains(u, toUInt64(30)), bitmapContains(u, toUInt64(31)) FROM batches WHERE k < 3 ORDER BY k',
    ],
  },
  objects: {
    create: `CREATE TABLE objects (k UInt8, text String, u ${bitmap}) ENGINE = MergeTree ORDER BY k SETTINGS muster_dictionary = 'c', muster_groups = 16`,
    insert:
      'INSERT INTO objects SELECT number % 6 AS k, repeat(toString(k), 100000), groupBitmapState(number) FROM numbers(60000) WHERE k < 3 OR number < 300 GROUP BY k',
    questions: [
      'SELECT k, length(text), substring(text, 99999), bitmapCardinality(u) FROM objects ORDER BY k',
      'SELECT groupBitmapMerge(u) FROM objects WHERE k IN (0, 1, 5)',
      'SELECT bitmapToArray(u) FROM objects WHERE k = 4',
    ],
  },
  /** Of a dictionary that is looked up in place, not read whole. */
  lookups: {
    create: `CREATE TABLE lookups (k UInt8, u ${bitmap}) ENGINE = AggregatingMergeTree ORDER BY k SETTINGS muster_dictionary = 'e', muster_groups = 1`,
    insert:
      'INSERT INTO lookups SELECT number % 10000 = 7 AS k, groupBitmapState(number * 5) FROM numbers(70000) GROUP BY k',
    questions: [
      'SELECT bitmapContains(u, toUInt64(60005)), bitmapContains(u, toUInt64(35)), bitmapContains(u, toUInt64(3)) FROM lookups ORDER BY k',
      'SELECT bitmapToArray(u) FROM lookups WHERE k = 1',
    ],
  },
  rows: {
    create:
      'CREATE TABLE rows (id UInt64, city LowCardinality(String), tags Array(String), x Nullable(Float64)) ENGINE = MergeTree ORDER BY (city, id)',
    insert:
      "INSERT INTO rows SELECT number, ['bj', 'sh', 'sz'][1 + number % 3], tags, x FROM (SELECT number, [toString(number), 'x'] AS tags, if(number % 7 = 0, NULL, number / 4) AS x FROM numbers(50))",
    questions: [
      'SELECT city, count(), uniqExact(id), sum(x) FROM rows GROUP BY city ORDER BY city',
      "SELECT id, tags FROM rows WHERE city = 'sh' AND x > 3 ORDER BY id LIMIT 4",
    ],
  },
  strings: {
    create:
      "CREATE TABLE strings (k UInt8, u AggregateFunction(groupBitmap, String)) ENGINE = AggregatingMergeTree ORDER BY k SETTINGS muster_dictionary = 'd', muster_groups = 2",
    insert:
      "INSERT INTO strings SELECT number % 3 AS k, groupBitmapState(concat('id', toString(number))) FROM numbers(40) GROUP BY k",
    questions: [
      "SELECT bitmapToArray(u), bitmapContains(u, 'id5'), bitmapContains(u, 'nobody') FROM strings ORDER BY k",
    ],
  },
} as const;

export type TableName = keyof typeof tables;
