// What a backfill is asked to do, as plain data: it travels to worker threads and to functions as it
// is. Two runs of one job are told by its name: files that it finished are not loaded again.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { foreignFormats, type ForeignFormat } from '../../storage-format/foreign/foreign-set.ts';
import type { FormWishes } from '../../storage-format/foreign/format-detection.ts';
import { setEncodings, type SetEncoding } from '../../storage-format/foreign/set-text.ts';

/** How a column of sets is written: lists `[1,2]`, single ids, or other systems' bytes. */
export type SetWishes = FormWishes & { readonly text?: 'list' | 'value' };

export interface BackfillJob {
  /** Of its records in the catalog. */
  readonly name: string;
  readonly database: string;
  readonly table: string;
  /** ClickHouse's name; absent: by each file's name. */
  readonly format?: string | undefined;
  /** Columns of files that don't name or type their own: `seg String, ids String`. */
  readonly structure?: string | undefined;
  /** A whole SELECT over `input()`; absent: columns go to the table's by name. */
  readonly select?: string | undefined;
  /** By column of the files; others are detected. */
  readonly sets: Readonly<Record<string, SetWishes>>;
  /** What a bad row or file does: ends the job, or is reported and left out. */
  readonly onError: 'stop' | 'skip';
  /** As statements have them, also of formats. */
  readonly settings: Readonly<Record<string, string>>;
}

/** `ids=doris:base64`, `ids=list`, `ids=clickhouse`. BAD_ARGUMENTS for anything else. */
export function parseSetWish(text: string): readonly [column: string, SetWishes] {
  const equals = text.lastIndexOf('=');
  const column = text.slice(0, Math.max(0, equals));
  const [name = '', encoding, ...rest] = text.slice(equals + 1).split(':');
  if (column === '' || rest.length > 0) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `'${text}' is not COLUMN=FORMAT or COLUMN=FORMAT:ENCODING`,
    );
  }
  if (name === 'list' || name === 'value') return [column, { text: name }];
  const format = oneOf<ForeignFormat>(name, foreignFormats, 'format of sets');
  if (encoding === undefined) return [column, { format }];
  return [column, { format, encoding: oneOf<SetEncoding>(encoding, setEncodings, 'encoding') }];
}

function oneOf<T extends string>(name: string, known: readonly T[], what: string): T {
  const found = known.find((one) => one === name);
  if (found !== undefined) return found;
  const all = known.join(', ');
  const hint = suggestion(name, known);
  throw new MusterError('BAD_ARGUMENTS', `'${name}' is no ${what}${hint}: there are ${all}`);
}
