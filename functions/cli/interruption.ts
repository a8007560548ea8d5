// Ctrl-C as a signal: what runs is told to stop and says so itself, where the process would end without
// a word.

/** Runs `work` under a signal that Ctrl-C aborts; a second Ctrl-C ends the process, as ever. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    return await work(stop.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
