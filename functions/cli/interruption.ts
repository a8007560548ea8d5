// Ctrl-C as a signal: what runs is told to stop and says so itself, where the process would end without
// a word.

import { exitCodes, SilentExit } from './exit-codes.ts';

/** Runs `work` under a signal that Ctrl-C aborts; a second Ctrl-C ends the process, as ever. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
    // Who waits for more of it hears of the signal only so.
    process.stdin.destroy();
  };
  process.once('SIGINT', interrupt);
  try {
    return await work(stop.signal);
  } catch (error) {
    const isCutOff = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (stop.signal.aborted && isCutOff) throw new SilentExit(exitCodes.interrupted);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}
