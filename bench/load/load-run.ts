// Many clients on one server for some seconds, and what became of both: used by the bench, which
// prints it, and by a test, which asserts that nothing went wrong, grew, or was left behind.

import { setTimeout as delay } from 'node:timers/promises';
import { LoadClient, setup } from './load-client.ts';
import { leastOfThirds, readNumbers, type ServerNumbers, sampleNumbers } from './server-numbers.ts';

export interface LoadReport {
  readonly requests: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly unexpected: readonly string[];
  /** The least of each third of the time, in bytes. */
  readonly rss: readonly number[];
  readonly heap: readonly number[];
  readonly external: readonly number[];
  /** Before the first client came, and after the last had left. */
  readonly before: ServerNumbers;
  readonly after: ServerNumbers;
  /** Rows that inserts brought which were answered, and rows that are there. */
  readonly insertedRows: number;
  readonly storedRows: number;
}

interface LoadOptions {
  readonly port: number;
  readonly clients: number;
  readonly seconds: number;
  /** Before anything is measured: caches fill. */
  readonly warmUpSeconds: number;
  readonly seed: number;
}

export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { port, seed } = options;
  const url = `http://127.0.0.1:${port}`;
  for (const [sql, body] of setup) await ask(url, sql, body);
  const before = await readNumbers(url);
  const clients = Array.from(
    { length: options.clients },
    (_, id) => new LoadClient(port, id, seed),
  );
  const stop = new AbortController();
  const running = Promise.all(clients.map((client) => client.run(stop.signal)));
  await delay(options.warmUpSeconds * 1000);
  const sampling = sampleNumbers(url, stop.signal);
  await delay(options.seconds * 1000);
  stop.abort();
  await running;
  const samples = await sampling;
  const outcomes = new Map<string, number>();
  for (const { report } of clients) {
    for (const [name, count] of report.outcomes) {
      outcomes.set(name, (outcomes.get(name) ?? 0) + count);
    }
  }
  return {
    requests: [...outcomes.values()].reduce((all, count) => all + count, 0),
    outcomes: new Map([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))),
    unexpected: clients.flatMap(({ report }) => report.unexpected),
    rss: leastOfThirds(samples.map(({ rssBytes }) => rssBytes)),
    heap: leastOfThirds(samples.map(({ heapBytes }) => heapBytes)),
    external: leastOfThirds(samples.map(({ externalBytes }) => externalBytes)),
    before,
    after: await settled(url, before),
    insertedRows: clients.reduce((all, { report }) => all + report.insertedRows, 0),
    storedRows: Number(await ask(url, 'SELECT count() FROM log', '')),
  };
}

const settleRounds = 200;

/**
 * When nothing runs any more, clients' connections are gone, and no resource is held that was not held
 * before: merges behind the inserts go on for a while. As it is after some seconds else.
 */
async function settled(url: string, before: ServerNumbers): Promise<ServerNumbers> {
  for (let i = 0; ; i++) {
    const numbers = await readNumbers(url);
    const { running, waiting, connections, resources } = numbers;
    const more = [...resources].some(([type, n]) => n > (before.resources.get(type) ?? 0));
    const isQuiet = running === 0 && waiting === 0 && connections <= 1 && !more;
    if (isQuiet || i === settleRounds) return numbers;
    await delay(100);
  }
}

async function ask(url: string, sql: string, body: string): Promise<string> {
  const reply = await fetch(`${url}/?query=${encodeURIComponent(sql)}`, {
    method: 'POST',
    headers: { Connection: 'close' },
    body,
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${sql}: ${text}`);
  return text;
}
