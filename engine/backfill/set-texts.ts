// A column of texts, or of bytes, as sets: each value decoded by the column's form, row by row. A
// value that is no set doesn't end the column: the row is marked, and whoever asked decides.

import { MusterError } from '../../base/errors.ts';
import { grownArray } from '../../base/grown-array.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType, IntegerName } from '../../storage-format/data-type.ts';
import { decodeForeignSet, type SetTypes } from '../../storage-format/foreign/foreign-set.ts';
import { detectSetForm, type SetForm } from '../../storage-format/foreign/format-detection.ts';
import { decodeSetText } from '../../storage-format/foreign/set-text.ts';
import type { GivenLists } from '../batch/sorted-lists.ts';
import { IdSetBuilder } from '../formats/set-builder.ts';
import type { SetWishes } from './backfill-job.ts';

export type Texts = Extract<Column, { readonly kind: 'string' }>;
/** `list` and `value` are texts of ids; `state` is a state of ids that are no integers. */
export type SetReading = SetForm | 'list' | 'value' | 'state';

/** Takes rows one after another and makes lists of them; NULL and '' are empty sets. */
export interface SetGatherer {
  /** Members so far. */
  readonly members: number;
  /** Undefined, or why the row is no set: it then is an empty one, or a part of one. */
  add(value: string): string | undefined;
  /** The lists of all rows; the gatherer is empty afterwards. */
  finish(): GivenLists;
}

export function setGatherer(id: DataType, reading: SetReading, states?: IntegerName): SetGatherer {
  if (typeof reading === 'string') return new TextGatherer(id, reading);
  const ids = id.kind as IntegerName;
  return new ForeignGatherer({ ids, states: states ?? ids }, reading);
}

const sampledValues = 32;
const sampledValuesMin = 3;
/** About so many: each is read in every form that may be meant. */
const sampledBytes = 64 * 1024;
const listForm = /^\s*\[/;

/** From some of the values. Undefined where none of them holds anything: ask again later. */
export function readingOf(texts: Texts, id: DataType, wishes: SetWishes): SetReading | undefined {
  const { text, format, encoding } = wishes;
  if (text !== undefined) return text;
  if (format !== undefined && encoding !== undefined) return { format, encoding };
  const samples = samplesOf(texts);
  if (samples.length === 0) return undefined;
  const lists = samples.filter((value) => listForm.test(value)).length;
  // Some may be damaged. No other form begins with a bracket.
  if (format === undefined && 2 * lists >= samples.length) return 'list';
  if (id.kind === 'String' || id.kind === 'UUID') return 'state';
  return detectSetForm(samples, id.kind as IntegerName, wishes);
}

/** Values that are there, from the front, the middle and the end; fewer where they are long. */
function samplesOf({ values, nulls }: Texts): readonly string[] {
  const rows: number[] = [];
  let bytes = 0;
  for (let row = 0; row < values.length; row++) {
    if (nulls?.[row] === 1 || values[row] === '') continue;
    rows.push(row);
    bytes += (values[row] as string).length;
  }
  const enough = Math.ceil((sampledBytes * rows.length) / Math.max(1, bytes));
  const wanted = Math.min(sampledValues, Math.max(sampledValuesMin, enough));
  const step = Math.max(1, Math.ceil(rows.length / wanted));
  return rows.filter((_, i) => i % step === 0).map((row) => values[row] as string);
}

/** Integers, from bytes of any system. */
class ForeignGatherer implements SetGatherer {
  readonly #types: SetTypes;
  readonly #form: SetForm;
  #ids = new BigUint64Array(1024);
  #ends: number[] = [];
  members = 0;

  constructor(types: SetTypes, form: SetForm) {
    this.#types = types;
    this.#form = form;
  }

  add(value: string): string | undefined {
    const reason = value === '' ? undefined : this.#decode(value);
    this.#ends.push(this.members);
    return reason;
  }

  #decode(value: string): string | undefined {
    const { format, encoding } = this.#form;
    return refusal(() => {
      const ids = decodeForeignSet(decodeSetText(value, encoding), format, this.#types);
      const end = this.members + ids.length;
      if (end > this.#ids.length) this.#ids = grownArray(this.#ids, end);
      this.#ids.set(ids, this.members);
      this.members = end;
    });
  }

  finish(): GivenLists {
    const offsets = new Uint32Array(this.#ends.length + 1);
    offsets.set(this.#ends, 1);
    const values = this.#ids.slice(0, this.members);
    this.#ends = [];
    this.members = 0;
    return { ids: { domain: 'integer', values }, offsets };
  }
}

/** Ids as text, and states of strings and UUIDs. */
class TextGatherer implements SetGatherer {
  readonly #builder: IdSetBuilder;
  members = 0;

  constructor(id: DataType, reading: 'list' | 'value' | 'state') {
    this.#builder = new IdSetBuilder(id, reading === 'list' ? 'array' : reading);
  }

  add(value: string): string | undefined {
    if (value === '') {
      this.#builder.close();
      return undefined;
    }
    // Short ids are two characters with their comma: good enough to bound memory.
    this.members += value.length >>> 1;
    const bytes = Buffer.from(value, 'latin1');
    const before = this.#builder.length;
    const reason = refusal(() => this.#builder.text(bytes, 0, bytes.length));
    if (this.#builder.length === before) this.#builder.close();
    return reason;
  }

  finish(): GivenLists {
    this.members = 0;
    return this.#builder.finishLists();
  }
}

function refusal(decode: () => void): string | undefined {
  try {
    decode();
    return undefined;
  } catch (error) {
    if (error instanceof MusterError) return error.message;
    throw error;
  }
}
