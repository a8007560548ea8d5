// `muster version`.

import { musterVersion } from '../version.ts';
import { exitCodes } from './exit-codes.ts';
import { print } from './terminal.ts';

export async function printVersion(): Promise<number> {
  await print(`${musterVersion}\n`);
  return exitCodes.ok;
}
