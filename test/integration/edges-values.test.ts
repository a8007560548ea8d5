// Edges of values and tables, side by side with ClickHouse: every column type there and back, what
// is left out of an INSERT, replacing and partitions, names that are used again.

import { afterAll, beforeAll, describe, it } from 'vitest';
import { SideBySide } from './side-by-side.ts';

let both: SideBySide;
beforeAll(async () => {
  both = await SideBySide.start();
  await both.same('CREATE DATABASE e');
});
afterAll(() => both.stop());

describe('column types', () => {
  it('every type keeps its extreme values, in every format', async () => {
    await both.same(
      `CREATE TABLE e.types (k UInt32, a8 Int8, a16 Int16, a32 Int32, a64 Int64, u8 UInt8,
       u16 UInt16, u32 UInt32, u64 UInt64, f32 Float32, f64 Float64, b Bool, s String,
       ls LowCardinality(String), ns Nullable(String), nu Nullable(UInt64), d Date, dt DateTime,
       dtz DateTime('Asia/Tokyo'), d64 DateTime64(3), d64z DateTime64(6, 'America/New_York'),
       e Enum8('x' = -128, 'y' = 1, 'z''q' = 127), ar Array(UInt64), sa Array(String),
       an Array(Nullable(Int8)), aa Array(Array(DateTime)), ad Array(Date),
       lnc LowCardinality(Nullable(String)), nd Nullable(Date), ne Nullable(Enum8('a' = 1)),
       nb Nullable(Bool), ad64 Array(DateTime64(3, 'UTC'))) ENGINE = MergeTree ORDER BY k`,
    );
    await both.all([
      `INSERT INTO e.types VALUES (1, -128, -32768, -2147483648, -9223372036854775808, 255, 65535,
       4294967295, 18446744073709551615, 1.5, -0.1, true, 'é x', 'low', NULL, NULL, '2149-06-06',
       '2106-02-07 06:28:15', '2024-06-01 00:00:00', '2024-06-01 00:00:00.123',
       '2024-06-01 00:00:00.123456', 'x', [0, 18446744073709551615], ['a', '', 'é'],
       [1, NULL, -128], [[], ['1970-01-01 00:00:00']], ['1970-01-01'], NULL, NULL, NULL, NULL,
       ['1969-12-31 23:59:59.999'])`,
      `INSERT INTO e.types VALUES (2, 127, 32767, 2147483647, 9223372036854775807, 0, 0, 0, 0,
       3.4e38, 1.7976931348623157e308, false, '', '', '', 18446744073709551615, '1970-01-01',
       '1970-01-01 00:00:00', '1970-01-01 09:00:00', '1969-12-31 23:59:59.999',
       '1970-01-01 00:00:00', 'z''q', [], [], [], [], [], 'x', '2024-02-29', 'a', true, [])`,
      'INSERT INTO e.types (k) VALUES (3)',
      'INSERT INTO e.types (k, f32, f64) VALUES (4, nan, inf), (5, -inf, -0.0), (6, 1e-45, 5e-324), (7, 0.1, 0.30000000000000004)',
      'INSERT INTO e.types (k) SELECT 8',
    ]);
    for (const format of [
      'TabSeparated',
      'TSVWithNamesAndTypes',
      'CSVWithNames',
      'JSONEachRow',
      'JSONCompactEachRow',
    ]) {
      await both.same(`SELECT * FROM e.types ORDER BY k FORMAT ${format}`);
    }
  });

  it('their extreme values are found again by WHERE', async () => {
    await both.all([
      "SELECT k FROM e.types WHERE e = 'x' ORDER BY k",
      'SELECT k, e, toInt8(e) FROM e.types ORDER BY e, k',
      'SELECT k FROM e.types WHERE u64 = 18446744073709551615',
      'SELECT k FROM e.types WHERE a64 < 0',
      'SELECT k FROM e.types WHERE ns IS NULL ORDER BY k',
      "SELECT k FROM e.types WHERE d64 < '1970-01-01 00:00:00'",
      "SELECT k FROM e.types WHERE dt = '2106-02-07 06:28:15'",
      'SELECT min(a64), max(a64), min(u64), max(u64), min(d64), max(dt), min(d) FROM e.types',
      'SELECT a64, u64, count() FROM e.types GROUP BY a64, u64 ORDER BY a64, u64',
    ]);
  });

  it('what does not fit is refused whole', async () => {
    await both.all([
      "INSERT INTO e.types (k, e) VALUES (9, 'x'), (9, 'nope')",
      'INSERT INTO e.types (k, nope) VALUES (9, 1)',
      'INSERT INTO e.types (k, k) VALUES (9, 1)',
      'SELECT count() FROM e.types',
    ]);
  });
});

