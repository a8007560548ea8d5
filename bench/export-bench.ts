// Ids of one set taken out: sparse 64-bit ones and dense ones, as CSV, JSON lines, Parquet, Arrow and
// sorted CSV, by the command as a person runs it, beside ClickHouse that unrolls its own state into the
// same format. See bench/README.md.
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

/** How each is written, and ClickHouse's name for it. */
const ways = [
  { words: ['--to', 'ours.csv'], format: 'CSV' },
  { words: ['--to', 'ours.jsonl'], format: 'JSONEachRow' },
  { words: ['--to', 'ours.parquet'], format: 'Parquet' },
  { words: ['--to', 'ours.arrow'], format: 'Arrow' },
  { words: ['--to', 'sorted.csv', '--sorted'], format: 'CSV' },
] as const;

interface Measured {
  readonly seconds: number;
  /** Of all threads. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
  /** Without start-up, as the command says. */
  readonly rate: number;
}

function measured(words: readonly string[]): Measured {
  const args = ['-f', '%U %S %M', process.execPath, main, 'export', ...words, '--data', 'store'];
  const began = performance.now();
  const { status, stderr } = spawnSync('/usr/bin/time', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const seconds = (performance.now() - began) / 1000;
  const [, rate = '0'] = /, ([\d,]+) rows\/s;/.exec(stderr) ?? [];
  const [user = 0, system = 0, kilobytes = 0] =
    stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return {
    seconds,
    cpuSeconds: user + system,
    peakMb: kilobytes / 1024,
    rate: Number(rate.replaceAll(',', '')) / 1e6,
  };
}

/** Seconds of each format. */
function clickHouse({ id, type }: (typeof kinds)[number]): ReadonlyMap<string, number> {
  const oracle = ClickHouseOracle.open(packageJson);
  try {
    oracle.query('CREATE DATABASE b');
    oracle.query(
      `CREATE TABLE b.s (ids AggregateFunction(groupBitmap, ${type})) ENGINE = MergeTree ORDER BY tuple()`,
    );
    oracle.query(`INSERT INTO b.s SELECT groupBitmapState(${id}) FROM numbers(${ids})`);
    const seconds = new Map<string, number>();
    for (const format of new Set(ways.map((way) => way.format))) {
      const file = join(root, `theirs.${format}`);
      const target = `file('${file}', ${format}, 'id ${type}')`;
      const began = performance.now();
      oracle.query(
        `INSERT INTO FUNCTION ${target} SELECT arrayJoin(bitmapToArray(ids)) FROM b.s SETTINGS max_threads = 2`,
      );
      seconds.set(format, (performance.now() - began) / 1000);
      rmSync(file);
    }
    return seconds;
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
    console.log(`${kind} ${type}, ${ids / 1e6} M ids`);
    for (const { words, format } of ways) {
      const { seconds, cpuSeconds, peakMb, rate } = measured([`SELECT ids FROM ${kind}`, ...words]);
      const bytes = statSync(join(root, words[1])).size;
      const other = theirs.get(format) ?? Number.NaN;
      console.log(
        [
          `  ${words.slice(1).join(' ')}`,
          `${seconds.toFixed(1)} s with start-up (${cpuSeconds.toFixed(1)} of processors)`,
          `${(ids / seconds / 1e6).toFixed(1)} M ids/s, ${rate.toFixed(1)} without start-up`,
          `${(bytes / 1e6).toFixed(0)} MB`,
          `peak ${peakMb.toFixed(0)} MB`,
          `ClickHouse ${other.toFixed(1)} s`,
          `ratio ${(other / seconds).toFixed(2)}`,
        ].join('\t'),
      );
      rmSync(join(root, words[1]));
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
