// Distinct 64-bit integers, numbered 0, 1, 2... in order of arrival: find or insert many at once, in
// WebAssembly memory (assembly/intern.ts). Measured beside a Map of bigints: see bench/kernels-bench.
// Strings have no such table: their keys don't fit a slot.

import { KernelMemory } from './kernel-memory.ts';

const subtables = 256;
const entryBytes = 16;
const slotBytes = 12;
const firstSlots = 8;
/** Keys copied in at a time: what the first cache levels hold. */
const chunk = 4096;

/** At 3/4 a search goes through three slots on average. */
function keysMax(slots: number): number {
  return (slots >>> 2) * 3;
}

export class IntegerTable {
  readonly #memory: KernelMemory;
  readonly #directory: number;
  readonly #room: number;
  /** Slots given back, by their number. */
  readonly #free = new Map<number, number[]>();
  #count = 0;

  constructor(memory = new KernelMemory()) {
    this.#memory = memory;
    this.#directory = memory.reserve(subtables * entryBytes);
    this.#room = memory.reserve(12 * chunk + 16);
    for (let table = 0; table < subtables; table++) {
      const entry = memory.u32(this.#directory + table * entryBytes, 4);
      entry.set([memory.reserve(firstSlots * slotBytes), firstSlots - 1, 0, keysMax(firstSlots)]);
    }
  }

  /** Distinct keys so far. */
  get count(): number {
    return this.#count;
  }

  /** Of the memory, with whatever else is in it. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** out[i] becomes the ordinal of key i. */
  intern(keys: BigUint64Array, out: Uint32Array): void {
    const { calls } = this.#memory;
    for (let start = 0; start < keys.length; ) {
      const part = keys.subarray(start, start + chunk);
      const codes = this.#load(part);
      const next = codes + 4 * part.length;
      const done = calls.internIntegers(
        this.#directory,
        this.#room,
        part.length,
        codes,
        this.#count,
      );
      this.#count = this.#memory.u32(next, 1)[0] as number;
      out.set(this.#memory.u32(codes, done), start);
      start += done;
      if (done < part.length) this.#growTableOf(done);
    }
  }

  /** out[i] becomes the ordinal of key i plus one, or 0 where it is not there. Returns how many are. */
  find(keys: BigUint64Array, out: Uint32Array): number {
    let found = 0;
    for (let start = 0; start < keys.length; start += chunk) {
      const part = keys.subarray(start, start + chunk);
      const codes = this.#load(part);
      found += this.#memory.calls.findIntegers(this.#directory, this.#room, part.length, codes);
      out.set(this.#memory.u32(codes, part.length), start);
    }
    return found;
  }

  /** Copies keys in; returns where their ordinals come out, with a word behind them. */
  #load(keys: BigUint64Array): number {
    this.#memory.u64(this.#room, keys.length).set(keys);
    return this.#room + 8 * chunk;
  }

  /** Doubles the subtable where a key of the loaded chunk belongs. */
  #growTableOf(position: number): void {
    const { calls } = this.#memory;
    const hash = this.#room + 8 * chunk;
    calls.hashIntegers(this.#room + 8 * position, 1, hash);
    const table = (this.#memory.u32(hash + 4, 1)[0] as number) >>> 24;
    const at = this.#directory + table * entryBytes;
    const [from = 0, mask = 0, keys = 0] = this.#memory.u32(at, 4);
    const slots = 2 * (mask + 1);
    const fresh = this.#slots(slots);
    this.#memory.u32(at, 4).set([fresh, slots - 1, keys, keysMax(slots)]);
    calls.rehash(from, mask + 1, at);
    const free = this.#free.get(mask + 1) ?? [];
    this.#free.set(mask + 1, [...free, from]);
  }

  #slots(slots: number): number {
    const known = this.#free.get(slots)?.pop();
    if (known === undefined) return this.#memory.reserve(slots * slotBytes);
    this.#memory.u8(known, slots * slotBytes).fill(0);
    return known;
  }
}
