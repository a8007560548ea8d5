// Codes of rows gathered into sets, one for each group of rows: a bitset each while there is room, because
// setting a bit costs less than anything that sorts; beyond that pairs of group and code, sorted. Codes
// are of one group of a dictionary, below its next code.

import { MusterError } from '../../base/errors.ts';
import { setFromBits, setFromSorted } from '../../storage-format/bitmap.ts';
import type { NumberArray } from '../../storage-format/column.ts';
import { noKeys } from '../../storage-format/key-list.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';
import { SetList, type SetVector } from '../../storage-format/set-vector.ts';
import { IdListBuilder } from '../batch/id-list-builder.ts';

/** Bitsets take at most so much; tests set it lower. */
const bitsBytesMax = 128 * 1024 * 1024;
/** Larger code spaces have no flat bitsets. */
const bitsCodesMax = 2 ** 27;

export class GatheredCodes {
  readonly #end: number;
  readonly #words: number;
  readonly #groupsMax: number;
  #bits = new Uint32Array(0);
  /** Groups that `#bits` has room for. */
  #groups = 0;
  readonly #rest = new IdListBuilder();
  #hasRest = false;

  /** Codes are below `end`. */
  constructor(end: number, bytesMax: number = bitsBytesMax) {
    this.#end = end;
    this.#words = Math.max(1, Math.ceil(end / 32));
    this.#groupsMax = end > bitsCodesMax ? 0 : Math.floor(bytesMax / (4 * this.#words));
  }

  /** CORRUPTED_DATA for a code that was never given out. */
  add(groups: Uint32Array, codes: NumberArray): void {
    const room = Math.min(this.#groupsMax, largest(groups) + 1);
    if (room > this.#groups) this.#grow(room);
    const bits = this.#bits;
    const words = this.#words;
    const dense = this.#groups;
    let max = 0;
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number;
      const code = codes[i] as number;
      if (code > max) max = code;
      if (group < dense) (bits[group * words + (code >>> 5)] as number) |= 1 << (code & 31);
      else this.#keep(group, code);
    }
    if (groups.length > 0 && max >= this.#end) throw beyond(max, this.#end);
  }

  finish(groupCount: number): SetVector {
    const words = this.#words;
    const rest = this.#hasRest ? this.#rest.finish(groupCount, noKeys('integer')) : undefined;
    const sets = Array.from({ length: groupCount }, (_, group): CodeSet => {
      if (group < this.#groups) {
        return setFromBits(this.#bits.subarray(group * words, (group + 1) * words));
      }
      if (rest === undefined) return new Uint32Array(0);
      return setFromSorted(rest.ordinals.slice(rest.offsets[group], rest.offsets[group + 1]));
    });
    return new SetList(sets);
  }

  bytes(): number {
    return this.#bits.byteLength + (this.#hasRest ? this.#rest.bytes : 0);
  }

  #grow(atLeast: number): void {
    const groups = Math.min(this.#groupsMax, Math.max(atLeast, 2 * this.#groups));
    const bits = new Uint32Array(groups * this.#words);
    bits.set(this.#bits);
    this.#bits = bits;
    this.#groups = groups;
  }

  #keep(group: number, code: number): void {
    this.#hasRest = true;
    this.#rest.push(group, code);
  }
}

function largest(values: Uint32Array): number {
  let max = 0;
  for (let i = 0; i < values.length; i++)
    if ((values[i] as number) > max) max = values[i] as number;
  return max;
}

function beyond(code: number, end: number): MusterError {
  return new MusterError(
    'CORRUPTED_DATA',
    `corrupt part: a row with code ${code}, where the next one to be given out is ${end}`,
  );
}
