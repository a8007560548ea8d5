// 32 clients on one server for a minute: questions, inserts, mistakes, clients that leave. Prints what
// was answered how often, memory by thirds of the time, and what is left when all have gone. See
// bench/README.md; test/integration/load.test.ts asserts the same on a shorter run.
//
// Usage: node dist/bench/load-bench.js [--clients 32] [--seconds 60] [--queries-max 8] [--seed 1]
//   [-- flags of serve, such as --store s3://bucket/prefix --endpoint URL]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runLoad } from './load/load-run.ts';
import { MusterProcess } from './muster-process.ts';

const { values, positionals: flags } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '60' },
    'queries-max': { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});

const main = fileURLToPath(new URL('../functions/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'muster-load-'));
const place = flags.includes('--store') ? [] : ['--data', join(folder, 'data')];
const args = [...place, '--queries-max', values['queries-max'], ...flags];
const muster = await MusterProcess.start(main, args);
try {
  const seconds = Number(values.seconds);
  const report = await runLoad({
    port: Number(new URL(muster.url).port),
    clients: Number(values.clients),
    seconds,
    warmUpSeconds: Math.min(5, seconds / 4),
    seed: Number(values.seed),
  });
  const megabytes = (bytes: readonly number[]) =>
    bytes.map((value) => (value / 1e6).toFixed(0)).join(' ');
  console.log(`${report.requests} requests by ${values.clients} clients in ${seconds} s`);
  for (const [outcome, count] of report.outcomes) console.log(`${count}\t${outcome}`);
  console.log(`MB, least of each third: heap ${megabytes(report.heap)}`);
  console.log(`  external ${megabytes(report.external)}, resident ${megabytes(report.rss)}`);
  console.log('left', report.after, 'before', report.before);
  console.log(`${report.storedRows} rows stored, ${report.insertedRows} answered for`);
  for (const text of report.unexpected.slice(0, 20)) console.log(`UNEXPECTED ${text}`);
  if (report.unexpected.length > 0) process.exitCode = 1;
} finally {
  await muster.stop();
  rmSync(folder, { recursive: true, force: true });
}
