// Literal ids of a batch, encoded once per invocation. Ids that the pinned dictionary knows are taken
// by the slice that holds their code. Ids that it doesn't know get codes of this batch's own, at and
// above the group's next code; they belong to the group's last code range alone, so that each is
// counted once. No code crosses the wire: another worker may number them otherwise.

import type { KeyList } from '../../storage-format/key-list.ts';
import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { emptySet, setFromUnsorted } from '../../storage-format/bitmap.ts';
import type { CodeSet, CodeSets } from '../../storage-format/set-column.ts';
import type { Batch, DictionaryRef, Slice } from '../batch/batch.ts';
import { isLastRange } from '../batch/slices.ts';
import type { DictionaryReader } from '../dictionary/dictionary-reader.ts';
import {
  createInternTable,
  type IntegerInternTable,
  type StringInternTable,
} from '../dictionary/intern-table.ts';
import { selectKeys } from '../dictionary/key-selection.ts';
import type { RawColumn } from './set-evaluator.ts';
import { type Rows, wants } from './set-graph.ts';

export class LiteralSets {
  readonly #batch: Batch;
  readonly #dictionaries: DictionaryReader;
  readonly #encoded = new Map<RawColumn, Map<number, Promise<Uint32Array>>>();
  readonly #unknown = new Map<string, IntegerInternTable | StringInternTable>();

  constructor(batch: Batch, dictionaries: DictionaryReader) {
    this.#batch = batch;
    this.#dictionaries = dictionaries;
  }

  async sets(column: RawColumn, rows: Rows, slice: Slice): Promise<CodeSets> {
    const { offsets, ordinals } = column.ids;
    const out = new Array<CodeSet>(offsets.length - 1).fill(emptySet);
    const ref = this.#ref(column.dictionary);
    if (slice.group >= ref.groups || ordinals.length === 0) return out;
    const codes = await this.#codes(column, slice.group);
    const next = defined(ref.nextCodes[slice.group], 'a next code');
    const last = isLastRange(slice);
    const { start, end } = slice.codes;
    for (let r = 0; r < out.length; r++) {
      if (!wants(rows, r)) continue;
      const row = ordinals.subarray(offsets[r], offsets[r + 1]).map((o) => codes[o] as number);
      out[r] = setFromUnsorted(
        row.filter((code) => code !== absent && (code < next ? code >= start && code < end : last)),
      );
    }
    return out;
  }

  /** Ids of codes at or above the group's next code. */
  decode(dictionary: number, group: number, codes: Uint32Array): KeyList {
    const next = defined(this.#ref(dictionary).nextCodes[group], 'a next code');
    return this.#unknownIds(dictionary, group).gather(codes.map((code) => code - next));
  }

  #codes(column: RawColumn, group: number): Promise<Uint32Array> {
    const groups = this.#encoded.get(column) ?? new Map<number, Promise<Uint32Array>>();
    this.#encoded.set(column, groups);
    const known = groups.get(group);
    if (known !== undefined) return known;
    const made = this.#encode(column, group);
    groups.set(group, made);
    return made;
  }

  /** Code of each key of the column that belongs to the group; `absent` for the others. */
  async #encode(column: RawColumn, group: number): Promise<Uint32Array> {
    const ref = this.#ref(column.dictionary);
    const { keys } = column.ids;
    const encoded = await this.#dictionaries.encode(keys, ref, { group });
    const codes = new Uint32Array(keys.values.length).fill(absent);
    const unknown: number[] = [];
    for (let i = 0; i < codes.length; i++) {
      if (encoded.groups[i] !== group) continue;
      if (encoded.known[i] === 1) codes[i] = encoded.codes[i] as number;
      else unknown.push(i);
    }
    this.#number(column, { group, positions: Uint32Array.from(unknown) }, codes);
    return codes;
  }

  #number(
    column: RawColumn,
    unknown: { readonly group: number; readonly positions: Uint32Array },
    codes: Uint32Array,
  ): void {
    const { group, positions } = unknown;
    const table = this.#unknownIds(column.dictionary, group);
    const ordinals = new Uint32Array(positions.length);
    table.intern(selectKeys(column.ids.keys, positions), ordinals);
    const next = defined(this.#ref(column.dictionary).nextCodes[group], 'a next code');
    if (next + table.count >= absent) {
      throw new MusterError(
        'TOO_MANY_ROWS_OR_BYTES',
        `Group ${group} is out of codes for literals`,
      );
    }
    for (let i = 0; i < positions.length; i++) {
      codes[positions[i] as number] = next + (ordinals[i] as number);
    }
  }

  #unknownIds(dictionary: number, group: number): IntegerInternTable | StringInternTable {
    const name = `${dictionary}:${group}`;
    const known = this.#unknown.get(name);
    if (known !== undefined) return known;
    const made = createInternTable(this.#ref(dictionary).domain);
    this.#unknown.set(name, made);
    return made;
  }

  #ref(dictionary: number): DictionaryRef {
    return defined(this.#batch.dictionaries[dictionary], `dictionary ${dictionary}`);
  }
}

/** No code: 2^32 - 1 is never given to a literal. */
const absent = 0xffff_ffff;
