// Clients that ask one kind of question again and again, in virtual time. Plans, hedges and admission
// are the engine's own code; the cloud is a model (latency-model.ts, environment-pool.ts). Each policy
// can be left out, to see what it is good for.

import { prices } from '../../engine/cost/prices.ts';
import { Admission } from '../../engine/batch/fan-out/admission.ts';
import {
  evenPlan,
  type FanOutLimits,
  type FanOutPlan,
  type GroupWork,
  invocationMsMin,
  planFanOut,
} from '../../engine/batch/fan-out/fan-out-plan.ts';
import { HedgeBudget } from '../../engine/batch/fan-out/hedging.ts';
import { raceInvocations } from '../../engine/batch/fan-out/invocation-race.ts';
import type { Slice } from '../../engine/batch/batch.ts';
import { slicesOfGroup } from '../../engine/batch/slices.ts';
import { EnvironmentPool, noUse } from './environment-pool.ts';
import {
  backoffMs,
  coldStartMs,
  mergeMs,
  readMs,
  sendMs,
  slowness,
  warmStartMs,
} from './latency-model.ts';
import { type QuestionShape, workOf } from './question-shapes.ts';
import { VirtualClock } from './virtual-clock.ts';

export const policyNames = [
  'even cut',
  'batching',
  'hedging',
  'tree',
  'admission',
  'affinity',
] as const;
export type PolicyName = (typeof policyNames)[number];

export interface SimulationOptions {
  readonly shape: QuestionShape;
  readonly clients: number;
  /** Asked before, and not counted: environments start cold, and their caches are empty. */
  readonly warmUp?: number;
  readonly questions: number;
  readonly seed: number;
  readonly without?: PolicyName;
  /** Instead of the engine's own, to see what other limits would give. */
  readonly invocationMsMin?: number;
  readonly directMax?: number;
}

export interface SimulationResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly dollarsPerThousand: number;
  /** Planned, of workers, per question. */
  readonly invocations: number;
  /** Second invocations, of all first ones. */
  readonly hedgedShare: number;
  /** Refused calls (429) per question. */
  readonly refused: number;
  readonly coldShare: number;
}

/** Of the account; inner nodes have their own. */
const concurrency = 300;
const memoryGb = 2;

