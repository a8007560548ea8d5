// `muster worker`: evaluates sets for servers on other machines, until SIGINT or SIGTERM.

import { UsageError } from './exit-codes.ts';
import type { Call } from './subcommands.ts';

export async function worker(_: Call): Promise<number> {
  throw new UsageError('Workers over HTTP are not there yet.');
}
