// Who may use the slots of an account next: a queue in order of arrival in which small ones may pass
// large ones, but only so often. All or nothing: a dispatch gets all its slots at once and nobody waits
// with some in hand, so that nothing can lock up. No time and no promises: see admission.ts.
//
// Fairness: while one waits for w slots, at most w slots are given to those who came later. So a large
// one is served after at most its own size of small ones, and a small one passes while slots are
// free, else waits for the few large ones that were there before it.

import { assert } from '../../../base/assert.ts';

interface Waiting {
  readonly id: number;
  readonly slots: number;
  /** Slots given to later ones so far. */
  passed: number;
}

export class AdmissionQueue {
  readonly slots: number;
  #free: number;
  #waiting: Waiting[] = [];

  constructor(slots: number) {
    assert(slots >= 1, `an account has slots: ${slots}`);
    this.slots = slots;
    this.#free = slots;
  }

  get free(): number {
    return this.#free;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Queued; `admit` says when it is served. More slots than there are never come free. */
  enter(id: number, slots: number): void {
    assert(slots >= 1 && slots <= this.slots, `${slots} of ${this.slots} slots asked for`);
    this.#waiting.push({ id, slots, passed: 0 });
  }

  /** One that waits no longer wants to. */
  leave(id: number): void {
    this.#waiting = this.#waiting.filter((one) => one.id !== id);
  }

  /** Slots come back, all or some of those given. */
  release(slots: number): void {
    this.#free += slots;
    assert(this.#free <= this.slots, 'no more slots come back than were given');
  }

  /** Ids served now, in that order; call it after every change. */
  admit(): readonly number[] {
    const served: number[] = [];
    const before: Waiting[] = [];
    for (const one of this.#waiting) {
      const mayPass = before.every((earlier) => earlier.passed + one.slots <= earlier.slots);
      if (one.slots > this.#free || !mayPass) {
        before.push(one);
        continue;
      }
      for (const earlier of before) earlier.passed += one.slots;
      this.#free -= one.slots;
      served.push(one.id);
    }
    this.#waiting = before;
    return served;
  }

  /** A slot beyond those of a dispatch, if nobody waits for it. */
  tryTake(): boolean {
    if (this.#free === 0 || this.#waiting.length > 0) return false;
    this.#free--;
    return true;
  }
}
