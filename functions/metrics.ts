// Numbers for Prometheus, at /metrics: what queries did and cost, what runs and waits, what the
// process holds. Each server has its own registry. Names end in units; dollars are prices' list.

import { existsSync, readdirSync } from 'node:fs';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { QueryRecord } from './query-record.ts';

/** Read when the numbers are asked for. */
interface MetricsSources {
  readonly running: () => number;
  readonly waiting: () => number;
  readonly connections: () => Promise<number>;
  /** By what they are of. */
  readonly cacheBytes: () => Readonly<Record<string, number>>;
}

/** Of this process, where the system tells it: Linux. */
const openFiles = '/proc/self/fd';
const secondsBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];

export class Metrics {
  readonly #registry = new Registry();
  readonly #queries: Counter<'kind' | 'outcome'>;
  readonly #seconds: Histogram<'kind'>;
  readonly #waits: Histogram;
  readonly #rows: Counter<'direction'>;
  readonly #bytes: Counter<'direction'>;
  readonly #requests: Counter<'kind'>;
  readonly #storeBytes: Counter<'direction'>;
  readonly #dispatches: Counter;
  readonly #invocations: Counter;
  readonly #hedges: Counter;
  readonly #retries: Counter;
  readonly #workerSeconds: Counter;
  readonly #dollars: Counter;

  constructor() {
    const outcome = 'Queries that ended, by kind and outcome: ok, or the code of the exception';
    this.#queries = this.#counter('queries_total', outcome, ['kind', 'outcome']);
    this.#seconds = this.#histogram('query_duration_seconds', 'From head to last byte', ['kind']);
    this.#waits = this.#histogram('query_wait_seconds', 'In the line before the door');
    const rows = 'Rows that queries read, wrote, and answered with';
    this.#rows = this.#counter('rows_total', rows, ['direction']);
    const bytes = 'Bytes of rows that queries read and wrote, uncompressed';
    this.#bytes = this.#counter('row_bytes_total', bytes, ['direction']);
    const requests = 'Requests to the store for queries, by root and workers, retries too';
    this.#requests = this.#counter('store_requests_total', requests, ['kind']);
    const storeBytes = 'Bytes read from the store and written to it for queries';
    this.#storeBytes = this.#counter('store_bytes_total', storeBytes, ['direction']);
    this.#dispatches = this.#counter('dispatches_total', 'Batches sent to workers');
    const invocations = 'Calls of workers, hedges and retries too';
    this.#invocations = this.#counter('worker_invocations_total', invocations);
    const hedges = 'Calls of workers sent a second time because they were slow';
    this.#hedges = this.#counter('worker_hedges_total', hedges);
    const retries = 'Calls of workers sent again because they failed';
    this.#retries = this.#counter('worker_retries_total', retries);
    this.#workerSeconds = this.#counter('worker_busy_seconds_total', 'Time workers were at work');
    const dollars = 'What queries cost by list prices: store requests and functions';
    this.#dollars = this.#counter('cost_dollars_total', dollars);
    this.#process();
  }

  /** Gauges of what is there now. Once. */
  watch(sources: MetricsSources): void {
    this.#gauge('queries_running', 'Queries past the door', sources.running);
    this.#gauge('queries_waiting', 'Queries in the line before the door', sources.waiting);
    this.#gauge('http_connections', 'Open connections of clients', sources.connections);
    this.#family('muster_cache_bytes', 'What caches of this process hold', 'cache', () =>
      Object.entries(sources.cacheBytes()),
    );
  }

  observe(record: QueryRecord): void {
    const { kind, error, statistics, cost } = record;
    this.#queries.inc({ kind, outcome: error === undefined ? 'ok' : String(error.code) });
    this.#seconds.observe({ kind }, record.elapsedMs / 1000);
    this.#waits.observe(record.waitedMs / 1000);
    if (statistics !== undefined) {
      this.#rows.inc({ direction: 'read' }, statistics.readRows);
      this.#rows.inc({ direction: 'written' }, statistics.writtenRows);
      this.#rows.inc({ direction: 'answered' }, statistics.resultRows);
      this.#bytes.inc({ direction: 'read' }, statistics.readBytes);
      this.#bytes.inc({ direction: 'written' }, statistics.writtenBytes);
      this.#dispatches.inc(statistics.dispatches);
    }
    if (cost === undefined) return;
    this.#requests.inc({ kind: 'read' }, cost.requests.reads);
    this.#requests.inc({ kind: 'write' }, cost.requests.writes);
    this.#requests.inc({ kind: 'list' }, cost.requests.lists);
    this.#requests.inc({ kind: 'remove' }, cost.requests.removes);
    this.#storeBytes.inc({ direction: 'read' }, cost.bytesRead);
    this.#storeBytes.inc({ direction: 'written' }, cost.bytesWritten);
    this.#invocations.inc(cost.invocations);
    this.#hedges.inc(cost.hedged);
    this.#retries.inc(cost.retried);
    this.#workerSeconds.inc(cost.workerSeconds);
    this.#dollars.inc(cost.dollars);
  }

  async text(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #process(): void {
    const memory = (field: keyof NodeJS.MemoryUsage) => () => process.memoryUsage()[field];
    this.#own('process_resident_memory_bytes', 'Resident memory', memory('rss'));
    this.#own('nodejs_heap_used_bytes', 'JavaScript heap in use', memory('heapUsed'));
    this.#own('nodejs_external_memory_bytes', 'Buffers outside the heap', memory('external'));
    this.#own('process_cpu_seconds', 'Processor time so far', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    this.#own('process_uptime_seconds', 'Since the process began', () => process.uptime());
    // Sockets, timers, files: what keeps the process busy, and what a leak would show in.
    if (existsSync(openFiles)) {
      this.#own('process_open_fds', 'Open files and sockets', () => readdirSync(openFiles).length);
    }
    const help = 'Resources that keep the event loop alive, by type';
    this.#family('nodejs_active_resources', help, 'type', () => {
      const counts = new Map<string, number>();
      for (const type of process.getActiveResourcesInfo()) {
        counts.set(type, (counts.get(type) ?? 0) + 1);
      }
      return counts;
    });
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[] = []): Counter<T> {
    return new Counter({ name: `muster_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram<T extends string>(name: string, help: string, labelNames: T[] = []): Histogram<T> {
    const registers = [this.#registry];
    const buckets = secondsBuckets;
    return new Histogram({ name: `muster_${name}`, help, labelNames, buckets, registers });
  }

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    this.#own(`muster_${name}`, help, read);
  }

  #own(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: async () => gauge.set(await read()),
    });
  }

  /** One value for each value of a label. */
  #family(
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [string, number]>,
  ): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect: () => {
        gauge.reset();
        for (const [of, value] of read()) gauge.set({ [label]: of }, value);
      },
    });
  }
}
