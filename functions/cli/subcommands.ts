// The table of subcommands: what each is called, takes and does. Help, the reference and the command
// line itself are made from it. Each one's code is loaded when it runs and not before, so that
// `muster version` doesn't wait for an engine.

import type { Configuration } from './configuration.ts';
import type { OptionName } from './options.ts';

export interface Call {
  readonly configuration: Configuration;
  readonly operands: readonly string[];
}

export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** After `muster NAME`. */
  readonly usage: string;
  readonly operands: { readonly min: number; readonly max: number; readonly what: string };
  readonly options: readonly OptionName[];
  /** Where an option means something of its own here: what help says of it. */
  readonly wording?: Readonly<Partial<Record<OptionName, string>>>;
  /** Lines to paste. */
  readonly examples: readonly string[];
  /** Resolves to the exit code, when all is done. */
  run(call: Call): Promise<number>;
}

const noOperands = { min: 0, max: 0, what: 'flags only' } as const;
const storeOptions = ['data', 'store', 'endpoint', 'region'] as const;
const askOptions = ['url', 'user', 'password', 'database', ...storeOptions, 'config'] as const;
const askWording = {
  user: 'who asks (default: default; MUSTER_USER)',
  password: 'the password of that user',
  data: 'ask this directory, in this process, without a server',
  store: 'ask s3://bucket/prefix, in this process, without a server',
};
const serveOptions = [
  'port',
  'host',
  ...storeOptions,
  'workers',
  'workerProcesses',
  'workerUrls',
  'workerSecret',
  'lambdaFunctions',
  'lambdaBranchFunction',
  'lambdaConcurrency',
  'lambdaInvocationMs',
  'users',
  'user',
  'password',
  'tlsCert',
  'tlsKey',
  'queriesMax',
  'files',
  'privateUrls',
  'logLevel',
] as const;

export const subcommands: readonly Subcommand[] = [
  {
    name: 'serve',
    summary: "answer ClickHouse's HTTP interface over a directory or S3",
    usage: '[flags]',
    operands: noOperands,
    options: [...serveOptions, 'demo', 'demoPeople', 'config'],
    examples: [
      'muster serve',
      'muster serve --store s3://bucket/prefix --workers 2',
      'MUSTER_USER=ann MUSTER_PASSWORD=... muster serve --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem',
    ],
    run: async (call) => (await import('./serve.ts')).serve(call),
  },
  {
    name: 'worker',
    summary: 'evaluate sets for servers elsewhere, over HTTP',
    usage: '[flags]',
    operands: noOperands,
    options: ['port', 'host', ...storeOptions, 'workers', 'workerSecret', 'logLevel', 'config'],
    wording: {
      port: 'port to listen on; 0 for a free one (default: 8124; MUSTER_PORT)',
      host: 'address to listen on, for those who know the secret (default: 127.0.0.1; MUSTER_HOST)',
      data: "the servers' directory (default: ./muster-data; MUSTER_DATA)",
      store: "the servers' s3://bucket/prefix (MUSTER_STORE)",
      workers: 'evaluate sets in N threads; 0: in its own (default: as many as cores, at most 4)',
    },
    examples: ['MUSTER_WORKER_SECRET=... muster worker --port 8124 --store s3://bucket/prefix'],
    run: async (call) => (await import('./worker.ts')).worker(call),
  },
  {
    name: 'sql',
    summary: 'ask: one statement, a file of them, or a conversation',
    usage: '["STATEMENT"] [flags]',
    operands: { min: 0, max: 1, what: 'one statement, in quotes' },
    options: [...askOptions, 'format', 'file'],
    wording: {
      ...askWording,
      format: 'format of answers (default: PrettyCompact on a terminal, TabSeparated elsewhere)',
    },
    examples: [
      'muster sql "SHOW TABLES"',
      'muster sql --data ./muster-data "SELECT count() FROM t"     (no server)',
      'muster sql "INSERT INTO t FORMAT CSV" < rows.csv',
      'muster sql --file statements.sql --format JSONEachRow > answers.json',
    ],
    run: async (call) => (await import('./sql/sql.ts')).sql(call),
  },
  {
    name: 'load',
    summary: 'load files: CSV, TSV, JSON lines; plain, gzip or zip',
    usage: 'TABLE FILE... [flags]   (FILE -: standard input)',
    operands: { min: 2, max: Number.POSITIVE_INFINITY, what: 'a table and files' },
    options: [...askOptions, 'format', 'select', 'structure', 'header'],
    wording: {
      ...askWording,
      format: 'format of the files (default: by name and content), as INSERT ... FORMAT takes it',
    },
    examples: [
      'muster load events events-2026-01.csv.gz events-2026-02.csv.gz',
      'muster load daily events.csv --select "day, event, groupBitmapState(uid) GROUP BY day, event"',
      'generate | muster load events - --format JSONEachRow',
    ],
    run: async (call) => (await import('./load/load.ts')).load(call),
  },
  {
    name: 'backfill',
    summary: 'load many files, and sets built elsewhere, once, however often it is run',
    usage: 'TABLE PLACE [flags]   (PLACE: a directory, a file or s3://bucket/prefix)',
    operands: { min: 2, max: 2, what: 'a table and the place of the files' },
    options: [
      ...storeOptions,
      'database',
      'format',
      'structure',
      'select',
      'sets',
      'job',
      'manifest',
      'onError',
      'report',
      'dryRun',
      'forget',
      'workers',
      'config',
    ],
    wording: {
      format: "format of the files (default: by each one's name), as INSERT ... FORMAT takes it",
      workers: 'read files in N threads (default: as many as cores, at most 8)',
    },
    examples: [
      'muster backfill audiences ./exported --dry-run',
      'muster backfill audiences s3://lake/audiences --sets ids=doris:base64',
      'muster backfill daily ./events --select "toDate(dt), groupBitmapState(uid) GROUP BY dt"',
    ],
    run: async (call) => (await import('./backfill/backfill.ts')).backfill(call),
  },
  {
    name: 'export',
    summary: 'write the ids of a set, or sets as states or roaring bitmaps',
    usage: '"SELECT" [flags]',
    operands: { min: 1, max: 1, what: 'a SELECT with one column of sets, in quotes' },
    options: [
      ...storeOptions,
      'database',
      'to',
      'format',
      'as',
      'encoding',
      'sorted',
      'sinceVersion',
      'workers',
      'config',
    ],
    wording: {
      format: 'format of the export (default: by the name of --to, else TabSeparated)',
      workers: 'evaluate sets in N threads (default: 0, in the own one)',
    },
    examples: [
      'muster export "SELECT ids FROM audiences WHERE name = \'buyers\'" --to buyers.parquet',
      'muster export "SELECT name, ids FROM audiences" --as state --to audiences.rowbinary',
      'muster export "SELECT groupBitmapMergeState(ids) FROM daily" --since-version 41',
    ],
    run: async (call) => (await import('./export/export.ts')).exportSets(call),
  },
  {
    name: 'demo',
    summary: 'serve with a million people to ask about',
    usage: '[flags]',
    operands: noOperands,
    options: [...serveOptions, 'demoPeople', 'config'],
    examples: ['muster demo', 'muster demo --data ./demo --port 8124'],
    run: async (call) => (await import('./serve.ts')).demo(call),
  },
  {
    name: 'version',
    summary: 'print the version',
    usage: '',
    operands: noOperands,
    options: [],
    examples: ['muster version'],
    run: async () => (await import('./version.ts')).printVersion(),
  },
];
