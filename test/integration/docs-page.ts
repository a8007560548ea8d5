// A page of the documentation as its reader would run it: fenced blocks in order, in one folder, each
// with the answer that the page promises below it.
//
// `sh` blocks are run by bash, `sql` blocks by `muster sql`, `js` blocks by node; a `text` block right
// after one of them is what it prints, where a line `...` stands for any lines. Blocks below
// `<!-- not run: why -->` and blocks of other languages are only read.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { builtMain, repository } from './places.ts';

interface Block {
  readonly language: string;
  readonly text: string;
  /** Where its fence stands, from 1. */
  readonly line: number;
  /** The last heading above it. */
  readonly heading: string;
  readonly promised: string | undefined;
}

/** A command that stays in the foreground belongs below a `not run`. */
const blockMsMax = 60_000;
const runnable: ReadonlySet<string> = new Set(['sh', 'sql', 'js']);

export function blocksToRun(page: string): readonly Block[] {
  const blocks: (Block & { readonly runs: boolean })[] = [];
  let heading = '';
  let notRun = false;
  let nothingBetween = false;
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = /^```(\w*)/.exec(line);
    if (fence === null) {
      heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
      notRun = /^<!-- not run: .+ -->$/.test(line) || (notRun && line === '');
      nothingBetween &&= line === '';
      continue;
    }
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new Error(`the block of line ${at + 1} has no end`);
    const text = lines.slice(at + 1, end).join('\n');
    const language = fence[1] ?? '';
    const last = blocks.at(-1);
    if (language === 'text' && nothingBetween && last !== undefined && last.runs) {
      blocks[blocks.length - 1] = { ...last, promised: text };
    } else {
      const runs = runnable.has(language) && !notRun;
      blocks.push({ language, text, line: at + 1, heading, promised: undefined, runs });
    }
    at = end;
    notRun = false;
    nothingBetween = true;
  }
  return blocks.filter((block) => block.runs);
}

/** A folder to run a page in; `npx muster` is the built program there, and asks `url`. */
export class DocsShell {
  readonly #folder: string;
  readonly #url: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor(folder: string, url: string) {
    const programs = join(folder, '.programs');
    mkdirSync(programs, { recursive: true });
    const npx = `#!/bin/sh\n[ "$1" = muster ] || exit 127\nshift\nexec "${process.execPath}" "${builtMain}" "$@"\n`;
    writeFileSync(join(programs, 'npx'), npx);
    chmodSync(join(programs, 'npx'), 0o755);
    symlinkSync(join(repository, 'test', 'node_modules'), join(folder, 'node_modules'));
    this.#folder = folder;
    this.#url = url;
    this.#environment = {
      ...process.env,
      // LocalStack's environment has a pip even where the system's Python comes without one.
      PATH: [programs, join(repository, 'localstack/.venv/bin'), process.env.PATH].join(delimiter),
      MUSTER_URL: url,
    };
  }

  /** What the block prints; throws with its standard error when it fails. */
  run(block: Block): string {
    const text = block.text.replaceAll('http://127.0.0.1:8123', this.#url);
    switch (block.language) {
      case 'sql':
        return this.#execute(
          process.execPath,
          [builtMain, 'sql', '--format', 'PrettyCompact'],
          text,
        );
      case 'js': {
        writeFileSync(join(this.#folder, 'page.mjs'), text);
        return this.#execute(process.execPath, ['page.mjs']);
      }
      default:
        return this.#execute('bash', ['-e', '-c', text]);
    }
  }

  #execute(program: string, args: readonly string[], input = ''): string {
    return execFileSync(program, [...args], {
      cwd: this.#folder,
      env: this.#environment,
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: blockMsMax,
    }).toString();
  }
}

/** Undefined when `printed` is what was promised; else both, to be shown. */
export function difference(printed: string, promised: string) {
  const shown = tidyLines(printed);
  const expected = tidyLines(promised);
  const pattern = expected.map((line) => (line === '...' ? '(?:.*\\n)*?' : `${escaped(line)}\\n`));
  const text = shown.map((line) => `${line}\n`).join('');
  return new RegExp(`^${pattern.join('')}$`).test(text)
    ? undefined
    : { printed: shown, promised: expected };
}

function tidyLines(text: string): readonly string[] {
  const lines = text.replaceAll('\t', '  ').split('\n');
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