/** The same options give the same result. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const clock = new VirtualClock(options.seed);
  const world = new World(clock, options);
  const latencies: number[] = [];
  const round = async (questions: number): Promise<void> => {
    let left = questions;
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const began = clock.monotonic();
        await world.ask();
        latencies.push(clock.monotonic() - began);
      }
    };
    await clock.run(Promise.all(Array.from({ length: options.clients }, client)));
  };
  await round(options.warmUp ?? 0);
  latencies.length = 0;
  world.forget();
  await round(options.questions);
  return world.result(latencies.toSorted((a, b) => a - b));
}

class World {
  readonly #clock: VirtualClock;
  readonly #options: SimulationOptions;
  readonly #work: readonly GroupWork[];
  readonly #workers: EnvironmentPool;
  readonly #inner: EnvironmentPool;
  readonly #admission: Admission | undefined;
  readonly #budget: HedgeBudget | undefined;
  /** The root's thread is free again then. */
  #rootFreeAt = 0;
  #active = 0;
  #planned = 0;
  #hedged = 0;

  constructor(clock: VirtualClock, options: SimulationOptions) {
    const { without } = options;
    this.#clock = clock;
    this.#options = options;
    this.#work = workOf(options.shape);
    const byAffinity = without !== 'affinity';
    this.#workers = new EnvironmentPool(clock, { concurrency, byAffinity });
    this.#inner = new EnvironmentPool(clock, { concurrency: 1000, byAffinity: false });
    this.#admission = without === 'admission' ? undefined : new Admission(concurrency, clock);
    this.#budget = without === 'hedging' ? undefined : new HedgeBudget();
  }

  async ask(): Promise<void> {
    const others = this.#active++;
    const share = this.#admission?.share(others) ?? concurrency;
    const limits = { invocationsMax: share, others };
    const { invocations, branches } = planOf(this.#work, limits, this.#options);
    this.#planned += invocations.length;
    const admitted = await this.#admission?.enter(invocations.length);
    const takeSlot = admitted && (() => admitted.tryTake());
    if (branches === undefined) {
      const onEnd = () => admitted?.release(1);
      await this.#race(invocations, { atRoot: true, takeSlot, onEnd });
    } else {
      await raceInvocations(
        branches.length,
        async (position) => {
          const { start, end } = branches[position]!;
          await this.#branch(invocations.slice(start, end));
          admitted?.release(end - start);
        },
        { clock: this.#clock },
      );
    }
    admitted?.releaseAll();
    this.#active--;
  }

  /** What was counted so far. */
  forget(): void {
    this.#planned = 0;
    this.#hedged = 0;
    this.#workers.use = noUse();
    this.#inner.use = noUse();
  }

  result(latencies: readonly number[]): SimulationResult {
    const { questions } = this.#options;
    const [workers, inner] = [this.#workers.use, this.#inner.use];
    const calls = workers.invocations + inner.invocations;
    const gbSeconds = ((workers.busyMs + inner.busyMs) / 1000) * memoryGb;
    const dollars =
      calls * prices.functions.invocation +
      gbSeconds * prices.functions.gbSecond.arm64 +
      workers.requests * prices.store.read;
    return {
      p50Ms: at(latencies, 0.5),
      p99Ms: at(latencies, 0.99),
      dollarsPerThousand: (1000 * dollars) / questions,
      invocations: this.#planned / questions,
      hedgedShare: this.#hedged / (workers.invocations - this.#hedged),
      refused: workers.refused / questions,
      coldShare: workers.cold / workers.invocations,
    };
  }

  /** An inner node waits while its workers work, and is paid for it. */
  async #branch(children: FanOutPlan['invocations']): Promise<void> {
    await this.#rootBusy(sendMs);
    const taken = this.#inner.take('');
    if (taken === undefined) throw new Error('inner nodes have concurrency enough');
    const { random } = this.#clock;
    const began = this.#clock.monotonic();
    await this.#clock.sleep(taken.isCold ? coldStartMs(random) : warmStartMs(random));
    await this.#race(children, { atRoot: false });
    const busyMs = this.#clock.monotonic() - began;
    this.#inner.use.busyMs += busyMs;
    await this.#inner.run(taken, 0, 0);
    await this.#rootBusy(mergeMs);
  }

  async #race(
    invocations: FanOutPlan['invocations'],
    options: {
      readonly atRoot: boolean;
      readonly takeSlot?: (() => boolean) | undefined;
      readonly onEnd?: () => void;
    },
  ): Promise<void> {
    const { atRoot, takeSlot, onEnd } = options;
    const thread = { freeAt: 0 };
    const busy = (ms: number) => (atRoot ? this.#rootBusy(ms) : this.#busy(thread, ms));
    const { hedged } = await raceInvocations(
      invocations.length,
      async (position, { attempt, signal }) => {
        await this.#invoke(invocations[position]!, { attempt, signal, busy });
        await busy(mergeMs);
      },
      { clock: this.#clock, budget: this.#budget, takeSlot, onEnd },
    );
    this.#hedged += hedged;
  }

  /** Refused calls are tried again, as adapters do. */
  async #invoke(
    slices: readonly Slice[],
    call: {
      readonly attempt: number;
      readonly signal: AbortSignal;
      readonly busy: (ms: number) => Promise<void>;
    },
  ): Promise<void> {
    const { random } = this.#clock;
    const { attempt, signal, busy } = call;
    const affinity = attempt === 0 ? `${slices[0]!.group}/${slices[0]!.codes.start}` : undefined;
    await busy(sendMs);
    let taken = this.#workers.take(affinity);
    for (let tries = 0; taken === undefined; tries++) {
      await this.#clock.sleep(backoffMs(random, tries), signal);
      await busy(sendMs);
      taken = this.#workers.take(affinity);
    }
    const startMs = taken.isCold ? coldStartMs(random) : warmStartMs(random);
    const busyMs = this.#workMs(slices, taken.environment.kept);
    void this.#workers.run(taken, startMs, busyMs);
    await this.#clock.sleep(startMs + busyMs, signal);
  }

  #workMs(slices: readonly Slice[], kept: Set<number>): number {
    const { random } = this.#clock;
    let requests = 0;
    let bytes = 0;
    let computeMs = 0;
    for (const { group, codes } of slices) {
      const load = this.#options.shape.loads[group]!;
      const codesEnd = this.#work[group]!.nextCode;
      computeMs += (load.computeMs * (Math.min(codes.end, codesEnd) - codes.start)) / codesEnd;
      if (kept.has(group)) continue;
      kept.add(group);
      requests += load.requests;
      bytes += load.bytes;
    }
    const asked = Math.ceil(requests);
    this.#workers.use.requests += asked;
    return 1 + readMs(random, asked, bytes) + computeMs * slowness(random);
  }

  async #rootBusy(ms: number): Promise<void> {
    const now = this.#clock.monotonic();
    this.#rootFreeAt = Math.max(now, this.#rootFreeAt) + ms;
    await this.#clock.sleep(this.#rootFreeAt - now);
  }

  async #busy(thread: { freeAt: number }, ms: number): Promise<void> {
    const now = this.#clock.monotonic();
    thread.freeAt = Math.max(now, thread.freeAt) + ms;
    await this.#clock.sleep(thread.freeAt - now);
  }
}

function planOf(
  work: readonly GroupWork[],
  given: Pick<FanOutLimits, 'invocationsMax' | 'others'>,
  options: SimulationOptions,
): FanOutPlan {
  const { without, directMax } = options;
  const limits = {
    ...given,
    invocationMsMin: without === 'batching' ? 0 : (options.invocationMsMin ?? invocationMsMin),
    hasBranches: without !== 'tree',
    ...(directMax === undefined ? {} : { directMax }),
  };
  const plan = planFanOut(work, limits);
  if (without !== 'even cut') return plan;
  const groups = work.flatMap(({ group, nextCode }) => slicesOfGroup(group, nextCode, 1));
  return evenPlan(groups, plan.invocations.length);
}

function at(sorted: readonly number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? 0;
}
