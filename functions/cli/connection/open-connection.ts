// Which connection a configuration asks for: --data and --store answer in this process, everything
// else is a server's. MUSTER_STORE and the file's store are what `serve` runs over, and don't count.

import type { Configuration } from '../configuration.ts';
import { UsageError } from '../exit-codes.ts';
import { storeOptionsOf } from '../serve-configuration.ts';
import type { Connection } from './connection.ts';
import { refuseMissingDirectory } from './existing-directory.ts';
import { HttpConnection } from './http-connection.ts';

const defaultUrl = 'http://127.0.0.1:8123';

export async function openConnection(configuration: Configuration): Promise<Connection> {
  const store = configuration.foremost(['data', 'store'])[0];
  const url = configuration.get('url');
  if (store?.place === 'flag') {
    if (url?.place === 'flag') {
      throw new UsageError(`${store.where} asks without a server, and --url names one: give one.`);
    }
    const options = storeOptionsOf(configuration);
    refuseMissingDirectory(options.store);
    const { EmbeddedConnection } = await import('./embedded-connection.ts');
    return await EmbeddedConnection.open(options);
  }
  return await HttpConnection.open({
    url: url?.value ?? defaultUrl,
    user: configuration.text('user'),
    password: configuration.text('password'),
  });
}
