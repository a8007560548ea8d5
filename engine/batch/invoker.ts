// The port between a root and its workers: bytes in, bytes out. Adapters decide where the work
// runs; the contract is the same for all (test/engine/batch/invoker-contract.ts).
//
// - A reply is the encoded replies of all slices of the invocation, or the encoded failure of the
//   worker (batch-codec.ts raises it again), or the call throws. Never a part of an answer.
// - The request is not changed and may be sent again (replies are idempotent).
// - Aborting the signal ends the work soon, wherever it runs.

export interface InvokeOptions {
  readonly signal?: AbortSignal;
}

export interface Invoker {
  /** How many invocations run side by side usefully. */
  readonly parallelism: number;
  invoke(request: Uint8Array, options?: InvokeOptions): Promise<Uint8Array>;
  close(): Promise<void>;
}
