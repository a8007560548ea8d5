// A worker's end of the way from the root: bytes of a request in, bytes of its reply out, wherever the
// worker runs. Here a request that came by reference is fetched, clocks are compared, the work is
// metered, and a reply too long for the way back is spilled. What is raised travels back as data.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { emptyUsage, MeteredStore, type StoreUsage } from '../../object-store/metered-store.ts';
import type { Batch, FanOutCounts, Slice, SliceReply } from '../batch/batch.ts';
import {
  type BranchRequest,
  decodeBatch,
  decodeRequest,
  encodeFailure,
  encodeReply,
  encodeSpilled,
  type WorkerRequest,
} from '../batch/batch-codec.ts';
import { mergeReplies } from '../batch/merge.ts';
import { readSpilled, spill } from '../batch/spill.ts';
import type { WorkerUsage } from '../batch/usage.ts';
import { evaluate } from './invocation.ts';
import { cancelled } from './pacer.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

/** Merges what other workers reply; only given where an environment may be an inner node. */
type Branch = (
  request: BranchRequest,
  batch: Batch,
  signal: AbortSignal | undefined,
) => Promise<Findings>;

export interface Findings {
  readonly replies: readonly SliceReply[];
  /** Of the workers that were asked. */
  readonly usages: readonly WorkerUsage[];
  readonly sent?: FanOutCounts;
}

export interface ServiceOptions {
  readonly signal?: AbortSignal | undefined;
  /** What the way back takes; the request may say less. */
  readonly replyBytesMax?: number | undefined;
  readonly branch?: Branch;
}

/** Of the wall clocks of root and worker, by which deadlines are told. */
const clockSkewMsMax = 5 * 60_000;
/** A request may have waited for a free worker; no adapter tries for longer. */
const wayMsMax = 5 * 60_000;

const warm = new WeakSet<WorkerEnvironment>();

/** Never rejects: failures are replies. Aborting ends the work soon. */
export async function serveInvocation(
  bytes: Uint8Array,
  worker: WorkerEnvironment,
  options: ServiceOptions = {},
): Promise<Uint8Array> {
  const { signal } = options;
  let id = '';
  try {
    const started = worker.clock.monotonic();
    const cold = !warm.has(worker);
    warm.add(worker);
    const request = decodeRequest(bytes);
    id = request.id;
    checkClocks(worker.clock, request.sentAt);
    const usage = emptyUsage();
    const metered = { ...worker, store: new MeteredStore(worker.store, usage) };
    const batch = await batchOf(request, metered, signal);
    const found = await findingsOf(request, batch, { ...options, worker: metered });
    const own = { worker, usage, busyMs: worker.clock.monotonic() - started, cold };
    return await encodeFindings(
      request,
      { ...found, usages: [usageOf(own), ...found.usages] },
      { ...options, worker, namespace: batch.namespace },
    );
  } catch (error) {
    return encodeFailure(signal?.aborted === true ? cancelled(signal) : error, id);
  }
}

async function batchOf(
  request: WorkerRequest,
  worker: WorkerEnvironment,
  signal: AbortSignal | undefined,
): Promise<Batch> {
  const { batch } = request;
  if (batch instanceof Uint8Array) return decodeBatch(batch);
  return decodeBatch(await readSpilled(worker.store, batch, signal));
}

async function findingsOf(
  request: WorkerRequest,
  batch: Batch,
  options: ServiceOptions & { readonly worker: WorkerEnvironment },
): Promise<Findings> {
  const { branch, signal, worker } = options;
  if (request.message === 'invocation') {
    const replies = await evaluate({ ...request, batch }, worker, signal);
    return { replies: summedUp(batch, request.slices, replies), usages: [] };
  }
  if (branch !== undefined) return await branch(request, batch, signal);
  throw new MusterError(
    'BAD_ARGUMENTS',
    'A worker was asked to share work out to others, but is not set up as an inner node: ' +
      'give the branch function its own deployment',
  );
}

/** Counts of several slices are one list when they travel; all else is merged by who asked. */
function summedUp(
  batch: Batch,
  slices: readonly Slice[],
  replies: readonly SliceReply[],
): readonly SliceReply[] {
  const areCounts = batch.asks.every(({ ask }) => ask === 'card' || ask === 'any');
  if (!areCounts || slices.length < 2) return replies;
  return [{ slices, answers: mergeReplies(batch, slices, replies) }];
}

async function encodeFindings(
  request: WorkerRequest,
  findings: Findings,
  way: ServiceOptions & { readonly worker: WorkerEnvironment; readonly namespace: number },
): Promise<Uint8Array> {
  const { id, queryId } = request;
  const reply = encodeReply({ id, queryId, ...findings });
  const bytesMax = Math.min(
    request.replyBytesMax ?? Number.POSITIVE_INFINITY,
    way.replyBytesMax ?? Number.POSITIVE_INFINITY,
  );
  if (reply.length <= bytesMax) return reply;
  const { worker, namespace, signal } = way;
  const counted = encodeReply({ id, queryId, ...withSpill(findings, reply.length) });
  const ref = await spill(worker.store, counted, { namespace, clock: worker.clock, signal });
  return encodeSpilled(ref);
}

/** The first usage is the worker's own; its reply has to say what writing it will cost. */
function withSpill(findings: Findings, bytes: number): Findings {
  const usages = findings.usages.map((usage, i) =>
    i > 0
      ? usage
      : { ...usage, writes: usage.writes + 1, bytesWritten: usage.bytesWritten + bytes },
  );
  return { ...findings, usages };
}

interface Spent {
  readonly worker: WorkerEnvironment;
  readonly usage: StoreUsage;
  readonly busyMs: number;
  readonly cold: boolean;
}

function usageOf({ worker, usage, busyMs, cold }: Spent): WorkerUsage {
  const { reads, writes, lists, bytesRead, bytesWritten } = usage;
  const { name, memoryMb } = worker.identity;
  const store = { reads, writes, lists, bytesRead, bytesWritten };
  return { worker: name, ...store, busyMs, memoryMb, cold };
}

/** Deadlines are wall-clock times: with clocks apart, work would end early, or run on unasked. */
function checkClocks(clock: Clock, sentAt: number): void {
  const ahead = clock.now() - sentAt;
  if (ahead >= -clockSkewMsMax && ahead <= clockSkewMsMax + wayMsMax) return;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  throw new MusterError(
    'BAD_ARGUMENTS',
    `The clock of a worker is ${minutes} minutes ${ahead > 0 ? 'ahead of' : 'behind'} the root's, ` +
      'and deadlines are told by it: set the clocks of both machines right (NTP)',
  );
}
