// `muster serve` and `muster demo`: start, say where they listen, and stop on SIGINT or SIGTERM.

import type { ServeOptions } from '../serve-options.ts';
import { startServer } from '../server.ts';
import { exitCodes } from './exit-codes.ts';
import { serveOptionsOf } from './serve-configuration.ts';
import type { Call } from './subcommands.ts';
import { isConversation, print } from './terminal.ts';
import { welcomeText } from './welcome-text.ts';

export async function serve({ configuration }: Call): Promise<number> {
  const logLevel = isConversation() ? 'warn' : 'info';
  return await listen(serveOptionsOf(configuration, { logLevel }));
}

export async function demo(call: Call): Promise<number> {
  return await serve(call);
}

/** Resolves when the server has stopped. */
async function listen(options: ServeOptions): Promise<number> {
  const server = await startServer(options);
  const stopped = new Promise<void>((resolve) => {
    let asked = false;
    const stop = (): void => {
      // Who asks twice does not want to wait for queries to end.
      if (asked) process.exit(exitCodes.interrupted);
      asked = true;
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  await print(welcomeText(server.port, options));
  await stopped;
  await print('Muster stops.\n');
  await server.close();
  return exitCodes.ok;
}
