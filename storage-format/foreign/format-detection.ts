// Which format and encoding a column of sets has, from some of its values: the pair that reads most of
// them, and at least half (the others may be damaged). Where several do, and read different ids, the
// question goes back to the one who asked: a set read wrongly would never be noticed.

import { MusterError } from '../../base/errors.ts';
import type { IntegerName } from '../data-type.ts';
import { decodeForeignSet, type ForeignFormat, foreignFormats } from './foreign-set.ts';
import { decodeSetText, type SetEncoding, setEncodings } from './set-text.ts';

export interface SetForm {
  readonly format: ForeignFormat;
  readonly encoding: SetEncoding;
}

/** What is known already narrows the search. */
export interface FormWishes {
  readonly format?: ForeignFormat | undefined;
  readonly encoding?: SetEncoding | undefined;
}

/** `values`: byte strings, some of which hold members. INCORRECT_DATA where none or several fit. */
export function detectSetForm(
  values: readonly string[],
  idType: IntegerName,
  wishes: FormWishes = {},
): SetForm {
  const { format, encoding } = wishes;
  if (format !== undefined && encoding !== undefined) return { format, encoding };
  const all = [...formsOf(wishes)].map((form) => ({ form, ...readAll(values, form, idType) }));
  const most = Math.max(...all.map(({ count }) => count));
  const [first, ...others] = all.filter(({ count }) => count === most);
  if (first === undefined || 2 * most < values.length) {
    const known = foreignFormats.join(', ');
    throw new MusterError(
      'INCORRECT_DATA',
      `these are sets of ${idType} in none of the formats ${known}, nor as hex or base64 of one`,
    );
  }
  const other = others.find(({ sets }) => !sameSets(sets, first.sets));
  if (other === undefined) return first.form;
  throw new MusterError(
    'INCORRECT_DATA',
    `these may be sets in the format ${nameOf(first.form)} or ${nameOf(other.form)}: name it`,
  );
}

export function nameOf({ format, encoding }: SetForm): string {
  return encoding === 'raw' ? format : `${format}:${encoding}`;
}

function* formsOf({ format, encoding }: FormWishes): Generator<SetForm> {
  const encodings = encoding === undefined ? setEncodings : [encoding];
  const formats = format === undefined ? foreignFormats : [format];
  for (const one of encodings) for (const other of formats) yield { format: other, encoding: one };
}

interface FormReading {
  readonly count: number;
  /** Of each value; undefined where it is none. */
  readonly sets: readonly (BigUint64Array | undefined)[];
}

function readAll(
  values: readonly string[],
  { format, encoding }: SetForm,
  idType: IntegerName,
): FormReading {
  const sets = values.map((value) => {
    try {
      return decodeForeignSet(decodeSetText(value, encoding), format, idType);
    } catch (error) {
      if (error instanceof MusterError) return undefined;
      throw error;
    }
  });
  return { count: sets.filter((set) => set !== undefined).length, sets };
}

function sameSets(a: FormReading['sets'], b: FormReading['sets']): boolean {
  return a.every((set, i) => {
    const other = b[i];
    if (set === undefined || other === undefined) return set === other;
    return set.length === other.length && set.every((id, at) => id === other[at]);
  });
}
