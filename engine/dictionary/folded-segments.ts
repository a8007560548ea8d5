// Dictionary segments of one group, folded into one table in memory: a thousand tiny segments, one
// probe an id. Codes are append-only and never given again, so the table serves every snapshot of its
// dictionary: an entry is valid in a snapshot where its code is below the group's next code.

import { grownArray } from '../../base/grown-array.ts';
import type { KeyDomain, KeyList } from '../../storage-format/key-list.ts';
import { createInternTable, IntegerInternTable, type StringInternTable } from './intern-table.ts';

export class FoldedSegments {
  readonly #table: IntegerInternTable | StringInternTable;
  /** Base code of a segment -> ordinal of its first key; its keys lie side by side. */
  readonly #bases = new Map<number, number>();
  /** Code of each ordinal. */
  #codes = new Uint32Array(256);

  constructor(domain: KeyDomain) {
    this.#table = createInternTable(domain);
  }

  get bytes(): number {
    return this.#table.bytes + this.#codes.byteLength + 64 * this.#bases.size;
  }

  has(base: number): boolean {
    return this.#bases.has(base);
  }

  /** Keys in order of codes [base, base + count); nothing when the segment is known. */
  fold(base: number, keys: KeyList): void {
    if (this.#bases.has(base)) return;
    const first = this.#table.count;
    const count = keys.values.length;
    const ordinals = new Uint32Array(count);
    this.#table.intern(keys, ordinals);
    this.#bases.set(base, first);
    this.#codes = grownArray(this.#codes, first + count);
    for (let i = 0; i < count; i++) this.#codes[first + i] = base + i;
  }

  /** codes[i] becomes the code of key i and known[i] 1, where one is found below `nextCode`. */
  find(keys: KeyList, nextCode: number, found: FoundCodes): void {
    if (keys.domain === 'integer') this.#findIntegers(keys.values, nextCode, found);
    else this.#findStrings(keys.values, nextCode, found);
  }

  /** Keys of codes [from, to) of the list, all of the segment at `base`, which is folded. */
  decode(base: number, codes: Uint32Array): KeyList {
    const shift = (this.#bases.get(base) ?? 0) - base;
    return this.#table.gather(codes.map((code) => code + shift));
  }

  #findIntegers(values: BigUint64Array, nextCode: number, found: FoundCodes): void {
    const table = this.#table as IntegerInternTable;
    const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let i = 0; i < values.length; i++) {
      const ordinal = table.find(halves[2 * i] as number, halves[2 * i + 1] as number);
      if (ordinal >= 0) this.#take(i, ordinal, nextCode, found);
    }
  }

  #findStrings(values: readonly string[], nextCode: number, found: FoundCodes): void {
    const table = this.#table as StringInternTable;
    for (let i = 0; i < values.length; i++) {
      const ordinal = table.find(values[i] as string);
      if (ordinal >= 0) this.#take(i, ordinal, nextCode, found);
    }
  }

  #take(i: number, ordinal: number, nextCode: number, found: FoundCodes): void {
    const code = this.#codes[ordinal] as number;
    if (code >= nextCode) return;
    found.codes[i] = code;
    found.known[i] = 1;
  }
}

/** Where known[i] is 1, codes[i] is the key's code. */
export interface FoundCodes {
  readonly codes: Uint32Array;
  readonly known: Uint8Array;
}
