// Edges of sets and ids, side by side with ClickHouse where it has them: extreme ids of every type,
// sets without anybody, rows that are absent, many rows and large sets in every shape of stripe, over
// a directory and over S3. Ids of type String are Muster's own.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureTestBucket, s3Arguments } from './places.ts';
import { SideBySide } from './side-by-side.ts';

const users = 'users AggregateFunction(groupBitmap, UInt64)';

for (const place of ['a directory', 'S3'] as const) {
  describe(`over ${place}`, () => {
    let both: SideBySide;
    beforeAll(async () => {
      if (place === 'S3') await ensureTestBucket();
      both = await SideBySide.start(place === 'S3' ? s3Arguments('edges') : undefined);
      await both.same('CREATE DATABASE e');
    });
    afterAll(() => both.stop());

    it('an empty table, an empty set, an absent row', async () => {
      await both.all([
        `CREATE TABLE e.none (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`,
        'SELECT count() FROM e.none',
        'SELECT tag, bitmapCardinality(users) FROM e.none',
        'SELECT groupBitmapMerge(users) FROM e.none',
        'SELECT bitmapToArray(groupBitmapMergeState(users)) FROM e.none',
        'SELECT tag, groupBitmapMerge(users) FROM e.none GROUP BY tag',
        "SELECT bitmapCardinality((SELECT groupBitmapMergeState(users) FROM e.none WHERE tag = 'x'))",
        "SELECT bitmapCardinality((SELECT users FROM e.none WHERE tag = 'x'))",
        "INSERT INTO e.none SELECT 'never', groupBitmapState(number) FROM numbers(0) GROUP BY number",
        'SELECT count() FROM e.none',
        "INSERT INTO e.none SELECT 'empty', groupBitmapState(number) FROM numbers(0)",
        "INSERT INTO e.none (tag) VALUES ('nobody')",
        'SELECT tag, bitmapCardinality(users), bitmapToArray(users), bitmapMin(users), bitmapMax(users) FROM e.none ORDER BY tag',
        "SELECT bitmapCardinality((SELECT users FROM e.none WHERE tag = 'empty'))",
        "SELECT bitmapOrCardinality((SELECT users FROM e.none WHERE tag = 'empty'), bitmapBuild([toUInt64(1), 2]))",
        'SELECT groupBitmapAnd(users), groupBitmapOr(users), groupBitmapXor(users) FROM e.none',
        'SELECT tag, bitmapContains(users, toUInt64(0)), bitmapHasAny(users, users), bitmapHasAll(users, users) FROM e.none ORDER BY tag',
      ]);
    });

    it('0, 2^53 + 1, 2^63, the largest id; ids that nobody knows', async () => {
      await both.all([
        `CREATE TABLE e.ids (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`,
        "INSERT INTO e.ids SELECT 'a', groupBitmapState(arrayJoin([toUInt64(0), 1, 1, 9007199254740993, 9223372036854775808, 18446744073709551614, 18446744073709551615]))",
        "INSERT INTO e.ids SELECT 'a', groupBitmapState(arrayJoin([toUInt64(5), 1, 9007199254740992, 18446744073709551615]))",
        "INSERT INTO e.ids SELECT 'b', groupBitmapState(arrayJoin([toUInt64(9007199254740993), 5]))",
        'SELECT tag, bitmapCardinality(users), arraySort(bitmapToArray(users)), bitmapMin(users), bitmapMax(users) FROM e.ids ORDER BY tag',
        ...['0', '5', '9007199254740991', '9007199254740993', '18446744073709551615', '777'].map(
          (id) => `SELECT tag, bitmapContains(users, toUInt64(${id})) FROM e.ids ORDER BY tag`,
        ),
        'SELECT tag, bitmapHasAny(users, bitmapBuild([toUInt64(777), 5])), bitmapHasAll(users, bitmapBuild([toUInt64(5), 777])) FROM e.ids ORDER BY tag',
        'SELECT tag, arraySort(bitmapToArray(bitmapOr(users, bitmapBuild([toUInt64(777)])))) FROM e.ids ORDER BY tag',
        'SELECT tag, arraySort(bitmapToArray(bitmapAndnot(bitmapBuild([toUInt64(777), 0]), users))) FROM e.ids ORDER BY tag',
        'SELECT bitmapXorCardinality(a.users, b.users), bitmapAndCardinality(a.users, b.users) FROM e.ids AS a, e.ids AS b ORDER BY a.tag, b.tag',
        "SELECT groupBitmap(x) FROM (SELECT CAST(if(number % 2 = 0, NULL, number), 'Nullable(UInt64)') AS x FROM numbers(10))",
      ]);
    });

    it('signed ids of every width, in two columns of one table', async () => {
      await both.all([
        'CREATE TABLE e.signed (k UInt8, a AggregateFunction(groupBitmap, Int8), b AggregateFunction(groupBitmap, Int16), c AggregateFunction(groupBitmap, Int32), d AggregateFunction(groupBitmap, Int64)) ENGINE = AggregatingMergeTree ORDER BY k',
        'INSERT INTO e.signed SELECT 1, groupBitmapState(toInt8(number - 128)), groupBitmapState(toInt16(number * 257 - 32768)), groupBitmapState(toInt32(number - 2147483648)), groupBitmapState(toInt64(number - 5)) FROM numbers(256)',
        'INSERT INTO e.signed SELECT 1, groupBitmapState(toInt8(-1)), groupBitmapState(toInt16(-1)), groupBitmapState(toInt32(-1)), groupBitmapState(toInt64(-9223372036854775808))',
        'SELECT bitmapCardinality(a), bitmapCardinality(b), bitmapCardinality(c), bitmapCardinality(d) FROM e.signed',
        'SELECT arraySort(bitmapToArray(a)), arraySort(bitmapToArray(b)), arraySort(bitmapToArray(c)), arraySort(bitmapToArray(d)) FROM e.signed',
        'SELECT bitmapContains(c, toInt32(-2)), bitmapContains(d, toInt64(-9223372036854775808)), bitmapContains(d, toInt64(-6)) FROM e.signed',
      ]);
      // ClickHouse finds no negative ids of up to 32 bits.
      const found = await both.ours(
        'SELECT bitmapContains(a, toInt8(-1)), bitmapContains(b, toInt16(-1)), bitmapContains(c, toInt32(-1)) FROM e.signed',
      );
      expect(found).toBe('1\t1\t1\n');
    });

    it('two bitmap columns of one dictionary', async () => {
      await both.all([
        'CREATE TABLE e.two (k String, a AggregateFunction(groupBitmap, UInt64), b AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k',
        'INSERT INTO e.two SELECT toString(number % 3), groupBitmapState(number), groupBitmapState(number * 2) FROM numbers(1000) GROUP BY number % 3',
        'INSERT INTO e.two SELECT toString(number % 4), groupBitmapState(number + 500), groupBitmapState(toUInt64(18446744073709551615 - number)) FROM numbers(1000) GROUP BY number % 4',
        "INSERT INTO e.two (k) VALUES ('only a key')",
        'SELECT k, bitmapCardinality(a), bitmapCardinality(b), bitmapAndCardinality(a, b), bitmapOrCardinality(a, b), bitmapXorCardinality(a, b), bitmapAndnotCardinality(a, b) FROM e.two ORDER BY k',
        'SELECT groupBitmapMerge(a), bitmapAndCardinality(groupBitmapMergeState(a), groupBitmapMergeState(b)) FROM e.two',
        'SELECT k, bitmapMin(a), bitmapMax(b), bitmapMin(b) FROM e.two ORDER BY k',
      ]);
    });

    it('NULL tags are a key of their own', async () => {
      const create = `CREATE TABLE e.nt (tag Nullable(String), ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`;
      await both.all([
        create,
        `${create} SETTINGS allow_nullable_key = 1`,
        'INSERT INTO e.nt SELECT if(number % 3 = 0, NULL, toString(number % 3)), groupBitmapState(number) FROM numbers(100) GROUP BY 1',
        'INSERT INTO e.nt SELECT NULL, groupBitmapState(number) FROM numbers(200, 100)',
        "INSERT INTO e.nt SELECT '', groupBitmapState(number) FROM numbers(300, 100)",
        'SELECT tag, bitmapCardinality(users) FROM e.nt ORDER BY tag',
        'SELECT tag, groupBitmapMerge(users) FROM e.nt GROUP BY tag ORDER BY tag NULLS FIRST',
        ...['tag IS NULL', "tag = ''", "tag != '1'", "tag IN ('1', NULL)", "tag > ''"].map(
          (where) => `SELECT count(), groupBitmapMerge(users) FROM e.nt WHERE ${where}`,
        ),
      ]);
    });

    it('rows of every shape of stripe merge: unsplit, batches, an object per group', async () => {
      await both.all([
        `CREATE TABLE e.t (tag UInt32, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`,
        'INSERT INTO e.t SELECT toUInt32(number % 5), groupBitmapState(number) FROM numbers(50) GROUP BY 1',
        'INSERT INTO e.t SELECT toUInt32(number), groupBitmapState(toUInt64(42)) FROM numbers(20000) GROUP BY number',
        // About 12 MB: an object of its own for each group.
        'INSERT INTO e.t SELECT toUInt32(number % 40009), groupBitmapState(toUInt64(number * 7919 % 300007)) FROM numbers(1200000) GROUP BY 1',
        'INSERT INTO e.t SELECT 100000, groupBitmapState(number * 7919) FROM numbers(300000)',
        'SELECT count(), sum(bitmapCardinality(users)), groupBitmapMerge(users), max(bitmapCardinality(users)) FROM e.t',
        'SELECT tag, bitmapCardinality(users), bitmapMin(users), bitmapMax(users) FROM e.t WHERE tag IN (0, 1, 4, 5, 19999, 40008, 40009, 100000) ORDER BY tag',
        'SELECT tag, arraySort(bitmapToArray(users)) FROM e.t WHERE tag IN (3, 30000) ORDER BY tag',
        'SELECT count() FROM e.t WHERE bitmapContains(users, toUInt64(42))',
        'SELECT tag % 7 AS m, groupBitmapMerge(users) FROM e.t GROUP BY m ORDER BY m',
        'SELECT bitmapAndCardinality((SELECT groupBitmapMergeState(users) FROM e.t WHERE tag < 20000), (SELECT groupBitmapMergeState(users) FROM e.t WHERE tag >= 20000))',
        'SELECT a.tag, b.tag, bitmapAndCardinality(a.users, b.users) FROM e.t AS a, e.t AS b WHERE a.tag < 6 AND b.tag IN (2, 40000, 100000) ORDER BY a.tag, b.tag',
      ]);
    });
  });
}

