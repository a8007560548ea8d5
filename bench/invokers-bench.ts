// What lies between a root and its workers, by adapter: what it adds to a question that needs no work,
// and how much faster two workers are than one where there is much. Sets are literals, so that no store
// is asked. Run: node dist/bench/invokers-bench.js [--rounds N] [--rows N]

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import type { Batch } from '../engine/batch/batch.ts';
import { dispatch } from '../engine/batch/dispatch.ts';
import type { Invoker } from '../engine/batch/invoker.ts';
import { slicesOf } from '../engine/batch/slices.ts';
import type { WorkerPool } from '../functions/serve-options.ts';
import { openInvoker } from '../functions/worker-pool.ts';
import { openStore } from '../object-store/open-store.ts';
import { literalBatch } from './literal-batch.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    rows: { type: 'string', default: '60000' },
  },
});
const rounds = Number(values.rounds);
const rows = Number(values.rows);
const secret = 'for this bench alone';

interface Row {
  readonly name: string;
  readonly invoker: Invoker;
  emptyMs: number;
  heavyMs: number;
}

async function timed(invoker: Invoker, batch: Batch): Promise<number> {
  const began = performance.now();
  await dispatch(batch, slicesOf(batch), invoker);
  return performance.now() - began;
}

/** Best times, in turns: what else the machine does meets all alike, and the least of it counts. */
async function measure(table: readonly Row[]): Promise<void> {
  const [empty, heavy] = [literalBatch(1), literalBatch(rows)];
  for (let round = 0; round < rounds; round++) {
    for (const row of table) {
      for (let i = 0; i < 20; i++) {
        row.emptyMs = Math.min(row.emptyMs, await timed(row.invoker, empty));
      }
      row.heavyMs = Math.min(row.heavyMs, await timed(row.invoker, heavy));
    }
  }
}

/** A worker server in a process of its own. */
async function startWorker(store: string): Promise<{ child: ChildProcess; address: string }> {
  const module = new URL('../functions/worker-server.js', import.meta.url);
  const program = `const { startWorkerServer } = await import(${JSON.stringify(module)});
    const options = { host: '127.0.0.1', port: 0, logLevel: 'silent' };
    const [store, secret] = process.argv.slice(-2);
    console.log((await startWorkerServer({ ...options, store, secret })).port);`;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, '--', store, secret],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const port = await new Promise<string>((resolve) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
  });
  return { child, address: `http://127.0.0.1:${port}` };
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const store = await openStore(directory, { clock: systemClock, probe: false });
  const place = { store: directory, endpoint: undefined, region: undefined };
  const workers = [await startWorker(directory), await startWorker(directory)];
  const addresses = workers.map(({ address }) => address);
  const pools: readonly (readonly [string, WorkerPool])[] = [
    ['in this process', { kind: 'in-process' }],
    ['1 thread', { kind: 'threads', count: 1 }],
    ['2 threads', { kind: 'threads', count: 2 }],
    ['1 process', { kind: 'processes', count: 1 }],
    ['2 processes', { kind: 'processes', count: 2 }],
    ['1 worker over HTTP', { kind: 'http', addresses: addresses.slice(0, 1), secret }],
    ['2 workers over HTTP', { kind: 'http', addresses, secret }],
  ];
  const table: Row[] = [];
  for (const [name, pool] of pools) {
    const invoker = await openInvoker(pool, store, place);
    table.push({
      name,
      invoker,
      emptyMs: Number.POSITIVE_INFINITY,
      heavyMs: Number.POSITIVE_INFINITY,
    });
  }
  await measure(table);
  for (const { invoker } of table) await invoker.close();
  const first = table[0] as Row;
  console.log(
    'workers                adds to an empty question   speed of a heavy one (in process = 1)',
  );
  for (const { name, emptyMs, heavyMs } of table) {
    const added = `${(emptyMs - first.emptyMs).toFixed(2)} ms`;
    const times = `${(emptyMs / first.emptyMs).toFixed(1)}x`;
    const speed = `${(first.heavyMs / heavyMs).toFixed(2)}x`;
    console.log(
      `${name.padEnd(22)} ${added.padStart(10)} (${times.padStart(5)})   ${speed.padStart(16)}`,
    );
  }
  console.log(
    `(in process: empty ${first.emptyMs.toFixed(2)} ms, heavy ${first.heavyMs.toFixed(0)} ms)`,
  );
  for (const { child } of workers) child.kill();
  rmSync(directory, { recursive: true, force: true });
}

await main();
