// What an export is asked to give, as plain data.

import { MusterError } from '../../base/errors.ts';

export interface ExportJob {
  /** A SELECT with one column of sets. */
  readonly select: string;
  /** ClickHouse's name of the format. */
  readonly format: string;
  /** `ids`: a row for each; else a row for each set. */
  readonly as: 'ids' | 'state' | 'roaring32' | 'roaring64';
  /** Of sets as bytes. */
  readonly encoding: 'raw' | 'hex' | 'base64';
  /** Ids of one set in ascending order. */
  readonly sorted: boolean;
  /** Only what changed since then, with a column `change`: added or removed. */
  readonly sinceVersion?: number | undefined;
}

export function wrongWishes(why: string): MusterError {
  return new MusterError('BAD_ARGUMENTS', `This can't be exported: ${why}`);
}
