// Sets of people for the benches of sets: the same for the same seed, everywhere. Sparse ids are spread
// over 64 bits, dense ones are 0, 1, 2... of the same people.

import { sortKeys } from '../../kernels/key-sort.ts';

/** Exactly `size` of the numbers below `universe`, ascending: selection sampling. */
export function sampleOf(universe: number, size: number, seed: number): Uint32Array {
  const out = new Uint32Array(size);
  const random = randomFrom(seed);
  let n = 0;
  for (let i = 0; n < size; i++) {
    if (random() * (universe - i) < size - n) out[n++] = i;
  }
  return out;
}

/** Numbers in [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b9) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ids spread over 64 bits, ascending; one to one. */
export function sparseIds(people: Uint32Array): BigUint64Array {
  const ids = new BigUint64Array(people.length);
  const halves = new Uint32Array(ids.buffer);
  for (let i = 0; i < people.length; i++) {
    const person = people[i] as number;
    halves[2 * i] = mixed(person ^ 0x5bd1e995);
    halves[2 * i + 1] = mixed(person);
  }
  sortKeys(ids);
  return ids;
}

export function denseIds(people: Uint32Array): BigUint64Array {
  const ids = new BigUint64Array(people.length);
  const halves = new Uint32Array(ids.buffer);
  for (let i = 0; i < people.length; i++) halves[2 * i] = people[i] as number;
  return ids;
}

function mixed(value: number): number {
  let z = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) >>> 0;
}
