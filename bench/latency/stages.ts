// The stages of a warm question, each alone and in this process: parsing, the catalog's probe, planning,
// the whole in the engine with its worker in this thread, and the text of the answer. What a client
// waits beyond them is HTTP and, where there is one, the way to a worker thread and back.

import { systemClock } from '../../base/clock.ts';
import { InProcessInvoker } from '../../engine/batch/in-process-invoker.ts';
import { Engine } from '../../engine/engine.ts';
import { planFor } from '../../engine/root/run-select.ts';
import { parseStatement } from '../../engine/sql/statement-parser.ts';
import { createWorkerEnvironment } from '../../engine/worker/worker-environment.ts';
import { formattedRows } from '../../functions/formatted-rows.ts';
import { openServedCatalog } from '../../functions/served-catalog.ts';
import { openStore } from '../../object-store/open-store.ts';
import { median } from '../median.ts';
import { latencyQuestions } from './questions.ts';

const rounds = 300;

/** Over the tables that the bench's server has made in `folder`. */
export async function measureStages(folder: string): Promise<void> {
  const store = await openStore(folder, { clock: systemClock });
  const catalog = await openServedCatalog(store, systemClock);
  const invoker = new InProcessInvoker(createWorkerEnvironment(store));
  const engine = new Engine({ catalog, store, invoker });
  console.log('stages, ms: question\tparse\tprobe\tplan\tin the engine\tformat');
  for (const { name, sql } of latencyQuestions) {
    const request = {
      queryId: 'bench',
      text: sql,
      database: 'default',
      parameters: new Map<string, string>(),
      settings: new Map<string, string>(),
    };
    const statement = parseStatement(sql);
    if (statement.kind !== 'select') continue;
    const result = await engine.execute(request);
    const parse = await timed(async () => parseStatement(sql));
    const probe = await timed(() => catalog.snapshot('default'));
    const planned = await timed(() =>
      engine.within(request, (context) => planFor(statement.query, context, 'state')),
    );
    const whole = await timed(() => engine.execute(request));
    const format = await timed(async () => {
      if (result.kind !== 'rows') return;
      const asked = { format: 'TabSeparated', settings: new Map<string, string>() };
      for (const chunk of formattedRows(result, asked).chunks) void chunk;
    });
    const plan = Math.max(0, planned - (name === 'one' ? 0 : probe));
    console.log(
      [name, ...[parse, probe, plan, whole, format].map((ms) => ms.toFixed(3))].join('\t'),
    );
  }
  await store.close();
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds + rounds / 3; i++) {
    const began = performance.now();
    await run();
    if (i >= rounds / 3) times.push(performance.now() - began);
  }
  return median(times);
}
