// The port between a root and its workers: bytes in, bytes out. Adapters decide where the work
// runs; the contract is the same for all (test/engine/batch/invoker-contract.ts).
//
// - A reply is what the worker encoded (batch-codec.ts): the replies of all slices, or its failure,
//   which decoding raises again; or the call throws. Never a part of an answer.
// - The request is not changed and may be sent again (replies are idempotent).
// - Aborting the signal ends the work soon, wherever it runs.
// - Adapters neither look into the bytes nor cut them: what is too big goes by reference (spill.ts).
//
// Throws a MusterError: NETWORK_ERROR (a worker died or could not be reached, twice),
// TOO_MANY_SIMULTANEOUS_QUERIES (throttled for as long as may be waited), TIMEOUT_EXCEEDED, and what
// says that the workers are set up wrongly.

export interface InvokeOptions {
  readonly signal?: AbortSignal;
  /** Wall-clock ms: transient failures are tried again until then at most. */
  readonly deadline?: number;
  /** Equal keys prefer the same worker, whose caches may hold what the work needs: only a hint. */
  readonly affinity?: string;
  /** 0 is the first; a repeated one goes to another worker where there is one. */
  readonly attempt?: number;
  /** Called before each time that the adapter sends the request again by itself. */
  readonly onRetry?: () => void;
}

export interface Invoker {
  /** How many invocations run side by side usefully. */
  readonly parallelism: number;
  /** Requests and replies beyond these go by reference, through the store. Absent: no limit. */
  readonly requestBytesMax?: number;
  readonly replyBytesMax?: number;
  /** Calls travel to other machines: slow ones are sent a second time. Absent: they stay on this one. */
  readonly isRemote?: boolean;
  /**
   * Estimated work, in ms, that a further invocation must have to pay for its own start (invocationMsMin
   * in fan-out/fan-out-plan.ts for functions). Absent: work is spread as far as there are slices.
   */
  readonly invocationMsMin?: number;
  /** Invocations that may be on the way at once, over all questions. Absent: as many as come. */
  readonly slots?: number;
  /** Takes requests for inner nodes of a tree of invocations. Absent: roots send to workers alone. */
  readonly branch?: Invoker;
  invoke(request: Uint8Array, options?: InvokeOptions): Promise<Uint8Array>;
  close(): Promise<void>;
}
