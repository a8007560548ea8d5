// `muster worker`: evaluates sets for servers on other machines, until SIGINT or SIGTERM.

import { startWorkerServer } from '../worker-server.ts';
import { exitCodes } from './exit-codes.ts';
import {
  logLevelOf,
  storeOptionsOf,
  threadsDefault,
  workerSecretOf,
} from './serve-configuration.ts';
import type { Call } from './subcommands.ts';
import { print } from './terminal.ts';

const defaultPort = 8124;

export async function worker({ configuration }: Call): Promise<number> {
  const options = {
    host: configuration.text('host') ?? '127.0.0.1',
    port: configuration.number('port') ?? defaultPort,
    ...storeOptionsOf(configuration),
    threads: configuration.number('workers') ?? threadsDefault(),
    secret: workerSecretOf(configuration),
    logLevel: logLevelOf(configuration, 'info'),
  };
  const server = await startWorkerServer(options);
  await print(
    `Muster's worker listens on ${options.host}:${server.port} (store: ${options.store})\n`,
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.close();
  return exitCodes.ok;
}
