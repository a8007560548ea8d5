// What a server under load says of itself at /metrics, sample by sample: memory, connections,
// queries, and what keeps its event loop alive.

import { setTimeout as delay } from 'node:timers/promises';

export interface ServerNumbers {
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly running: number;
  readonly waiting: number;
  /** Of clients; the one that asks is among them. */
  readonly connections: number;
  /** Files and sockets, also idle ones. */
  readonly openFiles: number;
  /** Sockets, timers and so on, by type. */
  readonly resources: ReadonlyMap<string, number>;
}

export async function readNumbers(url: string): Promise<ServerNumbers> {
  // A connection of its own, closed again: it must not count among those that are left over.
  const reply = await fetch(`${url}/metrics`, { headers: { Connection: 'close' } });
  const text = await reply.text();
  const number = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const resources = text.matchAll(/^nodejs_active_resources\{type="(\w+)"\} (\d+)$/gm);
  return {
    rssBytes: number('process_resident_memory_bytes'),
    heapBytes: number('nodejs_heap_used_bytes'),
    externalBytes: number('nodejs_external_memory_bytes'),
    running: number('muster_queries_running'),
    waiting: number('muster_queries_waiting'),
    connections: number('muster_http_connections'),
    openFiles: number('process_open_fds'),
    resources: new Map([...resources].map(([, type = '', count]) => [type, Number(count)])),
  };
}

/** Every half second until `stop`. */
export async function sampleNumbers(url: string, stop: AbortSignal): Promise<ServerNumbers[]> {
  const samples: ServerNumbers[] = [];
  while (!stop.aborted) {
    samples.push(await readNumbers(url));
    await delay(500, undefined, { signal: stop }).catch(() => undefined);
  }
  return samples;
}

/** The least of each third: what stays when garbage is collected. */
export function leastOfThirds(values: readonly number[]): readonly number[] {
  const third = Math.max(1, Math.floor(values.length / 3));
  return [0, 1, 2].map((i) => Math.min(...values.slice(i * third, (i + 1) * third)));
}