describe('many and large', () => {
  let both: SideBySide;
  beforeAll(async () => {
    both = await SideBySide.start();
    await both.same('CREATE DATABASE e');
    await both.same(
      `CREATE TABLE e.t (tag UInt32, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`,
    );
  });
  afterAll(() => both.stop());

  it('100,000 distinct tags in one insert; one id in 100,000 tags', async () => {
    await both.all([
      'INSERT INTO e.t SELECT toUInt32(number), groupBitmapState(toUInt64(sipHash64(number))) FROM numbers(100000) GROUP BY number',
      'SELECT count(), sum(bitmapCardinality(users)), groupBitmapMerge(users) FROM e.t',
      'INSERT INTO e.t SELECT toUInt32(number), groupBitmapState(toUInt64(42)) FROM numbers(100000) GROUP BY number',
      'SELECT count(), sum(bitmapCardinality(users)), groupBitmapMerge(users) FROM e.t',
      'SELECT count() FROM e.t WHERE bitmapContains(users, toUInt64(42))',
      'SELECT groupBitmapAnd(users) FROM e.t',
      'SELECT tag, bitmapCardinality(users) FROM e.t WHERE tag IN (0, 65535, 65536, 99999, 100000) ORDER BY tag',
    ]);
  });

  it('a set of 3 million ids', async () => {
    await both.all([
      'TRUNCATE TABLE e.t',
      'INSERT INTO e.t SELECT 5, groupBitmapState(number) FROM numbers(3000000)',
      'INSERT INTO e.t SELECT 6, groupBitmapState(number + 1500000) FROM numbers(1500001)',
      'INSERT INTO e.t SELECT 5, groupBitmapState(number + 2999999) FROM numbers(10)',
      'SELECT tag, bitmapCardinality(users), bitmapMin(users), bitmapMax(users) FROM e.t ORDER BY tag',
      'SELECT bitmapAndCardinality(a.users, b.users), bitmapXorCardinality(a.users, b.users) FROM e.t AS a, e.t AS b WHERE a.tag = 5 AND b.tag = 6',
      'SELECT bitmapContains(users, toUInt64(2999999)), bitmapContains(users, toUInt64(3000009)) FROM e.t WHERE tag = 5',
    ]);
  });
});

