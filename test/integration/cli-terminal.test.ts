// The conversation of `muster sql` and the offer of the demo, on a pseudo-terminal.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { keys, type Server, serve, Terminal } from './command-line.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-cli-terminal-'));
let server: Server;
let terminal: Terminal;

beforeAll(async () => {
  server = await serve(['--data', 'served'], { cwd });
});
afterEach(() => terminal.kill());
afterAll(async () => {
  await server.stop();
  rmSync(cwd, { recursive: true });
});

const open = (env: Record<string, string> = {}) =>
  new Terminal(['sql', '--url', server.url], { cwd, env });

test('statements over lines, errors with a caret, history, completion, Ctrl-C, the end', async () => {
  terminal = open();
  await terminal.until(/muster> /);
  await terminal.ask('SELECT 1 AS one,', /-> /);
  expect(await terminal.ask("  'b' AS two;", /row in .*muster> /s)).toMatch(/┌─one─┬─two─┐/);

  expect(await terminal.ask('SELECT cont(1);', /muster> /)).toMatch(/\^.*Error.*Unknown function/s);
  expect(await terminal.ask('SELECT 7 AS seven\\G', /muster> /)).toMatch(/Row 1:.*seven: 7/s);

  const created = 'CREATE TABLE wonderful (a UInt8) ENGINE = MergeTree ORDER BY a;';
  expect(await terminal.ask(created, /muster> /)).toMatch(/Done in/);
  expect(await terminal.ask('.tables', /muster> /)).toMatch(/│ wonderful │/);
  for (let tries = 0; tries < 20; tries++) {
    // Names are learnt in the background.
    terminal.type(`SELECT uniqEx${keys.tab}(a) FROM wonderf${keys.tab};\r`);
    if (/FROM wonderful;/.test(await terminal.until(/muster> /))) break;
  }
  terminal.type(`${keys.up}${keys.up}`);
  await terminal.until(/uniqExact\(a\) FROM wonderful|\.tables/);
  terminal.type(keys.ctrlC);
  await terminal.until(/\^C[^]*muster> /);

  const endless = 'SELECT count() FROM numbers(30000000000) WHERE number % 7 = 3;';
  terminal.type(`${endless}\r`);
  await terminal.until(/number % 7 = 3;/);
  await new Promise((resolve) => setTimeout(resolve, 500));
  terminal.type(keys.ctrlC);
  await terminal.until(/Stopped\.[^]*muster> /);
  expect(await terminal.ask('.timing', /muster> /)).toMatch(/Timing is on/);
  expect(await terminal.ask('SELECT 8;', /engine.*muster> /s)).toMatch(/│ 8 │/);

  await terminal.ask('SELECT 1 +', /-> /);
  terminal.type(keys.ctrlC);
  await terminal.until(/muster> /);
  terminal.type(keys.ctrlC);
  await terminal.until(/Ctrl-D or \.exit ends\./);
  terminal.type(keys.ctrlD);
  expect(await terminal.ended()).toBe(0);

  const history = join(cwd, '.muster_history');
  expect(statSync(history).mode & 0o777).toBe(0o600);
  expect(readFileSync(history, 'utf8').split('\n')[0]).toBe("SELECT 1 AS one, 'b' AS two;");
  terminal = open();
  await terminal.until(/muster> /);
  terminal.type(keys.up);
  await terminal.until(/SELECT 8;/);
});

test('colours, and none when they are not wanted', async () => {
  terminal = open();
  await terminal.until(/muster> /);
  expect(await terminal.ask('SELECT x;', /Unknown/)).toContain('\u001b[31m');
  terminal.kill();
  terminal = open({ NO_COLOR: '1' });
  await terminal.until(/muster> /);
  expect(await terminal.ask('SELECT x;', /Unknown/)).not.toContain('\u001b[31m');
});

test('nobody there: code 3 at once', async () => {
  terminal = new Terminal(['sql', '--url', 'http://127.0.0.1:1'], { cwd });
  await terminal.until(/No server answers/);
  expect(await terminal.ended()).toBe(3);
});

test('an empty directory is offered the demo; a cut off load is done again; then it is there', async () => {
  const words = ['serve', '--port', '0', '--data', 'new'];
  const people = { MUSTER_DEMO_PEOPLE: '300000' };
  terminal = new Terminal(words, { cwd, env: people });
  await terminal.until(/new is empty\. Load the demo.*\[Y\/n\] /);
  terminal.type('y\r');
  await terminal.until(/\[#+\.+\]/);
  terminal.kill();
  terminal = new Terminal(words, { cwd, env: { MUSTER_DEMO_PEOPLE: '1000' } });
  const shown = await terminal.until(/Stop with Ctrl-C\./);
  expect(shown).toMatch(/Loading 1,000 people: done/);
  expect(shown).toMatch(/How many people in the east.*│ +\d+ │.*asked again.*npx muster sql/s);
  terminal.type(keys.ctrlC);
  expect(await terminal.ended()).toBe(0);
  terminal = new Terminal(words, { cwd });
  const again = await terminal.until(/Stop with Ctrl-C\./);
  expect(again).not.toMatch(/Loading|empty/);
  expect(again).toMatch(/The demo: 1,000 people/);
});

test('no is no, for this start and the next', async () => {
  for (const first of [true, false]) {
    terminal = new Terminal(['serve', '--port', '0', '--data', 'plain'], { cwd });
    if (first) await terminal.until(/\[Y\/n\] /);
    if (first) terminal.type('n\r');
    expect(await terminal.until(/Stop with Ctrl-C\./)).not.toMatch(/Loading|The demo/);
    terminal.type(keys.ctrlC);
    expect(await terminal.ended()).toBe(0);
  }
});
