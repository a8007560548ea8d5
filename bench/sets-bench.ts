// Sets at full speed: Muster as a person starts it, over a directory, asked over HTTP, beside ClickHouse
// in this process over groupBitmap states of the same ids. Every line prints both times, their ratio and
// the floor that it is held against, what was read, and the server's peak memory. See README.md.
//
// Usage: node dist/bench/sets-bench.js [--full] [--rounds 15] [--only hundred,thirty,small,threads]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ClickHouseOracle } from './clickhouse-oracle.ts';
import { MusterProcess } from './muster-process.ts';
import { hundredSets, thirtySets } from './sets/large-sets.ts';
import { smallSets } from './sets/small-sets.ts';
import { printHeader, type SideBySide } from './sets/side-by-side.ts';
import { twoThreads } from './sets/two-threads.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: 'hundred,thirty,small,threads' },
  },
});

const parts: Readonly<Record<string, (sides: SideBySide, scale: number) => Promise<void>>> = {
  hundred: hundredSets,
  thirty: thirtySets,
  small: smallSets,
};

await main(values.only.split(','), values.full ? 1 : 0.1, Number(values.rounds));

async function main(names: readonly string[], scale: number, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const start = (place: string, workers = 2) =>
    MusterProcess.start(join(repository, 'dist/functions/main.js'), [
      '--data',
      join(folder, place),
      '--no-demo',
      '--workers',
      `${workers}`,
    ]);
  try {
    const compared = names.filter((name) => name in parts);
    if (compared.length > 0) await compareAll(compared, { rounds, scale, start });
    if (names.includes('threads')) {
      await twoThreads({ rounds, scale, start: (workers) => start('threads', workers) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareAll(
  names: readonly string[],
  options: {
    readonly rounds: number;
    readonly scale: number;
    readonly start: (place: string) => Promise<MusterProcess>;
  },
): Promise<void> {
  const { rounds, scale, start } = options;
  const oracle = ClickHouseOracle.open(join(repository, 'test', 'package.json'));
  const muster = await start('compared');
  try {
    printHeader();
    for (const name of names) await parts[name]?.({ muster, oracle, rounds }, scale);
  } finally {
    await muster.stop();
    oracle.close();
  }
}
