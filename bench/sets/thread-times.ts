// Processor time of a process, thread by thread: where other work shares the machine it tells what the
// clock hides, how evenly threads share a question. Linux tells it, in nanoseconds.

import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of each thread so far, by its id. */
export type ThreadTimes = ReadonlyMap<number, number>;

export function threadTimes(pid: number): ThreadTimes {
  const folder = `/proc/${pid}/task`;
  const times = new Map<number, number>();
  for (const thread of readdirSync(folder)) {
    const [nanoseconds = '0'] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
    times.set(Number(thread), Number(nanoseconds) / 1e6);
  }
  return times;
}

/**
 * What a question would take if nobody else used the machine: the root's thread, which is the
 * process's first, and the busiest of the others, which work while it waits.
 */
export function criticalMs(pid: number, before: ThreadTimes, after: ThreadTimes): number {
  const spent = (thread: number) => (after.get(thread) ?? 0) - (before.get(thread) ?? 0);
  const others = [...after.keys()].filter((thread) => thread !== pid).map(spent);
  return spent(pid) + Math.max(0, ...others);
}
