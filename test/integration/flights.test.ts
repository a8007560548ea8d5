// Real input: the 336,776 flights that left New York in 2013, with string ids. Loaded by curl and by
// @clickhouse/client, over a directory and over S3 on LocalStack; every answer equals ClickHouse's
// on the raw rows.

import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { MusterProcess } from '../../bench/muster-process.ts';
import { fetchFlights } from '../data/fetch-flights.mjs';
import { builtMain, ensureTestBucket, s3Arguments, testPackage } from './places.ts';

const structure =
  'year UInt16, month UInt8, day UInt8, dep_time String, sched_dep_time UInt16, dep_delay String, arr_time String, sched_arr_time UInt16, arr_delay String, carrier LowCardinality(String), flight UInt16, tailnum String, origin LowCardinality(String), dest LowCardinality(String), air_time String, distance UInt16, hour UInt8, minute UInt8, time_hour String';

const monthFlown =
  "toStartOfMonth(toDate(concat(toString(year), '-', leftPad(toString(month), 2, '0'), '-', leftPad(toString(day), 2, '0'))))";
const seen = (name: string) =>
  `CREATE TABLE fl.${name} (carrier LowCardinality(String), origin LowCardinality(String), month Date, planes AggregateFunction(groupBitmap, String)) ENGINE = AggregatingMergeTree PARTITION BY month ORDER BY (carrier, origin, month)`;
const columns = `carrier, origin, ${monthFlown} AS m, groupBitmapState(nullIf(tailnum, 'NA'))`;

/** Muster's question over the sets, and the same over ClickHouse's raw rows. */
const questions: readonly { name: string; muster: string; raw: string }[] = [
  {
    name: 'aircraft that flew from JFK in January but not in February',
    muster: `WITH (SELECT groupBitmapMergeState(planes) FROM fl.seen WHERE origin = 'JFK' AND month = '2013-01-01') AS january, (SELECT groupBitmapMergeState(planes) FROM fl.seen WHERE origin = 'JFK' AND month = '2013-02-01') AS february SELECT bitmapAndnotCardinality(january, february)`,
    raw: `SELECT uniqExact(tailnum) FROM raw WHERE origin = 'JFK' AND m = '2013-01-01' AND tailnum NOT IN (SELECT tailnum FROM raw WHERE origin = 'JFK' AND m = '2013-02-01')`,
  },
  {
    name: 'month-over-month retention of aircraft per carrier',
    muster: `WITH fleet AS (SELECT carrier, month, groupBitmapMergeState(planes) AS p FROM fl.seen GROUP BY carrier, month) SELECT a.carrier AS carrier, a.month AS month, bitmapCardinality(a.p) AS size, bitmapAndCardinality(a.p, b.p) AS kept, round(kept / size, 4) AS rate FROM fleet AS a CROSS JOIN fleet AS b WHERE a.carrier = b.carrier AND b.month = addMonths(a.month, 1) ORDER BY carrier, month`,
    raw: `WITH fleet AS (SELECT DISTINCT carrier, m, tailnum FROM raw), sizes AS (SELECT carrier, m, count() AS size FROM fleet GROUP BY carrier, m), kept AS (SELECT a.carrier AS carrier, a.m AS m, count() AS kept FROM fleet AS a INNER JOIN (SELECT carrier, addMonths(m, -1) AS before, tailnum FROM fleet) AS b ON a.carrier = b.carrier AND a.m = b.before AND a.tailnum = b.tailnum GROUP BY carrier, m), next AS (SELECT DISTINCT carrier, addMonths(m, -1) AS m FROM fleet) SELECT s.carrier, s.m, s.size, k.kept, round(k.kept / s.size, 4) FROM sizes AS s INNER JOIN next AS n ON s.carrier = n.carrier AND s.m = n.m LEFT JOIN kept AS k ON s.carrier = k.carrier AND s.m = k.m ORDER BY s.carrier, s.m`,
  },
  {
    name: "overlap of every two carriers' fleets",
    muster: `WITH fleet AS (SELECT carrier, groupBitmapMergeState(planes) AS p FROM fl.seen GROUP BY carrier) SELECT a.carrier AS x, b.carrier AS y, bitmapAndCardinality(a.p, b.p) AS both FROM fleet AS a CROSS JOIN fleet AS b WHERE x < y ORDER BY x, y`,
    raw: `WITH fleet AS (SELECT carrier, groupUniqArray(tailnum) AS p FROM raw GROUP BY carrier) SELECT a.carrier AS x, b.carrier AS y, length(arrayIntersect(a.p, b.p)) FROM fleet AS a CROSS JOIN fleet AS b WHERE x < y ORDER BY x, y`,
  },
  {
    name: "share of each carrier's fleet seen at two or more origins",
    muster: `SELECT carrier, bitmapCardinality(bitmapOr(bitmapOr(bitmapAnd(e, j), bitmapAnd(e, l)), bitmapAnd(j, l))) AS several, bitmapCardinality(everywhere) AS fleet, round(several / fleet, 4) AS share FROM (SELECT carrier, groupBitmapMergeStateIf(planes, origin = 'EWR') AS e, groupBitmapMergeStateIf(planes, origin = 'JFK') AS j, groupBitmapMergeStateIf(planes, origin = 'LGA') AS l, groupBitmapMergeState(planes) AS everywhere FROM fl.seen GROUP BY carrier) ORDER BY carrier`,
    raw: `SELECT carrier, countIf(n >= 2) AS several, count() AS fleet, round(several / fleet, 4) FROM (SELECT carrier, tailnum, uniqExact(origin) AS n FROM raw GROUP BY carrier, tailnum) GROUP BY carrier ORDER BY carrier`,
  },
];

