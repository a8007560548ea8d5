// What the command line prints.

import type { ServeOptions } from '../serve-options.ts';

export const helpText = `muster: exact set analytics over object storage, in ClickHouse's SQL

Usage
  muster serve [--port P] [--host H] [--data DIR | --store s3://bucket/prefix] [flags]
  muster version
  muster --help

Flags of serve
  --port P        port to listen on, 0 for any (8123; MUSTER_PORT)
  --host H        loopback address to listen on (127.0.0.1; MUSTER_HOST)
  --data DIR      keep everything in this directory (./muster-data; MUSTER_DATA)
  --store URL     keep everything in s3://bucket/prefix (MUSTER_STORE)
  --endpoint URL  an S3 endpoint other than AWS's, such as LocalStack's (MUSTER_ENDPOINT)
  --worker-processes N  evaluate sets in N child processes (0: in the server; MUSTER_WORKERS)

S3 credentials and region come from AWS's own variables and files.
`;

interface Listening {
  readonly port: number;
  readonly options: ServeOptions;
}

export function welcomeText({ port, options }: Listening): string {
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `http://${host}:${port}`;
  const { workers: pool } = options;
  const workers = pool.kind === 'processes' ? `, ${pool.count} worker processes` : '';
  return `Muster listens on ${url} (store: ${options.store}${workers})

Ask with curl:
  curl ${url}/ --data-binary "SELECT bitmapCardinality(bitmapBuild([1, 2, 3]))"

or from JavaScript (npm install @clickhouse/client):
  import { createClient } from '@clickhouse/client';
  const client = createClient({ url: '${url}' });
  const answer = await client.query({ query: 'SHOW TABLES', format: 'JSONEachRow' });
  console.log(await answer.json());

Stop with Ctrl-C.
`;
}