describe('defaults', () => {
  it('left out columns are NULL where they can be; enums their first member', async () => {
    await both.all([
      "CREATE TABLE e.defaults (k UInt32, a Enum8('n' = -1, 'z' = 0), b Enum8('q' = 5, 'p' = 3), c Nullable(Enum8('q' = 5)), n Nullable(UInt64), list Array(Enum8('q' = 5, 'p' = 3))) ENGINE = MergeTree ORDER BY k",
      'INSERT INTO e.defaults (k) VALUES (1)',
      "INSERT INTO e.defaults (k, list) VALUES (2, ['q', 'p'])",
      'INSERT INTO e.defaults (k) SELECT 3',
      'SELECT * FROM e.defaults ORDER BY k',
      'SELECT k FROM e.defaults WHERE n IS NULL ORDER BY k',
      "SELECT k FROM e.defaults WHERE b = 'p' ORDER BY k",
      "SELECT k FROM e.defaults WHERE a IN ('n', 'z') AND k > 1 ORDER BY k",
    ]);
  });

  it('of aggregates over nothing and of joins without a match', async () => {
    await both.all([
      'SELECT any(a), any(b), any(c), min(b), max(c), argMax(b, k), max(n) FROM e.defaults WHERE k > 100',
      'SELECT minIf(b, k > 100), anyIf(c, k > 100), sumIf(k, 0) FROM e.defaults',
      'SELECT l.k, r.b, r.c, r.a, r.n FROM e.defaults AS l LEFT JOIN e.defaults AS r ON l.k = r.k + 1 ORDER BY l.k',
      "SELECT [1, 2][9], ['a'][9], [toNullable(3)][9], [[1]][9], [toDate('2024-01-01')][9]",
      'SELECT k, list[9] FROM e.defaults ORDER BY k',
    ]);
  });
});

