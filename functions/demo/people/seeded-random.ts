// Deterministic randomness for generated data: the same seed gives the same people on any machine.
// A stateless hash of (seed, stream, index), so that any part can be made without the others.

/** A uniform number in [0, 1) for each (stream, index). */
export class SeededRandom {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  uniform(stream: number, index: number): number {
    return this.word(stream, index) / 0x1_0000_0000;
  }

  /** A uniform unsigned 32-bit word. */
  word(stream: number, index: number): number {
    let h = this.#seed ^ Math.imul(stream + 1, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35) ^ Math.imul(index + 1, 0x27d4eb2f);
    h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
    h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
    return (h ^ (h >>> 16)) >>> 0;
  }
}
