// What one invocation of one worker cost, as the worker itself tells it in its reply. Plain numbers:
// they travel, and add up at the root.

/** Requests and bytes are the store's, as object-store/metered-store.ts counts them. */
export interface WorkerUsage {
  /** Names the environment (host and process, a thread, a function's instance); shown in traces. */
  readonly worker: string;
  readonly reads: number;
  readonly writes: number;
  readonly lists: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Wall time of the invocation inside the worker. */
  readonly busyMs: number;
  /** Size of the environment where it is paid for by size, else 0. */
  readonly memoryMb: number;
  /** The first invocation of its environment. */
  readonly cold: boolean;
}
