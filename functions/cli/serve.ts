// `muster serve` and `muster demo`: start, say where they listen, and stop on SIGINT or SIGTERM.

import { offerDemo } from '../demo/offer.ts';
import { startServer } from '../server.ts';
import type { Configuration } from './configuration.ts';
import { exitCodes, SilentExit } from './exit-codes.ts';
import { serveOptionsOf } from './serve-configuration.ts';
import type { Call } from './subcommands.ts';
import { isConversation, print } from './terminal.ts';
import { sqlCommand, welcomeText } from './welcome-text.ts';

const demoPeopleDefault = 1_000_000;

export async function serve({ configuration }: Call): Promise<number> {
  return await listen(configuration, configuration.switched('demo'));
}

export async function demo({ configuration }: Call): Promise<number> {
  return await listen(configuration, true);
}

/** Resolves when the server has stopped. */
async function listen(configuration: Configuration, wanted: boolean | undefined): Promise<number> {
  const talks = isConversation();
  const options = serveOptionsOf(configuration, { logLevel: talks ? 'warn' : 'info' });
  const offer = await offerDemo({ ...options, wanted, isConversation: talks });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Who asks twice does not want to wait for queries to end.
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCodes.interrupted);
      stop.abort();
    });
  }
  const server = await startServer(options);
  try {
    let shown: string | undefined;
    if (offer !== 'no') {
      const { presentDemo } = await import('../demo/presentation.ts');
      const people = configuration.number('demoPeople') ?? demoPeopleDefault;
      const present = { ...options, people, signal: stop.signal };
      shown = await presentDemo(offer, sqlCommand(server.port, options), present);
    }
    await print(welcomeText(server.port, options, shown));
    await aborted(stop.signal);
    await print('Muster stops.\n');
    return exitCodes.ok;
  } catch (error) {
    if (stop.signal.aborted) throw new SilentExit(exitCodes.interrupted);
    throw error;
  } finally {
    await server.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
