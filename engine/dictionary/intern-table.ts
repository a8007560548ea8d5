// Intern tables: distinct ids of a query or an insert, numbered 0, 1, 2... in order of arrival. What
// follows (aggregation, encoding, sets of literals) then moves 4-byte ordinals, and a dictionary is
// asked once per distinct id. Ordinals are local to a table; they are not codes.
//
// Integers live in open addressing over 32-bit halves: BigInt in the loop would cost ten times more.

import { MusterError } from '../../base/errors.ts';
import { grownArray } from '../../base/grown-array.ts';
import type { NumberArray, WideArray } from '../../storage-format/column.ts';
import type { KeyDomain, KeyList } from '../../storage-format/key-list.ts';

/** What takes keys in, many at once. */
export interface Interning {
  readonly domain: KeyDomain;
  /** Rough bytes held, for memory budgets. */
  readonly bytes: number;
  /** out[i] becomes the ordinal of key i; `keys` is of the table's domain. */
  intern(keys: KeyList, out: Uint32Array): void;
  /** All keys in order of their ordinals; a copy where the table could grow over it. */
  keys(): KeyList;
  /** Where there is one, to be called when the keys are out. */
  close?(): void;
}

export interface InternTable extends Interning {
  /** Distinct keys so far. */
  readonly count: number;
  /** The keys of these ordinals, in their order. */
  gather(ordinals: Uint32Array): KeyList;
}

export function createInternTable(domain: KeyDomain): IntegerInternTable | StringInternTable {
  return domain === 'integer' ? new IntegerInternTable() : new StringInternTable(domain);
}

const firstCapacity = 64;

/** 64-bit patterns; signed values count by their sign-extended pattern. */
export class IntegerInternTable implements InternTable {
  readonly domain = 'integer';
  #count = 0;
  /** Two words per key: low, high. */
  #halves = new Uint32Array(2 * firstCapacity);
  /** Ordinal + 1, 0 is free; at least twice as many slots as keys. */
  #slots = new Uint32Array(2 * firstCapacity);

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#halves.byteLength + this.#slots.byteLength;
  }

  intern(keys: KeyList, out: Uint32Array): void {
    if (keys.domain !== 'integer') throw wrongDomain('integer', keys.domain);
    this.internIntegers(keys.values, out);
  }

  internIntegers(values: WideArray, out: Uint32Array): void {
    const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let i = 0; i < values.length; i++) {
      out[i] = this.internHalves(halves[2 * i] as number, halves[2 * i + 1] as number);
    }
  }

  /** Values of the integer types up to 32 bits, sign-extended to 64. */
  internNumbers(values: NumberArray, out: Uint32Array): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      out[i] = this.internHalves(value >>> 0, value < 0 ? 0xffffffff : 0);
    }
  }

  internHalves(low: number, high: number): number {
    let slots = this.#slots;
    let mask = slots.length - 1;
    const hash = hashHalves(low, high);
    let at = hash & mask;
    for (;;) {
      const ordinal = (slots[at] as number) - 1;
      if (ordinal < 0) break;
      if (this.#halves[2 * ordinal] === low && this.#halves[2 * ordinal + 1] === high) {
        return ordinal;
      }
      at = (at + 1) & mask;
    }
    if (2 * (this.#count + 1) > slots.length) {
      this.#grow();
      slots = this.#slots;
      mask = slots.length - 1;
      at = freeSlot(slots, hash);
    }
    this.#halves[2 * this.#count] = low;
    this.#halves[2 * this.#count + 1] = high;
    slots[at] = this.#count + 1;
    return this.#count++;
  }

  /** The ordinal, or -1. */
  find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let at = hashHalves(low, high) & mask; ; at = (at + 1) & mask) {
      const ordinal = (this.#slots[at] as number) - 1;
      if (ordinal < 0) return -1;
      if (this.#halves[2 * ordinal] === low && this.#halves[2 * ordinal + 1] === high) {
        return ordinal;
      }
    }
  }

  keys(): { readonly domain: 'integer'; readonly values: BigUint64Array } {
    const copy = this.#halves.slice(0, 2 * this.#count);
    return { domain: 'integer', values: new BigUint64Array(copy.buffer, 0, this.#count) };
  }

  /** The keys of these ordinals, in their order. */
  gather(ordinals: Uint32Array): { readonly domain: 'integer'; readonly values: BigUint64Array } {
    const values = new BigUint64Array(ordinals.length);
    const halves = new Uint32Array(values.buffer);
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] as number;
      halves[2 * i] = this.#halves[2 * ordinal] as number;
      halves[2 * i + 1] = this.#halves[2 * ordinal + 1] as number;
    }
    return { domain: 'integer', values };
  }

  #grow(): void {
    const halves = grownArray(this.#halves, 2 * this.#halves.length);
    const slots = new Uint32Array(2 * this.#slots.length);
    for (let i = 0; i < this.#count; i++) {
      slots[freeSlot(slots, hashHalves(halves[2 * i] as number, halves[2 * i + 1] as number))] =
        i + 1;
    }
    this.#halves = halves;
    this.#slots = slots;
  }
}

type StringKeys = Exclude<KeyList, { readonly domain: 'integer' }>;

/** Byte strings, of the domain `string` or `uuid`. */
export class StringInternTable implements InternTable {
  readonly domain: StringKeys['domain'];
  readonly #ordinals = new Map<string, number>();
  readonly #keys: string[] = [];
  #chars = 0;

  constructor(domain: StringKeys['domain'] = 'string') {
    this.domain = domain;
  }

  get count(): number {
    return this.#keys.length;
  }

  get bytes(): number {
    // A map entry, an array slot and a string header: measured, 73 to 100 bytes a key.
    return this.#chars + 100 * this.#keys.length;
  }

  intern(keys: KeyList, out: Uint32Array): void {
    if (keys.domain !== this.domain) throw wrongDomain(this.domain, keys.domain);
    for (let i = 0; i < keys.values.length; i++) out[i] = this.internString(keys.values[i] ?? '');
  }

  internString(key: string): number {
    const known = this.#ordinals.get(key);
    if (known !== undefined) return known;
    const ordinal = this.#keys.length;
    this.#ordinals.set(key, ordinal);
    this.#keys.push(key);
    this.#chars += key.length;
    return ordinal;
  }

  /** The ordinal, or -1. */
  find(key: string): number {
    return this.#ordinals.get(key) ?? -1;
  }

  keys(): StringKeys {
    return { domain: this.domain, values: this.#keys.slice() };
  }

  /** The keys of these ordinals, in their order. */
  gather(ordinals: Uint32Array): StringKeys {
    return { domain: this.domain, values: Array.from(ordinals, (o) => this.#keys[o] as string) };
  }
}

function freeSlot(slots: Uint32Array, hash: number): number {
  const mask = slots.length - 1;
  let at = hash & mask;
  while (slots[at] !== 0) at = (at + 1) & mask;
  return at;
}

function hashHalves(low: number, high: number): number {
  let hash = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ 0x3c6ef372, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return hash ^ (hash >>> 15);
}

function wrongDomain(expected: string, found: string): MusterError {
  return new MusterError('TYPE_MISMATCH', `ids of a ${found} domain where ${expected} ids belong`);
}