describe('groups', () => {
  let both: SideBySide;
  beforeAll(async () => {
    both = await SideBySide.start();
    await both.ours('CREATE DATABASE e');
  });
  afterAll(() => both.stop());

  it('64 groups for 3 ids: most have nobody', async () => {
    const table = (name: string, settings: string) =>
      both.ours(
        `CREATE TABLE e.${name} (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS ${settings}`,
      );
    expect(await table('g', "muster_dictionary = 'wide', muster_groups = 64")).toBe('');
    expect(await both.ours("INSERT INTO e.g VALUES ('a', [0, 7, 18446744073709551615])")).toBe('');
    expect(await both.ours("INSERT INTO e.g VALUES ('b', [7]), ('c', [])")).toBe('');
    expect(
      await both.ours(
        'SELECT a.tag, b.tag, bitmapOrCardinality(a.users, b.users), bitmapXorCardinality(a.users, b.users), bitmapAndCardinality(a.users, b.users) FROM e.g AS a, e.g AS b WHERE a.tag <= b.tag ORDER BY 1, 2',
      ),
    ).toBe(
      'a\ta\t3\t0\t3\na\tb\t3\t2\t1\na\tc\t3\t3\t0\nb\tb\t1\t0\t1\nb\tc\t1\t1\t0\nc\tc\t0\t0\t0\n',
    );
    expect(
      await both.ours(
        'SELECT tag, bitmapContains(users, 7), bitmapMax(users), bitmapToArray(users) FROM e.g ORDER BY tag',
      ),
    ).toBe('a\t1\t18446744073709551615\t[0,7,18446744073709551615]\nb\t1\t7\t[7]\nc\t0\t0\t[]\n');
    expect(await table('h', "muster_dictionary = 'wide', muster_groups = 32")).toBe('error 36');
    expect(await table('h', 'muster_groups = 0')).toBe('error 36');
    expect(await table('h', 'muster_groups = 100000')).toBe('error 36');
  });

  it('String ids: empty, NUL bytes, non-ASCII, a megabyte', async () => {
    const long = 'L'.repeat(1024 * 1024);
    await both.ours(
      'CREATE TABLE e.s (tag String, users AggregateFunction(groupBitmap, String)) ENGINE = AggregatingMergeTree ORDER BY tag',
    );
    const rows = [
      { tag: 'a', users: ['', 'é', 'x', 'x', 'nul\0in', '\0', '日本', '😀', long] },
      { tag: 'b', users: ['x', '', 'zz', `${long}y`, null] },
      { tag: 'c', users: [] },
    ];
    const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    await both.muster.query('INSERT INTO e.s FORMAT JSONEachRow', [Buffer.from(body)]);
    expect(await both.ours('SELECT tag, bitmapCardinality(users) FROM e.s ORDER BY tag')).toBe(
      'a\t8\nb\t4\nc\t0\n',
    );
    const ids = ["''", "'x'", "'\\0'", "'nul\\0in'", "'日本'", "'none'", "repeat('L', 1048576)"];
    const asked = ids.map((id) => `bitmapContains(users, ${id})`).join(', ');
    expect(await both.ours(`SELECT ${asked} FROM e.s ORDER BY tag`)).toBe(
      '1\t1\t1\t1\t1\t0\t1\n1\t1\t0\t0\t0\t0\t0\n0\t0\t0\t0\t0\t0\t0\n',
    );
    expect(
      await both.ours(
        "SELECT bitmapToArray(bitmapAnd((SELECT users FROM e.s WHERE tag = 'a'), (SELECT users FROM e.s WHERE tag = 'b')))",
      ),
    ).toBe("['','x']\n");
    const ours = await both.ours(
      "SELECT bitmapToArray(users) FROM e.s WHERE tag = 'a' FORMAT JSONEachRow",
    );
    const [list] = Object.values(JSON.parse(ours) as Record<string, string[]>);
    expect(list).toEqual(['', '\0', long, 'nul\0in', 'x', 'é', '日本', '😀']);
  });

  it('sets of two dictionaries do not mix', async () => {
    await both.ours(
      `CREATE TABLE e.d1 (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_dictionary = 'one'`,
    );
    await both.ours(
      `CREATE TABLE e.d2 (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_dictionary = 'two'`,
    );
    await both.ours("INSERT INTO e.d1 VALUES ('a', [1, 2])");
    await both.ours("INSERT INTO e.d2 VALUES ('a', [1, 2])");
    const mixed = '(SELECT users FROM e.d1), (SELECT users FROM e.d2)';
    expect(await both.ours(`SELECT bitmapAndCardinality(${mixed})`)).toBe('error 48');
    expect(await both.ours(`SELECT bitmapHasAny(${mixed})`)).toBe('error 48');
    expect(
      await both.ours(
        'SELECT groupBitmapMerge(users) FROM (SELECT users FROM e.d1 UNION ALL SELECT users FROM e.d2)',
      ),
    ).toBe('error 48');
    expect(
      await both.ours(
        `SELECT bitmapAndCardinality((SELECT users FROM e.d1), bitmapBuild([toUInt64(1), 3]))`,
      ),
    ).toBe('1\n');
  });
});
