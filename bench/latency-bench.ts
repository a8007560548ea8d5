// Where a warm question's time goes: what a client waits over a connection that stays open, what the
// engine took of it, what workers were busy, and the processor time of the server, for questions whose
// work is next to nothing. Then the stages of such a question, each alone, in this process. See README.md.
//
// Usage: node dist/bench/latency-bench.js [--rounds 300] [--workers 2] [--small 400000]
//                                         [--only one,count,union,...] [--data DIR]

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { latencyQuestions, loadLatencyTables, smallQuestions } from './latency/questions.ts';
import { measureStages } from './latency/stages.ts';
import { median } from './median.ts';
import { type Asked, MusterProcess } from './muster-process.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    workers: { type: 'string', default: '2' },
    small: { type: 'string', default: '400000' },
    only: { type: 'string', default: '' },
    data: { type: 'string' },
  },
});

await main();

async function main(): Promise<void> {
  const kept = values.data;
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const isNew = !existsSync(join(folder, 'catalog'));
  const muster = await MusterProcess.start(join(repository, 'dist/functions/main.js'), [
    '--data',
    folder,
    '--no-demo',
    '--workers',
    values.workers,
  ]);
  try {
    const small = Number(values.small);
    if (isNew) await loadLatencyTables(muster, small);
    const only = values.only === '' ? undefined : values.only.split(',');
    console.log(
      'question\tclient ms\tbest\tengine ms\tworkers ms\tprocessor ms\trequests\tread kB\tanswer',
    );
    const rounds = Number(values.rounds);
    for (const { name, sql, isLong = false } of [...latencyQuestions, ...smallQuestions]) {
      if (only !== undefined && !only.includes(name)) continue;
      await measure(muster, { name, sql, rounds: isLong ? Math.ceil(rounds / 20) : rounds });
    }
    console.log(`# peak memory of the server: ${muster.peakMemoryMb().toFixed(0)} MB`);
  } finally {
    await muster.stop();
  }
  if (values.only === '' || values.only.includes('stages')) await measureStages(folder);
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

async function measure(
  muster: MusterProcess,
  { name, sql, rounds }: { readonly name: string; readonly sql: string; readonly rounds: number },
): Promise<void> {
  for (let i = 0; i < Math.ceil(rounds / 3); i++) await muster.ask(sql);
  const asked: Asked[] = [];
  const before = muster.processorMs();
  for (let i = 0; i < rounds; i++) asked.push(await muster.ask(sql));
  const processorMs = (muster.processorMs() - before) / rounds;
  const last = asked.at(-1);
  const of = (pick: (one: Asked) => number) => median(asked.map(pick)).toFixed(2);
  console.log(
    [
      name,
      of(({ ms }) => ms),
      Math.min(...asked.map(({ ms }) => ms)).toFixed(2),
      of(({ engineMs }) => engineMs),
      of(({ workerMs }) => workerMs),
      processorMs.toFixed(2),
      last?.requests,
      ((last?.bytesRead ?? 0) / 1000).toFixed(1),
      last?.text.trim().slice(0, 40),
    ].join('\t'),
  );
}
