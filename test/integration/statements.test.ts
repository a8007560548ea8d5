// The usage patterns through the whole of a server, over HTTP: on a directory, with worker processes,
// and over S3 on LocalStack. Equal answers everywhere, and equal to ClickHouse's.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { MusterProcess } from '../../bench/muster-process.ts';
import { fill, inlined, setUp, usagePatterns } from '../engine/queries/usage-patterns.ts';
import { toNineDigits } from '../nine-digits.ts';
import { builtMain, ensureTestBucket, s3Arguments, testPackage } from './places.ts';

const oracle = ClickHouseOracle.open(testPackage);
const folder = mkdtempSync(join(tmpdir(), 'muster-statements-'));

beforeAll(async () => {
  await ensureTestBucket();
  oracle.query('SET final = 1, do_not_merge_across_partitions_select_final = 1');
  for (const statement of [...setUp, ...fill()]) oracle.query(statement);
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
  ['S3 on LocalStack', s3Arguments('statements')],
  ['S3 on LocalStack, by worker processes', [...s3Arguments('workers'), '--worker-processes', '2']],
])('over %s', (_, args) => {
  let muster: MusterProcess;

  beforeAll(async () => {
    muster = await MusterProcess.start(builtMain, args);
    for (const statement of [...setUp, ...fill()]) await muster.query(statement);
  });

  afterAll(async () => muster.stop());

  it.each(usagePatterns)('$name', async (pattern) => {
    const sql = inlined(pattern);
    expect(toNineDigits(await muster.query(sql))).toBe(toNineDigits(oracle.query(sql)));
  });
});
