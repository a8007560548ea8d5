// Commands that only ask or load take a directory that is there: a misspelt one would otherwise become
// a new, empty store, which has none of the tables that are asked for. `muster serve` makes one.

import { statSync } from 'node:fs';
import { UnreachableError } from '../exit-codes.ts';

/** Throws UnreachableError. A store on S3 is looked for where it is opened. */
export function refuseMissingDirectory(store: string): void {
  if (store.startsWith('s3:')) return;
  const path = store.replace(/^dir:/, '');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new UnreachableError(
    `There is no directory ${path}: is --data spelt right? ` +
      'A new one is made by `muster serve --data`, or by mkdir.',
  );
}
