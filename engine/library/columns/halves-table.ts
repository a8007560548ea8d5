// A hash table from 64-bit keys, given as two 32-bit halves, to numbers dense from 0 in order of
// insertion. Open addressing, linear probing, at most half full.

import { grownArray } from '../../../base/grown-array.ts';

export class HalvesTable {
  #slots = new Int32Array(64).fill(-1);
  #keys = new Int32Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of the key; a new key gets the number `size` had. */
  add(low: number, high: number): number {
    const keys = this.#keys;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = mix(low, high) & mask;
    for (;;) {
      const number = slots[slot] ?? -1;
      if (number < 0) return this.#insert(slot, low, high);
      if (keys[2 * number] === low && keys[2 * number + 1] === high) return number;
      slot = (slot + 1) & mask;
    }
  }

  /** -1 when the key is not there. */
  find(low: number, high: number): number {
    const keys = this.#keys;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = mix(low, high) & mask;
    for (;;) {
      const number = slots[slot] ?? -1;
      if (number < 0) return -1;
      if (keys[2 * number] === low && keys[2 * number + 1] === high) return number;
      slot = (slot + 1) & mask;
    }
  }

  lowOf(number: number): number {
    return this.#keys[2 * number] ?? 0;
  }

  highOf(number: number): number {
    return this.#keys[2 * number + 1] ?? 0;
  }

  bytes(): number {
    return (this.#slots.length + this.#keys.length) * 4;
  }

  #insert(slot: number, low: number, high: number): number {
    const number = this.#size++;
    this.#keys = grownArray(this.#keys, 2 * number + 2);
    this.#keys[2 * number] = low;
    this.#keys[2 * number + 1] = high;
    this.#slots[slot] = number;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = mix(this.lowOf(number), this.highOf(number)) & mask;
      while ((slots[slot] ?? -1) >= 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}

function mix(low: number, high: number): number {
  let h = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f);
  return h ^ (h >>> 13);
}
