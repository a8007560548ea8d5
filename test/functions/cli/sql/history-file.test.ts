import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HistoryFile } from '../../../../functions/cli/sql/history-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-history-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('entries come back newest first, for their owner alone', () => {
  const path = join(folder, 'history');
  writeFileSync(path, 'SELECT 0;\n', { mode: 0o644 });
  const history = new HistoryFile(path);
  for (const entry of ['SELECT 1;', ' SELECT secret;', '', 'SELECT\n2;', 'SELECT 3;']) {
    history.add(entry);
  }
  expect(new HistoryFile(path).read()).toEqual(['SELECT 3;', 'SELECT 1;', 'SELECT 0;']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what is no file is left as it is', () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '622', path]);
  const history = new HistoryFile(path);
  expect(history.read()).toEqual([]);
  history.add('SELECT 1;');
  expect(statSync(path).mode & 0o777).toBe(0o622);
});

test('a long history is cut, a missing one is empty', () => {
  const path = join(folder, 'long');
  writeFileSync(path, Array.from({ length: 2500 }, (_, i) => `SELECT ${i};\n`).join(''));
  expect(new HistoryFile(path).read()[0]).toBe('SELECT 2499;');
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1001);
  const none = new HistoryFile(join(folder, 'no', 'where'));
  none.add('SELECT 1;');
  expect(none.read()).toEqual([]);
});
