// Which format and encoding a column of sets has, from some of its values: the only pair that reads
// all of them, and reads them alike. Where several pairs read them to different ids the question
// goes back to the one who asked: a set read wrongly would never be noticed.

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
  const fitting: { readonly form: SetForm; readonly ids: string }[] = [];
  for (const form of formsOf(wishes)) {
    const ids = readAll(values, form, idType);
    if (ids !== undefined) fitting.push({ form, ids });
  }
  const [first, ...others] = fitting;
  if (first === undefined) {
    const known = foreignFormats.join(', ');
    throw new MusterError(
      'INCORRECT_DATA',
      `these are sets of ${idType} in none of the formats ${known}, nor as hex or base64 of one`,
    );
  }
  const other = others.find(({ ids }) => ids !== first.ids);
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

/** The ids of all values as one text, or undefined where one of them is refused. */
function readAll(
  values: readonly string[],
  { format, encoding }: SetForm,
  idType: IntegerName,
): string | undefined {
  try {
    return values
      .map((value) => decodeForeignSet(decodeSetText(value, encoding), format, idType).join())
      .join(';');
  } catch (error) {
    if (error instanceof MusterError) return undefined;
    throw error;
  }
}
