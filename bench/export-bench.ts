// Ids of one set taken out: sparse 64-bit ones and dense ones, as CSV, Parquet and sorted CSV, by the
// command as a person runs it, beside ClickHouse that unrolls its own state. See bench/README.md.
//
// Usage: node dist/bench/export-bench.js [--ids 10000000]

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ClickHouseOracle } from './clickhouse-oracle.ts';

const { values } = parseArgs({ options: { ids: { type: 'string', default: '10000000' } } });
const ids = Number(values.ids);
const main = fileURLToPath(new URL('../functions/main.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'muster-export-bench-'));
const packageJson = fileURLToPath(new URL('../../test/package.json', import.meta.url));

const kinds = [
  { kind: 'sparse', id: 'sipHash64(number)', type: 'UInt64' },
  { kind: 'dense', id: 'toUInt32(number)', type: 'UInt32' },
] as const;

function muster(...words: readonly string[]): string {
  return execFileSync(process.execPath, [main, ...words], { cwd: root, encoding: 'utf8' });
}

interface Measured {
  readonly seconds: number;
  readonly peakMb: number;
  /** Without start-up, as the command says. */
  readonly rate: number;
}

function measured(words: readonly string[]): Measured {
  const args = ['-f', '%M', process.execPath, main, 'export', ...words, '--data', 'store'];
  const began = performance.now();
  const { status, stderr } = spawnSync('/usr/bin/time', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const seconds = (performance.now() - began) / 1000;
  const [, rate = '0'] = /, ([\d,]+) rows\/s;/.exec(stderr) ?? [];
  const peakMb = Number(stderr.trim().split('\n').at(-1)) / 1024;
  return { seconds, peakMb, rate: Number(rate.replaceAll(',', '')) / 1e6 };
}

function clickHouse({ id, type }: (typeof kinds)[number]): number {
  const oracle = ClickHouseOracle.open(packageJson);
  try {
    oracle.query('CREATE DATABASE b');
    oracle.query(
      `CREATE TABLE b.s (ids AggregateFunction(groupBitmap, ${type})) ENGINE = MergeTree ORDER BY tuple()`,
    );
    oracle.query(`INSERT INTO b.s SELECT groupBitmapState(${id}) FROM numbers(${ids})`);
    const target = `file('${join(root, 'theirs.csv')}', CSV, 'id ${type}')`;
    const began = performance.now();
    oracle.query(
      `INSERT INTO FUNCTION ${target} SELECT arrayJoin(bitmapToArray(ids)) FROM b.s SETTINGS max_threads = 2`,
    );
    return (performance.now() - began) / 1000;
  } finally {
    oracle.close();
  }
}

try {
  mkdirSync(join(root, 'store'));
  for (const one of kinds) {
    const { kind, id, type } = one;
    muster(
      'sql',
      '--data',
      'store',
      `CREATE TABLE ${kind} (ids AggregateFunction(groupBitmap, ${type})) ENGINE = MergeTree ORDER BY tuple() SETTINGS muster_groups = 4`,
    );
    muster(
      'sql',
      '--data',
      'store',
      `INSERT INTO ${kind} SELECT groupBitmapState(${id}) FROM numbers(${ids})`,
    );
    const theirs = clickHouse(one);
    console.log(`${kind} ${type}, ${ids / 1e6} M ids: ClickHouse to CSV ${theirs.toFixed(1)} s`);
    for (const words of [
      ['--to', 'ours.csv'],
      ['--to', 'sorted.csv', '--sorted'],
      ['--to', 'ours.parquet'],
    ]) {
      const { seconds, peakMb, rate } = measured([`SELECT ids FROM ${kind}`, ...words]);
      const bytes = statSync(join(root, words[1] ?? '')).size;
      console.log(
        `  ${words.slice(1).join(' ')}\t${seconds.toFixed(1)} s with start-up, ${rate.toFixed(1)} M ids/s without it, ${(bytes / 1e6).toFixed(0)} MB, peak ${peakMb.toFixed(0)} MB, ratio ${(theirs / seconds).toFixed(2)}`,
      );
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
