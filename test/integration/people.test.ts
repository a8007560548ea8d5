// People with sparse 64-bit ids: twelve questions of audiences, retention, difference and experiments
// give the same answers in Muster, over a directory and over S3 on LocalStack, as in ClickHouse over
// groupBitmap. bench/people-bench.ts asks the same of a million people, and prints times.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { MusterProcess } from '../../bench/muster-process.ts';
import { generatePeople } from '../../functions/demo/people/people.ts';
import { questions } from '../../bench/people-questions.ts';
import { createTableSql, rowBinary } from '../../functions/demo/people/row-binary.ts';
import { toNineDigits } from '../nine-digits.ts';
import { builtMain, ensureTestBucket, s3Arguments, testPackage } from './places.ts';

const people = generatePeople({ people: 50_000, seed: 7 });
const oracle = ClickHouseOracle.open(testPackage);
const folder = mkdtempSync(join(tmpdir(), 'muster-people-'));

beforeAll(async () => {
  await ensureTestBucket();
  oracle.query('CREATE DATABASE ppl');
  for (const table of people.tables) {
    const structure = table.columns.map(([name, type]) => `${name} ${type}`).join(', ');
    oracle.query(createTableSql(table));
    oracle.insertRowBinary(`ppl.${table.name}`, structure, rowBinary(people, table));
  }
});

afterAll(() => {
  oracle.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['a directory', ['--data', join(folder, 'data')]],
  [
    'a directory, by worker processes',
    ['--data', join(folder, 'workers'), '--worker-processes', '2'],
  ],
  ['S3 on LocalStack', s3Arguments('people')],
])('fifty thousand people over %s', (_, args) => {
  let muster: MusterProcess;

  beforeAll(async () => {
    muster = await MusterProcess.start(builtMain, args);
    await muster.query('CREATE DATABASE ppl');
    for (const table of people.tables) {
      await muster.query(createTableSql(table));
      const insert = `INSERT INTO ppl.${table.name} FORMAT RowBinary`;
      await muster.query(insert, rowBinary(people, table));
    }
  });

  afterAll(async () => muster.stop());

  it.each(questions)('$name', async ({ sql }) => {
    const expected = oracle.query(sql);
    expect(expected.length).toBeGreaterThan(1);
    expect(toNineDigits(await muster.query(sql))).toBe(toNineDigits(expected));
  });
});