const csv = fetchFlights();
const oracle = ClickHouseOracle.open(testPackage);

beforeAll(async () => {
  await ensureTestBucket();
  oracle.query(
    `CREATE TABLE raw ENGINE = MergeTree ORDER BY carrier AS SELECT *, ${monthFlown} AS m FROM file('${csv}', CSVWithNames, '${structure}') WHERE tailnum != 'NA'`,
  );
});

afterAll(() => oracle.close());

const folder = mkdtempSync(join(tmpdir(), 'muster-flights-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['a directory', ['--data', join(folder, 'data')]],
  ['S3 on LocalStack', s3Arguments('flights')],
])('flights over %s', (_, args) => {
  let muster: MusterProcess;

  beforeAll(async () => {
    muster = await MusterProcess.start(builtMain, args);
    await muster.query('CREATE DATABASE fl');
  });

  afterAll(async () => muster.stop());

  it('are loaded by curl, through input()', async () => {
    await muster.query(seen('seen'));
    const insert = `INSERT INTO fl.seen SELECT ${columns} FROM input('${structure}') GROUP BY carrier, origin, m FORMAT CSVWithNames`;
    const url = `${muster.url}/?query=${encodeURIComponent(insert)}`;
    execFileSync('curl', ['-sS', '--fail-with-body', '--data-binary', `@${csv}`, url]);
    expect(await muster.query('SELECT groupBitmapMerge(planes) FROM fl.seen')).toBe('4043\n');
  });

  it('are loaded by @clickhouse/client, as rows and as sets', async () => {
    await muster.query(`CREATE TABLE fl.rows (${structure}) ENGINE = MergeTree ORDER BY carrier`);
    await muster.query(seen('again'));
    const client = createClient({ url: muster.url, database: 'fl' });
    await client.insert({ table: 'rows', values: createReadStream(csv), format: 'CSVWithNames' });
    const insert = `INSERT INTO again SELECT ${columns} FROM rows GROUP BY carrier, origin, m`;
    await client.command({ query: insert });
    const query = `SELECT count() AS n, uniqExact(tailnum) AS planes FROM rows`;
    const answer = await client.query({ query, format: 'JSONEachRow' });
    expect(await answer.json()).toEqual([{ n: 336_776, planes: 4044 }]);
    await client.close();
  });

  it.each(questions)('answer $name', async ({ muster: sql, raw }) => {
    const expected = oracle.query(raw);
    expect(expected.length).toBeGreaterThan(1);
    expect(await muster.query(sql)).toBe(expected);
    expect(await muster.query(sql.replaceAll('fl.seen', 'fl.again'))).toBe(expected);
  });
});
