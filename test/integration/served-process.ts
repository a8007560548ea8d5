// `muster serve` as a process of its own, the built program, for tests of how it behaves.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { builtMain } from './places.ts';

export interface ServedProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** Of standard output so far. */
  output(): string;
  /** Lines of standard error so far, each of them JSON. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** The exit code and signal; all output is there. */
  ended(): Promise<readonly [number | null, string | null]>;
}

export async function serveProcess(
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServedProcess> {
  const child = spawn(process.execPath, [builtMain, 'serve', '--port', '0', ...flags], {
    env: { ...process.env, ...environment },
  });
  const ending = once(child, 'close') as Promise<[number | null, string | null]>;
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for (let i = 0; i < 1000 && !output.includes('Stop with Ctrl-C.'); i++) {
    if (child.exitCode !== null) throw new Error(`serve ended: ${output}${errors}`);
    await delay(20);
  }
  return {
    child,
    port: Number(/listens on https?:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]),
    output: () => output,
    log: () =>
      errors
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ended: () => ending,
  };
}
