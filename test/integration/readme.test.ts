// The README's commands, run as they stand there, print the answers that it promises.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MusterProcess } from '../../bench/muster-process.ts';
import { builtMain, repository } from './places.ts';

it('the README tells the truth', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-readme-'));
  const muster = await MusterProcess.start(builtMain, ['--data', join(folder, 'data')]);
  try {
    const text = readFileSync(join(repository, 'README.md'), 'utf8');
    const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? '');
    const commands = blocks.filter((block) => !/\bnp[mx] /.test(block)).join('\n');
    const script = commands.replaceAll('http://127.0.0.1:8123', muster.url);
    const printed = execFileSync('bash', ['-e', '-c', script], { cwd: folder }).toString();
    const promised = [...text.matchAll(/^answers `(.+)`/gm)].map((match) => match[1] ?? '');
    expect(printed.trim().split('\n')).toEqual(promised.map((line) => line.replace(/ {2}/g, '\t')));
  } finally {
    await muster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
