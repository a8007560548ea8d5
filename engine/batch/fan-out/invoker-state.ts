// What all dispatches through one invoker share within a process, however many engines use it: the
// slots of its account, the budget for second invocations, and how many there are at the moment.

import type { Clock } from '../../../base/clock.ts';
import type { Invoker } from '../invoker.ts';
import { Admission } from './admission.ts';
import { HedgeBudget } from './hedging.ts';

export interface InvokerState {
  /** Dispatches that run or wait. */
  active: number;
  /** Absent where the invoker takes as many as come. */
  readonly admission?: Admission;
  /** Absent where hedging is of no use: on one machine both attempts would share its processors. */
  readonly budget?: HedgeBudget;
}

const states = new WeakMap<Invoker, InvokerState>();

export function stateOf(invoker: Invoker, clock: Clock): InvokerState {
  const known = states.get(invoker);
  if (known !== undefined) return known;
  const { slots, isRemote } = invoker;
  const state: InvokerState = {
    active: 0,
    ...(slots === undefined ? {} : { admission: new Admission(slots, clock) }),
    ...(isRemote === true ? { budget: new HedgeBudget() } : {}),
  };
  states.set(invoker, state);
  return state;
}
