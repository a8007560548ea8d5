// `muster demo` through pipes: loaded once, shown at each start; and serve, which doesn't ask there.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run, start } from './command-line.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-cli-demo-'));
afterAll(() => rmSync(cwd, { recursive: true }));

async function started(words: readonly string[], people = '1000') {
  const flags = ['--port', '0', '--log-level', 'error'];
  const child = start([...words, ...flags], { cwd, env: { MUSTER_DEMO_PEOPLE: people } });
  let out = '';
  let said = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  while (!out.includes('Stop with Ctrl-C.')) {
    if (child.exitCode !== null) throw new Error(said);
    await once(child.stdout, 'data');
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  };
  return { out, said, stop };
}

test('the demo is loaded once, and its line to paste works', async () => {
  const first = await started(['demo', '--data', 'd']);
  expect(first.said).toMatch(
    /^(Loading 1,000 people: +\d+ %.*\n)*Loading 1,000 people: done in .*\n$/,
  );
  expect(first.out.match(/asked again in/g)).toHaveLength(3);
  expect(first.out).not.toContain('\u001b');
  const [, url = '', statement = ''] =
    /npx muster sql --url (\S+) "(SELECT .*)"\n/.exec(first.out) ?? [];
  const { out } = await run(['sql', '--url', url, statement], { cwd });
  expect(out).toMatch(/^topic00\t4\d\d\n(topic\d\d\t\d+\n){4}$/);
  await first.stop();

  const second = await started(['serve', '--demo', '--data', 'd'], '2000');
  expect(second.said).toBe('');
  expect(second.out).toContain('The demo: 1,000 people');
  await second.stop();
});

test('serve through pipes asks nothing and loads nothing', async () => {
  const plain = await started(['serve', '--data', 'plain']);
  expect(plain.out).not.toMatch(/demo/);
  expect(plain.said).toBe('');
  await plain.stop();
});
