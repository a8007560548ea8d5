// Every command and answer of the documentation, run as it stands there.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MusterProcess } from '../../bench/muster-process.ts';
import { blocksToRun, DocsShell, difference } from './docs-page.ts';
import { builtMain, repository } from './places.ts';

function pagesBelow(folder: string): readonly string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pagesBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = ['README.md', 'ARCHITECTURE.md', ...pagesBelow('docs')].map((path) => {
  const text = readFileSync(join(repository, path), 'utf8');
  return { path, text, blocks: blocksToRun(text) };
});

describe.each(pages.filter((page) => page.blocks.length > 0))('$path', ({ path, blocks }) => {
  let folder: string;
  let muster: MusterProcess;
  let shell: DocsShell;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-docs-'));
    muster = await MusterProcess.start(builtMain, ['--data', join(folder, 'data')]);
    shell = new DocsShell(folder, muster.url);
  });

  afterAll(async () => {
    await muster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(blocks)(`${path}:$line`, (block) => {
    const printed = shell.run(block);
    if (block.promised !== undefined) {
      expect(difference(printed, block.promised)).toBeUndefined();
    }
  });
});

it.each(pages)('links of $path lead somewhere', ({ path, text }) => {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)];
  const broken = links
    .map((match) => join(path, '..', match[1] ?? ''))
    .filter((target) => {
      try {
        return !readFileSync(join(repository, target));
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'EISDIR';
      }
    });
  expect(broken.map((target) => relative('.', target))).toEqual([]);
});
