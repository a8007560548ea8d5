// The environment variables that Muster reads, all of them, here. Flags of the command line win.
// The AWS SDK reads its own (AWS_ACCESS_KEY_ID and so on).

export interface Environment {
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly data: string | undefined;
  readonly store: string | undefined;
  readonly endpoint: string | undefined;
  readonly workers: string | undefined;
  readonly region: string | undefined;
}

export function readEnvironment(): Environment {
  const { env } = process;
  // The SDK's advice on Node's version, on standard error, is for us and not for who runs Muster.
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  return {
    port: env['MUSTER_PORT'],
    host: env['MUSTER_HOST'],
    data: env['MUSTER_DATA'],
    store: env['MUSTER_STORE'],
    endpoint: env['MUSTER_ENDPOINT'] ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'],
    workers: env['MUSTER_WORKERS'],
    region: env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'],
  };
}

/** What worker processes inherit: credentials come to them this way alone. */
export function workerEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}