describe('tables', () => {
  it('ReplacingMergeTree keeps the newest version, in one insert and across', async () => {
    await both.all([
      'CREATE TABLE e.r (k UInt32, v UInt32, s String, ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY k',
      "INSERT INTO e.r VALUES (1, 1, 'a', 1), (1, 2, 'b', 3), (1, 3, 'c', 2), (2, 1, 'a', 5), (2, 2, 'b', 5)",
      'SELECT * FROM e.r ORDER BY k',
      "INSERT INTO e.r VALUES (1, 9, 'old', 2), (2, 9, 'same', 5), (3, 1, 'new', 0)",
      'SELECT * FROM e.r ORDER BY k',
      "INSERT INTO e.r VALUES (1, 10, 'newest', 18446744073709551615)",
      "INSERT INTO e.r VALUES (1, 11, 'late', 18446744073709551614)",
      'SELECT * FROM e.r ORDER BY k',
      'SELECT count(), sum(v) FROM e.r WHERE v = 1',
      "SELECT * FROM e.r WHERE s = 'old'",
      'CREATE TABLE e.r0 (k UInt32, s String) ENGINE = ReplacingMergeTree ORDER BY k',
      "INSERT INTO e.r0 VALUES (1, 'a'), (1, 'b')",
      "INSERT INTO e.r0 VALUES (1, 'c')",
      'SELECT * FROM e.r0',
    ]);
  });

  it('partitions merge apart, and prune by any WHERE', async () => {
    await both.all([
      'CREATE TABLE e.p (k UInt32, dt DateTime, s String, ver Int32) ENGINE = ReplacingMergeTree(ver) PARTITION BY toYYYYMM(dt) ORDER BY k',
      "INSERT INTO e.p VALUES (1, '2024-01-31 23:59:59', 'jan', -1), (1, '2024-02-01 00:00:00', 'feb', -5), (1, '2024-01-01 00:00:00', 'jan0', -2)",
      "INSERT INTO e.p VALUES (1, '2024-01-15 00:00:00', 'jan2', -3), (1, '2024-02-02 00:00:00', 'feb2', 0)",
      'SELECT * FROM e.p ORDER BY k, dt',
      "SELECT * FROM e.p WHERE dt >= '2024-02-01 00:00:00' ORDER BY k, dt",
      'SELECT * FROM e.p WHERE toYYYYMM(dt) = 202401',
      "SELECT * FROM e.p WHERE s = 'jan0'",
      'CREATE TABLE e.p2 (k UInt32, z String) ENGINE = MergeTree PARTITION BY (k % 3, z) ORDER BY (z, k)',
      'INSERT INTO e.p2 SELECT number, toString(number % 2) FROM numbers(30)',
      'SELECT count(), sum(k) FROM e.p2 WHERE k % 3 = 1',
      "SELECT count(), sum(k) FROM e.p2 WHERE z = '1' AND k > 10",
      'SELECT * FROM e.p2 WHERE k IN (3, 4, 29) ORDER BY k',
      'CREATE TABLE e.p3 (k UInt32) ENGINE = MergeTree PARTITION BY k ORDER BY k',
      'INSERT INTO e.p3 SELECT number FROM numbers(101)',
      'SELECT count() FROM e.p3',
    ]);
  });

  it('names are used again after TRUNCATE, DROP TABLE and DROP DATABASE', async () => {
    await both.all([
      'CREATE DATABASE again',
      'CREATE TABLE again.t (k UInt32, u AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k',
      'INSERT INTO again.t SELECT 1, groupBitmapState(number) FROM numbers(10)',
      'TRUNCATE TABLE again.t',
      'SELECT count(), groupBitmapMerge(u) FROM again.t',
      'INSERT INTO again.t SELECT 2, groupBitmapState(number) FROM numbers(5)',
      'SELECT k, bitmapCardinality(u) FROM again.t',
      'DROP TABLE again.t',
      'SELECT count() FROM again.t',
      'DROP TABLE again.t',
      'DROP TABLE IF EXISTS again.t',
      'CREATE TABLE again.t (k UInt8, z String) ENGINE = MergeTree ORDER BY z',
      'SELECT count() FROM again.t',
      "INSERT INTO again.t VALUES (3, 'z')",
      'SELECT * FROM again.t',
      'DROP DATABASE again',
      'SELECT count() FROM again.t',
      'CREATE DATABASE again',
      'SHOW TABLES FROM again',
      'CREATE TABLE again.t (k String) ENGINE = MergeTree ORDER BY k',
      'SELECT count() FROM again.t',
      "INSERT INTO again.t VALUES ('a')",
      'SELECT * FROM again.t',
      'DROP DATABASE again',
      'DROP DATABASE again',
      'DROP DATABASE IF EXISTS again',
    ]);
  });
});

