// Sends one batch to all its slices and gives back whole answers: admitted to the account's slots,
// directly or through a tree of inner nodes, slow invocations hedged; the first definite failure
// cancels the rest. How the batch is cut is planned before (fan-out/fan-out-plan.ts).

import { assert } from '../../base/assert.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import type { Answer, Batch, FanOutCounts, Slice } from './batch.ts';
import { encodeBatch, type SpillRef } from './batch-codec.ts';
import type { Admitted } from './fan-out/admission.ts';
import {
  evenPlan,
  type FanOutLimits,
  type FanOutPlan,
  slicesOfPlan,
} from './fan-out/fan-out-plan.ts';
import { type InvokerState, stateOf } from './fan-out/invoker-state.ts';
import { type Errand, type Sent, sendRequests } from './fan-out/send-requests.ts';
import type { Invoker } from './invoker.ts';
import { mergeReplies } from './merge.ts';
import { simplifyBatch } from './simplified-batch.ts';
import { removeSpilled, spill } from './spill.ts';
import { type TakenCounts, takenCounts } from './taken-counts.ts';
import type { WorkerUsage } from './usage.ts';
import { mentionsIds } from '../plan/placed-steps.ts';

interface DispatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes what is too big for the invoker; needed where the invoker has limits. */
  readonly store?: ObjectStore;
  readonly clock?: Clock;
}

/** Counts are of all levels; `invocations` are first ones, inner nodes too. */
interface Dispatched extends FanOutCounts {
  /** In the order of batch.asks. */
  readonly answers: readonly Answer[];
  /** Of those whose reply was taken. */
  readonly usages: readonly WorkerUsage[];
}

/**
 * Throws what the first failing worker raised; TOO_MANY_SIMULTANEOUS_QUERIES where no slots came free.
 * A plan is at most as wide as the invoker has slots; bare slices are shared out evenly.
 */
export async function dispatch(
  batch: Batch,
  cut: FanOutPlan | readonly Slice[],
  invoker: Invoker,
  options: DispatchOptions = {},
): Promise<Dispatched> {
  const { clock = systemClock } = options;
  const plan = 'invocations' in cut ? cut : evenPlan(cut, invocationsMax(invoker));
  const slices = slicesOfPlan(plan);
  const state = stateOf(invoker, clock);
  state.active++;
  try {
    const admitted = await admittedTo(state, plan, { ...options, deadline: batch.deadline });
    try {
      const way = { ...options, ...state, invoker, clock, admitted };
      const asked = sentBatch(batch, slices);
      const sent = await sendPlan(asked.batch, plan, way);
      const replies = sent.replies.flatMap((one) => one.replies);
      const answers = asked.finish(mergeReplies(asked.batch, slices, replies));
      return { answers, usages: sent.replies.flatMap((one) => one.usages), ...counts(sent) };
    } finally {
      admitted?.releaseAll();
    }
  } finally {
    state.active--;
  }
}

async function admittedTo(
  { admission }: InvokerState,
  plan: FanOutPlan,
  { signal, deadline }: DispatchOptions & { readonly deadline: number },
): Promise<Admitted | undefined> {
  const until = { deadline, ...(signal === undefined ? {} : { signal }) };
  return await admission?.enter(plan.invocations.length, until);
}

/** What one question may use of an invoker now: of its slots, a share while others use them. */
export function fanOutLimits(
  invoker: Invoker,
  rangesPerGroup = 1,
  clock: Clock = systemClock,
): FanOutLimits {
  const { admission, active } = stateOf(invoker, clock);
  return {
    invocationsMax: Math.min(admission?.share(active) ?? Infinity, invocationsMax(invoker)),
    others: active,
    invocationMsMin: invoker.invocationMsMin ?? 0,
    rangesPerGroup,
    hasBranches: invoker.branch !== undefined,
  };
}

function invocationsMax({ parallelism, slots = parallelism }: Invoker): number {
  return Math.max(1, Math.min(parallelism, slots));
}

interface Way extends DispatchOptions, Pick<InvokerState, 'budget'> {
  readonly invoker: Invoker;
  readonly clock: Clock;
  readonly admitted: Admitted | undefined;
}

