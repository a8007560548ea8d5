// Every option of the command line, declared once: what it means, what it takes, where it may be
// given. Its flag, its environment variable and its key in the configuration file follow from its
// name: `tlsCert` is --tls-cert, MUSTER_TLS_CERT and "tlsCert". Help and docs/reference/cli.md are
// made from this table; configuration.ts reads by it.

import { logLevels } from '../serve-options.ts';

type OptionKind =
  | { readonly kind: 'text' }
  /** In a configuration file: relative to that file. */
  | { readonly kind: 'path' }
  /** Whole, `min` and `max` included. */
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** With commas between; in a file also a JSON array. */
  | { readonly kind: 'list' }
  | { readonly kind: 'switch' }
  /** Only in a file: JSON of its own. */
  | { readonly kind: 'users' };

export interface Option {
  readonly takes: OptionKind;
  /** What stands for its value in help: `P` in --port P. */
  readonly placeholder: string;
  /** As help shows it; what it does is the business of who reads the option. Absent: none. */
  readonly fallback?: string;
  readonly help: string;
  /**
   * Places that can give it. Secrets are never flags, for a process's arguments are public; what a
   * single call means is never in a file.
   */
  readonly places: readonly Place[];
  /** Variables of others that are read after Muster's own. */
  readonly variables?: readonly string[];
}

export type Place = 'flag' | 'environment' | 'file';

const everywhere: readonly Place[] = ['flag', 'environment', 'file'];
const onlyFlag: readonly Place[] = ['flag'];
const secret: readonly Place[] = ['environment', 'file'];
const text = { kind: 'text' } as const;
const path = { kind: 'path' } as const;
const list = { kind: 'list' } as const;
const flag = { kind: 'switch' } as const;
const whole = (min: number, max: number) => ({ kind: 'number', min, max }) as const;

