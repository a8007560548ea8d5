// Where a running statement's cost is added up: the root's own requests as they are sent, and what
// came back from the workers of each dispatch. One per statement; kept dispatch by dispatch, so that
// EXPLAIN ANALYZE can tell where it went.

import { emptyUsage, type StoreUsage } from '../../object-store/metered-store.ts';
import type { WorkerUsage } from '../batch/usage.ts';
import { type Architecture, prices } from './prices.ts';
import type { QueryCost } from './query-cost.ts';

/** The environment of a root that is charged by time: a function. */
export interface FunctionSize {
  readonly memoryMb: number;
  readonly architecture: Architecture;
}

/** How the work of a dispatch was sent out. */
export interface DispatchNotes {
  readonly slices: number;
  /** More than usages where an invocation's reply was lost or came second. */
  readonly invocations: number;
  /** Invocations sent a second time because they were slow. */
  readonly hedged: number;
  /** Invocations sent again because they failed. */
  readonly retried: number;
  /** From the first byte sent to the last reply merged. */
  readonly elapsedMs: number;
}

export interface DispatchCost {
  /** The stage of the plan that was running. */
  readonly stage: number;
  readonly usages: readonly WorkerUsage[];
  readonly notes: DispatchNotes | undefined;
}

/** Dearest where it is not known: a cost is not to be told too low. */
const defaultArchitecture: Architecture = 'x86_64';

export class CostLedger {
  /** The root's own; grows as requests are sent. */
  readonly root: StoreUsage = emptyUsage();
  /** Set by the executor as it goes on. */
  stage = 0;
  readonly #dispatches: DispatchCost[] = [];

  get dispatches(): readonly DispatchCost[] {
    return this.#dispatches;
  }

  /** Of one dispatch, also of a failed one as far as its workers told. */
  add(usages: readonly WorkerUsage[], notes?: DispatchNotes): void {
    this.#dispatches.push({ stage: this.stage, usages, notes });
  }

  /** So far. `size`: of the root where it is a function, at work for `elapsedMs`. */
  total(elapsedMs: number, size?: FunctionSize): QueryCost {
    const usages = usagesOf(this.#dispatches);
    const requests = {
      reads: this.root.reads + sum(usages, 'reads'),
      writes: this.root.writes + sum(usages, 'writes'),
      lists: this.root.lists + sum(usages, 'lists'),
      removes: this.root.removes,
    };
    const workerGbSeconds = usages.reduce((all, one) => all + gbSeconds(one.busyMs, one), 0);
    const gb = workerGbSeconds + (size === undefined ? 0 : gbSeconds(elapsedMs, size));
    const workerCalls = this.#dispatches.reduce((all, one) => all + functionCalls(one), 0);
    const calls = workerCalls + (size === undefined ? 0 : 1);
    const price = prices.functions;
    return {
      requests,
      bytesRead: this.root.bytesRead + sum(usages, 'bytesRead'),
      bytesWritten: this.root.bytesWritten + sum(usages, 'bytesWritten'),
      invocations: this.#dispatches.reduce(
        (all, { notes, usages: of }) => all + (notes?.invocations ?? of.length),
        0,
      ),
      hedged: this.#dispatches.reduce((all, { notes }) => all + (notes?.hedged ?? 0), 0),
      retried: this.#dispatches.reduce((all, { notes }) => all + (notes?.retried ?? 0), 0),
      workerSeconds: sum(usages, 'busyMs') / 1000,
      gbSeconds: gb,
      dollars:
        storeDollars(requests) +
        gb * price.gbSecond[size?.architecture ?? defaultArchitecture] +
        calls * price.invocation,
      workers: [...new Set(usages.map(({ worker }) => worker))].sort(),
    };
  }
}

export function usagesOf(dispatches: readonly DispatchCost[]): readonly WorkerUsage[] {
  return dispatches.flatMap(({ usages }) => usages);
}

function storeDollars({ reads, writes, lists, removes }: QueryCost['requests']): number {
  const { store } = prices;
  return reads * store.read + writes * store.write + lists * store.list + removes * store.remove;
}

/** As they are charged: those that came second or failed too. */
function functionCalls({ usages, notes }: DispatchCost): number {
  if (!usages.some(({ memoryMb }) => memoryMb > 0)) return 0;
  if (notes === undefined) return usages.length;
  return notes.invocations + notes.hedged + notes.retried;
}

function gbSeconds(ms: number, { memoryMb }: { readonly memoryMb: number }): number {
  return (ms / 1000) * (memoryMb / 1024);
}

type Counter = 'reads' | 'writes' | 'lists' | 'bytesRead' | 'bytesWritten' | 'busyMs';

function sum(usages: readonly WorkerUsage[], counter: Counter): number {
  return usages.reduce((all, usage) => all + usage[counter], 0);
}
