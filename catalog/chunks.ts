// Many small requests, a bounded number at a time.

const requestsAtOnce = 32;

/** Results in the order of items; the first failure is thrown. */
export async function inChunks<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += requestsAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + requestsAtOnce).map(work))));
  }
  return results;
}