const table = {
  port: {
    takes: whole(0, 65_535),
    placeholder: 'P',
    fallback: '8123',
    help: 'port to listen on; 0 for a free one',
    places: everywhere,
  },
  host: {
    takes: text,
    placeholder: 'H',
    fallback: '127.0.0.1',
    help: 'address to listen on; beyond loopback, serve needs users',
    places: everywhere,
  },
  data: {
    takes: path,
    placeholder: 'DIR',
    fallback: './muster-data',
    help: 'keep everything in this directory',
    places: everywhere,
  },
  store: {
    takes: text,
    placeholder: 'URL',
    help: 'keep everything in s3://bucket/prefix, instead of --data',
    places: everywhere,
  },
  endpoint: {
    takes: text,
    placeholder: 'URL',
    help: "an S3 endpoint other than AWS's",
    places: everywhere,
    variables: ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
  },
  region: {
    takes: text,
    placeholder: 'NAME',
    help: "AWS region; credentials come from AWS's own variables and files",
    places: everywhere,
    variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  },
  workers: {
    takes: whole(0, 64),
    placeholder: 'N',
    fallback: 'as many as cores, at most 4',
    help: "evaluate sets in N threads; 0: in the server's own",
    places: everywhere,
  },
  workerProcesses: {
    takes: whole(0, 64),
    placeholder: 'N',
    help: 'evaluate sets in N child processes',
    places: everywhere,
  },
  workerUrls: {
    takes: list,
    placeholder: 'URLS',
    help: 'evaluate sets in `muster worker`s: http://a:8124,http://b:8124 or dns:name:8124',
    places: everywhere,
  },
  lambdaFunctions: {
    takes: list,
    placeholder: 'NAMES',
    help: 'evaluate sets in these AWS Lambda functions',
    places: everywhere,
  },
  lambdaBranchFunction: {
    takes: text,
    placeholder: 'NAME',
    help: 'the Lambda function of inner nodes, for fan-outs above 64',
    places: everywhere,
  },
  lambdaConcurrency: {
    takes: whole(1, 10_000),
    placeholder: 'N',
    fallback: '64',
    help: 'Lambda invocations side by side',
    places: everywhere,
  },
  lambdaInvocationMs: {
    takes: whole(0, 60_000),
    placeholder: 'MS',
    fallback: '40',
    help: 'estimated work that a further invocation must have; 0: spread as far as can be',
    places: everywhere,
  },
  workerSecret: {
    takes: text,
    placeholder: 'TEXT',
    help: 'what server and workers know each other by, 16 characters or more',
    places: secret,
  },
  users: {
    takes: { kind: 'users' },
    placeholder: '[...]',
    help: 'who may ask: [{"name": ..., "passwordSha256": ...}], or "password" in clear text',
    places: ['file'],
  },
  user: {
    takes: text,
    placeholder: 'NAME',
    fallback: 'default',
    help: 'a user who may ask (serve), who asks (sql, load)',
    places: everywhere,
  },
  password: {
    takes: text,
    placeholder: 'TEXT',
    help: 'the password of that user',
    places: secret,
  },
  tlsCert: {
    takes: path,
    placeholder: 'FILE',
    help: 'serve HTTPS with this certificate (PEM)',
    places: everywhere,
  },
  tlsKey: {
    takes: path,
    placeholder: 'FILE',
    help: 'and this key (PEM)',
    places: everywhere,
  },
  queriesMax: {
    takes: whole(1, 10_000),
    placeholder: 'N',
    fallback: '100',
    help: 'queries side by side; more of them wait',
    places: everywhere,
  },
  files: {
    takes: path,
    placeholder: 'DIR',
    help: 'let file() read and write below this directory; without it file() is refused',
    places: everywhere,
  },
  privateUrls: {
    takes: flag,
    placeholder: '',
    help: 'let url() and s3() ask this machine and private networks',
    places: everywhere,
  },
  logLevel: {
    takes: { kind: 'choice', choices: logLevels },
    placeholder: 'LEVEL',
    fallback: 'warn on a terminal, else info',
    help: `what is logged: ${logLevels.join(', ')}`,
    places: everywhere,
  },
  demo: {
    takes: flag,
    placeholder: '',
    fallback: 'asks, on a terminal, when the store is empty',
    help: "load a million people and show what can be asked of them; --no-demo: don't ask",
    places: everywhere,
  },
  demoPeople: {
    takes: whole(1000, 10_000_000),
    placeholder: 'N',
    fallback: '1000000',
    help: 'how many people the demo has',
    places: ['environment'],
  },
  url: {
    takes: text,
    placeholder: 'URL',
    fallback: 'http://127.0.0.1:8123',
    help: 'the server to ask, Muster or ClickHouse; may hold user and password',
    places: everywhere,
  },
  database: {
    takes: text,
    placeholder: 'NAME',
    fallback: 'default',
    help: 'the database of names without one',
    places: everywhere,
  },
  format: {
    takes: text,
    placeholder: 'NAME',
    help: 'format of answers (sql), of files (load)',
    places: onlyFlag,
  },
  file: {
    takes: text,
    placeholder: 'FILE',
    help: 'run the statements of this file',
    places: onlyFlag,
  },
  select: {
    takes: text,
    placeholder: 'SELECT',
    help: "insert what this gives over the file's rows; FROM input() may be left out",
    places: onlyFlag,
  },
  structure: {
    takes: text,
    placeholder: 'TEXT',
    help: "columns of the file: 'day Date, event String, uid UInt64'",
    places: onlyFlag,
  },
  job: {
    takes: text,
    placeholder: 'NAME',
    fallback: 'the place of the files, as it is given',
    help: 'the name of the backfill: files that it has loaded are not loaded again',
    places: onlyFlag,
  },
  manifest: {
    takes: text,
    placeholder: 'FILE',
    help: 'only the files that this one lists: a name a line, relative to their place',
    places: onlyFlag,
  },
  sets: {
    takes: list,
    placeholder: 'WISHES',
    fallback: 'found out from the values',
    help: 'how columns of sets are written: ids=doris:base64,tags=list',
    places: onlyFlag,
  },
  onError: {
    takes: { kind: 'choice', choices: ['stop', 'skip'] },
    placeholder: 'WHAT',
    fallback: 'stop',
    help: 'what a bad row or file does: stop, skip',
    places: onlyFlag,
  },
  report: {
    takes: text,
    placeholder: 'FILE',
    fallback: 'standard error',
    help: 'where to write what was left out: JSON of file, row, column and reason a line',
    places: onlyFlag,
  },
  dryRun: {
    takes: flag,
    placeholder: '',
    help: 'read everything, say what would be loaded, write nothing',
    places: onlyFlag,
  },
  forget: {
    takes: flag,
    placeholder: '',
    help: 'forget which files the backfill has loaded; their rows stay',
    places: onlyFlag,
  },
  to: {
    takes: text,
    placeholder: 'FILE',
    fallback: 'standard output',
    help: 'write to this file or to s3://bucket/key',
    places: onlyFlag,
  },
  as: {
    takes: { kind: 'choice', choices: ['ids', 'state', 'roaring32', 'roaring64'] },
    placeholder: 'WHAT',
    fallback: 'ids',
    help: "a row an id, or a set's bytes: ids, state, roaring32, roaring64",
    places: onlyFlag,
  },
  encoding: {
    takes: { kind: 'choice', choices: ['raw', 'hex', 'base64'] },
    placeholder: 'HOW',
    fallback: 'raw',
    help: 'how bytes of sets are written: raw, hex, base64',
    places: onlyFlag,
  },
  sorted: {
    takes: flag,
    placeholder: '',
    help: 'ids of each set in ascending order',
    places: onlyFlag,
  },
  sinceVersion: {
    takes: whole(1, Number.MAX_SAFE_INTEGER),
    placeholder: 'N',
    help: 'only ids that came or went since this version of the database',
    places: onlyFlag,
  },
  header: {
    takes: { kind: 'choice', choices: ['auto', 'yes', 'no'] },
    placeholder: 'WHICH',
    fallback: 'auto',
    help: 'whether the first row of CSV and TSV holds names: auto, yes, no',
    places: onlyFlag,
  },
  config: {
    takes: text,
    placeholder: 'FILE',
    fallback: './muster.json if it is there',
    help: 'the configuration file',
    places: ['flag', 'environment'],
  },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof table;

export const options: Readonly<Record<OptionName, Option>> = table;
export const optionNames = Object.keys(table) as readonly OptionName[];

/** `tlsCert` -> `tls-cert`. */
export function flagOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Variables that give the option, the first that is set wins. */
export function variablesOf(name: OptionName): readonly string[] {
  const own = `MUSTER_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
  return [own, ...(options[name].variables ?? [])];
}

export function isSecret(name: OptionName): boolean {
  return options[name].places === secret;
}