describe('questions', () => {
  it('whole numbers of both signs have a common type where they fit one', async () => {
    await both.all([
      'SELECT number FROM numbers(5) WHERE toInt64(number) - 1 IN (-1, 5000000000, 2)',
      'SELECT number FROM numbers(5) WHERE number IN (-1, 18446744073709551615, 2)',
      'SELECT if(number = 1, -1, 5000000000) FROM numbers(3)',
      'SELECT [-1, 5000000000]',
      'SELECT multiIf(number = 1, -1, number = 2, 5000000000, 0) FROM numbers(3)',
      'SELECT -1 = 18446744073709551615, toInt64(-1) < toUInt64(1), -1 < 5000000000',
      'SELECT coalesce(NULL, -1, 5000000000)',
      'SELECT greatest(-1, 5000000000), least(-1, 5000000000)',
      'SELECT CASE WHEN number = 1 THEN 5000000000 ELSE -1 END FROM numbers(3)',
      'SELECT toTypeName([-1, 9223372036854775807]), toTypeName([toInt64(-1), 9223372036854775807]), toTypeName([-1, 5000000000]), toTypeName(if(1, -1, 9223372036854775807))',
      'SELECT [-1, 5000000000, 3][2], has([-1, 5000000000], 5000000000), indexOf([-1, 5000000000], -1)',
    ]);
  });

  it('conditions on one side of a join, on both, on neither', async () => {
    await both.all([
      'CREATE DATABASE j',
      'CREATE TABLE j.t (k UInt32, g UInt32, u AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY (k, g)',
      'INSERT INTO j.t SELECT number % 3000, number % 7, groupBitmapState(number) FROM numbers(9000) GROUP BY 1, 2',
      'CREATE TABLE j.p (k UInt32, n Nullable(UInt32), arr Array(UInt32)) ENGINE = MergeTree ORDER BY k',
      'INSERT INTO j.p SELECT number, if(number % 5 = 0, NULL, number), [number, number + 1] FROM numbers(3000)',
      'SELECT count(), sum(bitmapAndCardinality(a.u, b.u)) FROM j.t AS a, j.t AS b WHERE a.k < 5 AND b.k IN (2, 3, 4) AND a.g != b.g',
      'SELECT count() FROM j.t a, j.t b, j.p c WHERE a.k = b.k AND b.k = c.k AND c.n > 10 AND a.g = 1',
      'SELECT count() FROM j.t a CROSS JOIN j.p b WHERE a.k = b.n AND b.k < 100',
      'SELECT count() FROM j.t a LEFT JOIN j.p b ON a.k = b.n WHERE b.n IS NULL AND a.k < 50',
      'SELECT count() FROM j.t a LEFT JOIN j.p b ON a.k = b.n WHERE b.k = 0 AND a.k < 50',
      'SELECT count() FROM j.t a INNER JOIN j.p b ON a.k = b.k AND b.n > 7 WHERE a.g = 3 AND b.k < (SELECT max(k) FROM j.p) - 5',
      'SELECT count() FROM j.p a, j.p b ARRAY JOIN b.arr AS x WHERE a.k = x AND a.k < 10 AND b.k < 20',
      'SELECT count() FROM j.p a, j.p b WHERE a.k IN (SELECT k FROM j.t WHERE g = 2) AND b.k = 7',
      'SELECT a.k, b.k, bitmapCardinality(a.u) FROM j.t a, j.t b WHERE bitmapCardinality(a.u) > 2 AND a.k = 1 AND b.k = 2 ORDER BY 1, 2',
      'SELECT count() FROM (SELECT k AS k, groupBitmapMergeState(u) AS u FROM j.t GROUP BY k) AS a, (SELECT k AS k, groupBitmapMergeState(u) AS u FROM j.t GROUP BY k) AS b WHERE a.k < 30 AND b.k > 2990 AND bitmapAndCardinality(a.u, b.u) = 0',
      'SELECT count() FROM j.p a, j.p b WHERE a.n = b.n AND a.k < 4',
      'SELECT count() FROM j.p a, j.p b WHERE a.n < 4 OR b.n < 3 AND a.k = 1',
      'SELECT count() FROM j.p a, j.p b WHERE 0',
      'SELECT count() FROM j.p a, j.p b WHERE a.k = 1 AND NULL',
      'SELECT count() FROM j.p a, j.p b WHERE a.k AND b.k < 3',
      'WITH x AS (SELECT k, n FROM j.p) SELECT count() FROM x a, x b WHERE a.k < 3 AND b.k < 5',
    ]);
  });
});
