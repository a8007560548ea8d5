// One level of a fan-out: requests made of an encoded batch, sent to workers or to inner nodes, hedged,
// their replies fetched where they were spilled, decoded and checked. The root and inner nodes
// send alike.

import type { Clock } from '../../../base/clock.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import type { Batch, InvocationReply, Slice } from '../batch.ts';
import { decodeReply, encodeBranch, encodeInvocation, type SpillRef } from '../batch-codec.ts';
import type { Invoker } from '../invoker.ts';
import { wholeReply } from '../spill.ts';
import { affinityOf } from './affinity.ts';
import type { HedgeBudget } from './hedging.ts';
import { raceInvocations } from './invocation-race.ts';

/** Slices for one worker, or for the children of one inner node. */
export type Errand =
  | { readonly kind: 'invocation'; readonly slices: readonly Slice[] }
  | { readonly kind: 'branch'; readonly children: readonly (readonly Slice[])[] };

export interface Way {
  readonly invoker: Invoker;
  readonly clock: Clock;
  readonly store?: ObjectStore | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: HedgeBudget | undefined;
  readonly takeSlot?: (() => boolean) | undefined;
  readonly onEnd?: ((position: number) => void) | undefined;
}

export interface Sent {
  readonly replies: readonly InvocationReply[];
  readonly hedged: number;
  /** By adapters of this level. */
  readonly retried: number;
}

/** `batch` as it was encoded: it says what the requests are about. */
export async function sendRequests(
  errands: readonly Errand[],
  asked: { readonly batch: Batch; readonly encoded: Uint8Array | SpillRef },
  way: Way,
): Promise<Sent> {
  const { invoker, clock, store } = way;
  const { queryId, deadline } = asked.batch;
  let retried = 0;
  const { replies, hedged } = await raceInvocations(
    errands.length,
    async (position, { attempt, signal }) => {
      const errand = errands[position]!;
      const id = clock.randomId();
      const bytes = await invoker.invoke(encodeErrand(errand, { ...asked, id, way }), {
        signal,
        deadline,
        attempt,
        affinity: affinityOf(asked.batch, slicesOfErrand(errand)),
        onRetry: () => retried++,
      });
      const whole = store === undefined ? bytes : await wholeReply(store, bytes, signal);
      return decodeReply(whole, { id, queryId });
    },
    way,
  );
  return { replies, hedged, retried };
}

function slicesOfErrand(errand: Errand): readonly Slice[] {
  return errand.kind === 'branch' ? errand.children.flat() : errand.slices;
}

function encodeErrand(
  errand: Errand,
  sent: {
    readonly batch: Batch;
    readonly encoded: Uint8Array | SpillRef;
    readonly id: string;
    readonly way: Way;
  },
): Uint8Array {
  const { clock, invoker } = sent.way;
  const { replyBytesMax } = invoker;
  const head = {
    id: sent.id,
    queryId: sent.batch.queryId,
    sentAt: clock.now(),
    ...(replyBytesMax === undefined ? {} : { replyBytesMax }),
    batch: sent.encoded,
  };
  if (errand.kind === 'branch') return encodeBranch({ ...head, children: errand.children });
  return encodeInvocation({ ...head, slices: errand.slices });
}
