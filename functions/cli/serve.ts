// `muster serve`: starts, says where it listens, and stops on SIGINT or SIGTERM.

import type { ServeOptions } from '../serve-options.ts';
import { startServer } from '../server.ts';
import { welcomeText } from './messages.ts';

/** Resolves when the server has stopped. */
export async function serve(options: ServeOptions): Promise<void> {
  const server = await startServer(options);
  process.stdout.write(welcomeText({ port: server.port, options }));
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  process.stdout.write('Muster stops.\n');
  await server.close();
}
