// The command line, read into what is to be done. Mistakes are one sentence.

import { parseArgs } from 'node:util';
import type { Environment } from '../environment.ts';
import type { ServeOptions, WorkerPool } from '../serve-options.ts';

type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve'; readonly options: ServeOptions };

/** What was written can't be done; the message is for the one who wrote it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const workersMax = 64;

export function parseCommand(args: readonly string[], environment: Environment): Command {
  const { values, positionals } = parseFlags(args);
  const [command, ...rest] = positionals;
  if (values.version === true || command === 'version') return { kind: 'version' };
  if (values.help === true || command === undefined || command === 'help') return { kind: 'help' };
  if (command !== 'serve') throw new UsageError(`Unknown command '${command}': try muster --help.`);
  if (rest[0] !== undefined)
    throw new UsageError(`'${rest[0]}' is too much: serve takes flags only.`);
  const host = values.host ?? environment.host ?? '127.0.0.1';
  requireLoopback(host);
  return {
    kind: 'serve',
    options: {
      host,
      port: wholeNumber(values.port ?? environment.port ?? '8123', { name: 'port', max: 65_535 }),
      store: storeOf(values, environment),
      endpoint: values.endpoint ?? environment.endpoint,
      region: environment.region,
      workers: poolOf(values['worker-processes'] ?? environment.workers ?? '0'),
      users: [],
      tls: undefined,
      queriesMax: 100,
      logLevel: 'info',
    },
  };
}

interface Flags {
  readonly [name: string]: string | boolean | undefined;
  readonly port?: string;
  readonly host?: string;
  readonly data?: string;
  readonly store?: string;
  readonly endpoint?: string;
  readonly 'worker-processes'?: string;
  readonly help?: boolean;
  readonly version?: boolean;
}

function parseFlags(args: readonly string[]): {
  readonly values: Flags;
  readonly positionals: readonly string[];
} {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string' },
        store: { type: 'string' },
        endpoint: { type: 'string' },
        'worker-processes': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${message.split('. ')[0]}: try muster --help.`);
  }
}

function storeOf(flags: Flags, environment: Environment): string {
  if (flags.data !== undefined && flags.store !== undefined) {
    throw new UsageError('--data and --store name two stores: give one of them.');
  }
  const given = flags.data ?? flags.store;
  return given ?? environment.store ?? environment.data ?? './muster-data';
}

function poolOf(text: string): WorkerPool {
  const count = wholeNumber(text, { name: 'worker-processes', max: workersMax });
  return count === 0 ? { kind: 'in-process' } : { kind: 'processes', count };
}

function requireLoopback(host: string): void {
  if (/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host)) return;
  throw new UsageError(
    `Host ${host} is refused: Muster has no users yet, so it listens on loopback only ` +
      '(127.0.0.1, ::1 or localhost).',
  );
}

function wholeNumber(text: string, range: { readonly name: string; readonly max: number }): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= range.max) return value;
  throw new UsageError(`--${range.name} is a whole number up to ${range.max}, not '${text}'.`);
}
