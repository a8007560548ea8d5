// The built program, run as a person runs it: through pipes, or on a pseudo-terminal of python's.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { builtMain } from './places.ts';

interface RunOptions {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly said: string;
}

/** Runs `muster ...words` to its end. */
export async function run(words: readonly string[], options: RunOptions): Promise<Ran> {
  const child = start(words, options);
  let out = '';
  let said = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, out, said };
}

export function start(
  words: readonly string[],
  options: Omit<RunOptions, 'input'>,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [builtMain, ...words], {
    cwd: options.cwd,
    env: environment(options),
  });
}

function environment({ cwd, env }: Omit<RunOptions, 'input'>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(MUSTER_|NO_COLOR|FORCE_COLOR|AWS_)/.test(name),
  );
  return { ...Object.fromEntries(inherited), HOME: cwd, TERM: 'xterm', ...env };
}

export interface Server {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  stop(): Promise<void>;
}

export async function serve(words: readonly string[], options: RunOptions): Promise<Server> {
  const child = start(['serve', '--port', '0', '--log-level', 'error', ...words], options);
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (out += chunk));
  while (!out.includes('Stop with Ctrl-C.')) {
    if (child.exitCode !== null) throw new Error(`serve ended: ${out}`);
    await delay(10);
  }
  const url = /listens on (\S+)/.exec(out)?.[1] ?? '';
  return {
    url,
    child,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'close');
    },
  };
}

const spawnOnTerminal =
  'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** A program on a terminal of 100 columns. */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #seen = '';
  #from = 0;

  constructor(words: readonly string[], options: RunOptions) {
    const shell = ['sh', '-c', 'stty cols 100 rows 40; exec "$@"', 'sh'];
    const program = [...shell, process.execPath, builtMain, ...words];
    this.#child = spawn('python3', ['-c', spawnOnTerminal, ...program], {
      cwd: options.cwd,
      env: environment(options),
    });
    this.#child.stdout.on('data', (chunk) => (this.#seen += chunk));
    this.#child.stderr.on('data', (chunk) => (this.#seen += chunk));
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** What appeared since the last call, up to the pattern's end. */
  async until(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const seen = this.#seen.slice(this.#from);
      const found = pattern.exec(seen);
      if (found !== null) {
        const end = found.index + found[0].length;
        this.#from += end;
        return seen.slice(0, end);
      }
      if (Date.now() > deadline || this.#child.exitCode !== null) {
        throw new Error(`${pattern} did not appear in: ${seen}`);
      }
      await delay(10);
    }
  }

  async ask(line: string, pattern: RegExp): Promise<string> {
    this.type(`${line}\r`);
    return await this.until(pattern);
  }

  /** The exit code, when the program has ended. */
  async ended(): Promise<number> {
    if (this.#child.exitCode === null) await once(this.#child, 'close');
    return this.#child.exitCode ?? -1;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

export const keys = { ctrlC: '\u0003', ctrlD: '\u0004', tab: '\t', up: '\u001b[A' } as const;
