// Waiting that ends with a signal, for work that doesn't: work that nobody can stop, or that others
// wait for too.

/** Rejects with the signal's reason; `onLate` is then given what the work yields all the same. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: Promise<T>,
  onLate: (result: T) => void,
): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    if (signal.aborted) work.then(onLate, () => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