async function sendPlan(batch: Batch, plan: FanOutPlan, way: Way): Promise<Sent> {
  const { store, admitted } = way;
  const branch = plan.branches === undefined ? undefined : way.invoker.branch;
  const errands = branch === undefined ? workerErrands(plan) : branchErrands(plan);
  const invoker = branch ?? way.invoker;
  const encoded = await encodedBatch(batch, { ...way, invoker });
  try {
    const hedges = { budget: way.budget, takeSlot: admitted && (() => admitted.tryTake()) };
    return await sendRequests(
      errands,
      { batch, encoded },
      {
        ...way,
        invoker,
        // A second branch would send all its invocations again: inner nodes hedge those themselves.
        ...(branch === undefined ? hedges : { budget: undefined }),
        onEnd: (position) => admitted?.release(invocationsOf(errands[position]!)),
      },
    );
  } finally {
    if (store !== undefined && !(encoded instanceof Uint8Array)) {
      await removeSpilled(store, encoded);
    }
  }
}

function workerErrands({ invocations }: FanOutPlan): readonly Errand[] {
  return invocations.map((slices) => ({ kind: 'invocation', slices }));
}

function branchErrands({ invocations, branches = [] }: FanOutPlan): readonly Errand[] {
  return branches.map(({ start, end }) => ({
    kind: 'branch',
    children: invocations.slice(start, end),
  }));
}

function invocationsOf(errand: Errand): number {
  return errand.kind === 'branch' ? errand.children.length : 1;
}

function counts({ replies, hedged, retried }: Sent): FanOutCounts {
  const inner = replies.map(({ sent }) => sent).filter((sent) => sent !== undefined);
  const sum = (counter: keyof FanOutCounts) => inner.reduce((all, sent) => all + sent[counter], 0);
  return {
    invocations: replies.length + sum('invocations'),
    hedged: hedged + sum('hedged'),
    retried: retried + sum('retried'),
  };
}

/** What goes around the batch in a request: slices, ids, times. */
const headBytesMax = 256 * 1024;

async function encodedBatch(
  batch: Batch,
  { invoker, store, clock, signal }: Way,
): Promise<Uint8Array | SpillRef> {
  const bytes = encodeBatch(batch);
  const { requestBytesMax = Number.POSITIVE_INFINITY } = invoker;
  if (bytes.length + headBytesMax <= requestBytesMax) return bytes;
  assert(store !== undefined, 'a store takes what is too big for the invoker');
  return await spill(store, bytes, { namespace: batch.namespace, clock, signal });
}

/** What workers need of a batch: where rows are shared out, all slices; segments only for ids. */
function sentBatch(batch: Batch, slices: readonly Slice[]): TakenCounts {
  const sources = batch.sources.map((source) => ({
    ...source,
    stripes: source.stripes.map(({ shape, rows, parts }) => ({ shape, rows, parts })),
  }));
  const { batch: simple, finish } = simplified(batch);
  const placed = {
    ...simple,
    sources,
    ...(batch.fragments.length === 0 ? {} : { slices }),
  };
  return { batch: speaksOfIds(batch) ? placed : withoutSegments(placed), finish };
}

/** Nodes that fragments look up keep their places. */
function simplified(batch: Batch): TakenCounts {
  const isLookedUp = batch.fragments.some(({ placed }) => placed?.sets !== undefined);
  return isLookedUp ? { batch, finish: (answers) => answers } : takenCounts(simplifyBatch(batch));
}

/** Whether a worker must encode or decode ids: otherwise codes are enough. */
function speaksOfIds(batch: Batch): boolean {
  return (
    batch.sets.some((column) => column.op === 'raw' || column.op === 'range') ||
    batch.asks.some(({ ask }) => ask !== 'card' && ask !== 'any' && ask !== 'rows') ||
    batch.fragments.some(({ placed }) => placed !== undefined && mentionsIds(placed.nodes))
  );
}

/** A dictionary may have thousands of segments, which no count needs. */
function withoutSegments(batch: Batch): Batch {
  return {
    ...batch,
    dictionaries: batch.dictionaries.map((dictionary) => ({ ...dictionary, segments: [] })),
  };
}
