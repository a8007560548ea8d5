// docs/reference/http.md names the metrics, headers and fields of the log that there are, no others.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../functions/log.ts';
import { Metrics } from '../../functions/metrics.ts';
import { startScripted } from '../functions/http/asking.ts';
import { bug, failed, succeeded } from '../functions/query-records.ts';
import { repository } from './places.ts';

const text = readFileSync(join(repository, 'docs/reference/http.md'), 'utf8');

/** What stands in backticks in the first columns of a section's table. */
function namesOf(heading: string): readonly string[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map((match) => match[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map((match) => match[1] ?? ''));
}

test('metrics', async () => {
  const metrics = new Metrics();
  metrics.watch({
    running: () => 0,
    waiting: () => 0,
    connections: async () => 0,
    cacheBytes: () => ({}),
  });
  const { text: numbers } = await metrics.text();
  const found = [...numbers.matchAll(/^# TYPE (\w+) /gm)].map((match) => match[1] ?? '');
  expect(found.sort()).toEqual([...namesOf('Metrics')].sort());
});

test('fields of the log', () => {
  const fields = new Set<string>();
  const write = (line: string) => {
    for (const field of Object.keys(JSON.parse(line) as object)) fields.add(field);
  };
  const log = openLog({ level: 'info', destination: { write } });
  log.query(succeeded);
  log.query(failed(bug));
  expect([...fields].filter((field) => field !== 'stack').sort()).toEqual(
    [...namesOf('Log')].sort(),
  );
});

test('headers of answers', async () => {
  const server = await startScripted();
  const found = new Set<string>();
  for (const query of ['SELECT+1+numbers', 'nonsense']) {
    const { headers } = await fetch(`http://127.0.0.1:${server.port}/?query=${query}`);
    for (const name of headers.keys()) found.add(name);
  }
  server.edge.drain();
  const { headers } = await fetch(`http://127.0.0.1:${server.port}/?query=x`);
  for (const name of headers.keys()) found.add(name);
  await server.close();
  const common = new Set(['connection', 'content-length', 'date', 'keep-alive']);
  expect([...found].filter((name) => !common.has(name)).sort()).toEqual(
    namesOf('Answers')
      .map((name) => name.toLowerCase())
      .sort(),
  );
});
