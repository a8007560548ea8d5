// stub
import type { Call } from '../subcommands.ts';
export async function sql(_: Call): Promise<number> {
  return 1;
}
