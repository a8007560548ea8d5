// A controller that also aborts when another signal does. As AbortSignal.any, but cheap, for what
// ends soon: whoever links must unlink, or the signal keeps the controller alive.

/** Aborts `controller` with the signal's reason, now or later. Gives back how to unlink the two. */
export function linkSignal(
  controller: AbortController,
  signal: AbortSignal | undefined,
): () => void {
  if (signal === undefined) return () => {};
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) {
    abort();
    return () => {};
  }
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
