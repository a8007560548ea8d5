// stub
import type { Call } from '../subcommands.ts';
export async function load(_: Call): Promise<number> {
  return 1;
}
