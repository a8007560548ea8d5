// Who gets slots when: nobody twice, nobody never, nobody after too many who came later.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdmissionQueue } from '../../../../engine/batch/fan-out/admission-queue.ts';

function queue(slots: number, ...asked: readonly number[]): AdmissionQueue {
  const made = new AdmissionQueue(slots);
  asked.forEach((count, id) => made.enter(id, count));
  return made;
}

describe('turns', () => {
  it('come in order of arrival while slots are free', () => {
    const three = queue(10, 4, 4, 4);
    expect(three.admit()).toEqual([0, 1]);
    three.release(3);
    expect(three.admit()).toEqual([2]);
  });

  it('all slots or none: what is not enough is left to others', () => {
    const mixed = queue(10, 8, 6, 2);
    expect(mixed.admit()).toEqual([0, 2]);
    expect(mixed.free).toBe(0);
  });

  it('small ones pass a large one, but only as many as it is large', () => {
    const full = queue(8, 8);
    full.admit();
    full.enter(1, 4);
    for (let id = 2; id < 10; id++) full.enter(id, 1);
    full.release(3);
    expect(full.admit()).toEqual([2, 3, 4]);
    full.release(1);
    expect(full.admit()).toEqual([5]);
    full.release(3);
    expect(full.admit()).toEqual([]);
    full.release(1);
    expect(full.admit()).toEqual([1]);
  });

  it('who leaves makes way', () => {
    const two = queue(4, 4, 4, 1, 1, 1, 1, 1);
    two.admit();
    two.release(3);
    expect(two.admit()).toEqual([2, 3, 4]);
    two.release(2);
    expect(two.admit()).toEqual([5]);
    two.leave(1);
    expect(two.admit()).toEqual([6]);
  });

  it('a slot for a hedge only where nobody waits', () => {
    const some = queue(4, 3);
    some.admit();
    expect(some.tryTake()).toBe(true);
    expect(some.tryTake()).toBe(false);
    some.enter(1, 2);
    some.release(1);
    expect(some.tryTake()).toBe(false);
  });

  it('more slots than there are is a mistake', () => {
    expect(() => queue(4, 5)).toThrow(/5 of 4/);
    expect(() => queue(4, 0)).toThrow(/assertion/);
  });
});

interface Arrival {
  readonly gapMs: number;
  readonly share: number;
  readonly runMs: number;
}

interface Served {
  readonly slots: number;
  readonly arrivedAt: number;
  servedAt: number;
  /** Slots given to later ones while it waited. */
  passed: number;
}

/** Simulated: each arrives after a gap, runs with all its slots, and gives them back. */
function simulate(slots: number, arrivals: readonly Arrival[]): readonly Served[] {
  const waiting = new AdmissionQueue(slots);
  const served: Served[] = [];
  const ends: { at: number; slots: number }[] = [];
  let used = 0;
  let now = 0;
  const admit = (): void => {
    for (const id of waiting.admit()) {
      const one = served[id]!;
      one.servedAt = now;
      used += one.slots;
      expect(used).toBeLessThanOrEqual(slots);
      ends.push({ at: now + arrivals[id]!.runMs, slots: one.slots });
      for (const other of served.slice(0, id)) if (other.servedAt < 0) other.passed += one.slots;
    }
  };
  const endBefore = (limit: number): void => {
    while (ends.length > 0) {
      ends.sort((a, b) => a.at - b.at);
      if (ends[0]!.at > limit) return;
      const ended = ends.shift()!;
      now = ended.at;
      used -= ended.slots;
      waiting.release(ended.slots);
      admit();
    }
  };
  for (const [id, arrival] of arrivals.entries()) {
    const at = (served.at(-1)?.arrivedAt ?? 0) + arrival.gapMs;
    endBefore(at);
    now = at;
    const wanted = Math.max(1, Math.ceil(arrival.share * slots));
    served.push({ slots: wanted, arrivedAt: at, servedAt: -1, passed: 0 });
    waiting.enter(id, wanted);
    admit();
  }
  endBefore(Number.POSITIVE_INFINITY);
  return served;
}

const arrivals = fc.array(
  fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.nat(50)),
    share: fc.oneof(fc.constantFrom(0.01, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    runMs: fc.integer({ min: 1, max: 100 }),
  }),
  { maxLength: 60 },
);

describe('whatever comes', () => {
  it('everybody is served, and passed by no more slots than it asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), arrivals, (slots, all) => {
        for (const one of simulate(slots, all)) {
          expect(one.servedAt).toBeGreaterThanOrEqual(one.arrivedAt);
          expect(one.passed).toBeLessThanOrEqual(one.slots);
        }
      }),
    );
  });

  it('a large one gets through an endless stream of small ones', () => {
    const small = { gapMs: 1, share: 0.01, runMs: 50 };
    const all = Array.from({ length: 3000 }, (_, i) =>
      i === 500 ? { gapMs: 1, share: 1, runMs: 50 } : small,
    );
    const large = simulate(64, all)[500]!;
    expect(large.servedAt - large.arrivedAt).toBeLessThanOrEqual(64 + 2 * 50);
  });

  it('small ones get through a stream of large ones', () => {
    const all = Array.from({ length: 200 }, (_, i) =>
      i % 10 === 5 ? { gapMs: 1, share: 0.01, runMs: 5 } : { gapMs: 1, share: 0.9, runMs: 20 },
    );
    const served = simulate(64, all);
    const waits = (keep: (one: Served) => boolean) =>
      served.filter(keep).map((one) => one.servedAt - one.arrivedAt);
    const mean = (numbers: readonly number[]) =>
      numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    expect(mean(waits((one) => one.slots === 1))).toBeLessThan(
      mean(waits((one) => one.slots > 1)) / 20,
    );
  });
});
