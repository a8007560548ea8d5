// What `muster serve` says when it listens.

import type { ServeOptions } from '../serve-options.ts';

/** `demo`: what there is to show of it. */
export function welcomeText(port: number, options: ServeOptions, demo?: string): string {
  const address = addressOf(port, options);
  const url = urlOf(port, options);
  const asUser = options.users.length > 0;
  const ca = options.tls?.certificate;
  const curl = `curl${asUser ? ' -u NAME:PASSWORD' : ''}${ca === undefined ? '' : ` --cacert ${ca}`}`;
  const login = asUser ? ", username: '...', password: '...'" : '';
  return `Muster listens on ${address} (store: ${options.store}${workersText(options)})

Ask in the browser:
  ${url}/play

on the command line:
  ${sqlCommand(port, options)}

with curl:
  ${curl} ${url}/ --data-binary "SELECT bitmapCardinality(bitmapBuild([1, 2, 3]))"

or from JavaScript (npm install @clickhouse/client):
  import { createClient } from '@clickhouse/client';
  const client = createClient({ url: '${url}'${login} });
  const answer = await client.query({ query: 'SHOW TABLES', format: 'JSONEachRow' });
  console.log(await answer.json());
${demo === undefined ? '' : `\n${demo}`}
Stop with Ctrl-C.
`;
}

/** How this server is asked on this machine; a statement may follow. */
export function sqlCommand(port: number, options: ServeOptions): string {
  const url = urlOf(port, options);
  const ca = options.tls?.certificate;
  return [
    ...(ca === undefined ? [] : [`NODE_EXTRA_CA_CERTS=${ca}`]),
    ...(options.users.length > 0 ? ['MUSTER_USER=... MUSTER_PASSWORD=...'] : []),
    'npx muster sql',
    ...(url === 'http://127.0.0.1:8123' ? [] : [`--url ${url}`]),
  ].join(' ');
}

/** Where commands on this machine find the server: listening everywhere includes here. */
export function urlOf(port: number, options: ServeOptions): string {
  const address = addressOf(port, options);
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function addressOf(port: number, options: ServeOptions): string {
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

function workersText({ workers }: ServeOptions): string {
  switch (workers.kind) {
    case 'in-process':
      return '';
    case 'threads':
      return `, ${workers.count} worker ${workers.count === 1 ? 'thread' : 'threads'}`;
    case 'processes':
      return `, ${workers.count} worker ${workers.count === 1 ? 'process' : 'processes'}`;
    case 'http':
      return `, workers at ${workers.addresses.join(', ')}`;
    case 'lambda':
      return `, workers on AWS Lambda: ${workers.functions.join(', ')}`;
  }
}
