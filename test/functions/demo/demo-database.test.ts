import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { textOf } from '../../../functions/cli/connection/connection.ts';
import { EmbeddedConnection } from '../../../functions/cli/connection/embedded-connection.ts';
import { demoState, loadDemo } from '../../../functions/demo/demo-database.ts';
import { answerText, exampleQuestions } from '../../../functions/demo/example-questions.ts';

const people = 2000;
const { signal } = new AbortController();
let folder: string;
let connection: EmbeddedConnection;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-demo-'));
  connection = await EmbeddedConnection.open({
    store: folder,
    endpoint: undefined,
    region: undefined,
  });
});
afterEach(async () => {
  await connection.close();
  rmSync(folder, { recursive: true });
});

const ask = async (text: string) => {
  const question = { text, format: 'TabSeparated', database: 'default', signal };
  return await textOf(await connection.execute(question));
};

test('it is loaded whole, known again, and answers its questions', async () => {
  expect(await demoState(connection, signal)).toEqual({ kind: 'none' });
  const shares: number[] = [];
  await loadDemo(connection, { people, signal, progress: (share) => shares.push(share) });
  expect(await demoState(connection, signal)).toEqual({ kind: 'whole', people });
  expect(shares.at(-1)).toBeCloseTo(1);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  for (const question of exampleQuestions) {
    const text = await answerText(connection, question, signal);
    expect(text).toContain(question.asks);
    expect(text).toMatch(/│ .*\d.* │\n[^]*in [\d.]+ m?s, asked again in/);
  }
});

test('a load that was stopped is thrown away and done again', async () => {
  const stop = new AbortController();
  const progress = (share: number): void => {
    if (share > 0.5) stop.abort(new Error('stopped'));
  };
  await expect(loadDemo(connection, { people, signal: stop.signal, progress })).rejects.toThrow();
  expect(await demoState(connection, signal)).toEqual({ kind: 'partial' });
  const fewer = people / 2;
  await loadDemo(connection, { people: fewer, signal, progress: () => undefined });
  expect(await demoState(connection, signal)).toEqual({ kind: 'whole', people: fewer });
  const regions =
    "SELECT sum(c) FROM (SELECT groupBitmapMerge(users) AS c FROM demo.tags WHERE label = 'region' GROUP BY value)";
  expect(await ask(regions)).toBe(`${fewer}\n`);
});

test("somebody else's tables stay as they are", async () => {
  await ask('CREATE DATABASE demo');
  await ask('CREATE TABLE demo.daily (a UInt8) ENGINE = MergeTree ORDER BY a');
  await ask('INSERT INTO demo.daily VALUES (7)');
  expect(await demoState(connection, signal)).toEqual({ kind: 'none' });
  const load = loadDemo(connection, { people, signal, progress: () => undefined });
  await expect(load).rejects.toThrow(/demo\.daily is not the demo's/);
  expect(await ask('SELECT a FROM demo.daily')).toBe('7\n');
});
