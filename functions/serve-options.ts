// What `muster serve` is told, from flags, environment or file (cli/configuration), as its wiring
// takes it. Secrets arrive here as values, never as text to be printed.

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  /** A directory or s3://bucket/prefix. */
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly workers: WorkerPool;
  /** None: everybody is `default`, and only loopback is listened on. */
  readonly users: readonly User[];
  readonly tls: TlsFiles | undefined;
  /** Queries side by side; the next ones wait, and are refused (202, HTTP 429) when too many do. */
  readonly queriesMax: number;
  /** What file() may read and write lies below it; absent: file() is refused. */
  readonly files?: string | undefined;
  /** Whether url() and s3() may ask machines of private networks. */
  readonly privateUrls?: boolean | undefined;
  readonly logLevel: LogLevel;
}

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Where batches are evaluated. */
export type WorkerPool =
  | { readonly kind: 'in-process' }
  | { readonly kind: 'threads'; readonly count: number }
  | { readonly kind: 'processes'; readonly count: number }
  /** Addresses `http://host:port`, or `dns:name:port` for all addresses of a name. */
  | { readonly kind: 'http'; readonly addresses: readonly string[]; readonly secret: string }
  | {
      readonly kind: 'lambda';
      /** Worker functions, by name or ARN; several: a slice prefers one of them. */
      readonly functions: readonly string[];
      /** The inner nodes of the tree above 64 invocations; absent: no tree. */
      readonly branchFunction: string | undefined;
      readonly concurrency: number;
      /** Estimated work that a further invocation must have; 0: all is spread. */
      readonly invocationMsMin: number;
    };

export interface User {
  readonly name: string;
  /** Of the password, lower-case hex. */
  readonly sha256: string;
}

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}
