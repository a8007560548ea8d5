// What answers a process's exchanges share, whatever they come through: the engine, who may ask, the
// door, who is told about queries, and whether the server is about to stop.

import type { Clock } from '../../base/clock.ts';
import type { MusterError } from '../../base/errors.ts';
import { linkSignal } from '../../base/linked-signal.ts';
import type { QueryEngine } from '../query-engine.ts';
import type { QueryObserver, QueryRecord } from '../query-record.ts';
import type { User } from '../serve-options.ts';
import { openUsers, type Users } from '../users.ts';
import { Admission } from './admission.ts';
import type { ConsolePage } from './console-page.ts';
import { StoreHealth } from './health.ts';

export interface EdgeOptions {
  readonly engine: QueryEngine;
  readonly clock: Clock;
  /** Absent or empty: `default`, without a password. */
  readonly users?: readonly User[];
  readonly queriesMax?: number;
  readonly observers?: readonly QueryObserver[];
  /** Rejects when the store can't be reached; for /health. */
  readonly probe?: (signal: AbortSignal) => Promise<unknown>;
  /** What /metrics answers; absent: there is no such path. */
  readonly metrics?: () => Promise<MetricsText>;
  /** The page for browsers, when one asks; absent: there is none. */
  readonly page?: () => ConsolePage | undefined;
}

interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

const defaultQueriesMax = 100;

export class HttpEdge {
  readonly engine: QueryEngine;
  readonly clock: Clock;
  readonly users: Users;
  readonly admission: Admission;
  readonly store: StoreHealth;
  readonly metrics: EdgeOptions['metrics'];
  readonly page: EdgeOptions['page'];
  readonly #observers: readonly QueryObserver[];
  readonly #running = new Set<AbortController>();
  readonly #whenIdle: (() => void)[] = [];
  readonly #started: number;
  #draining = false;

  constructor(options: EdgeOptions) {
    const { clock, queriesMax = defaultQueriesMax } = options;
    this.engine = options.engine;
    this.clock = clock;
    this.users = openUsers(options.users ?? []);
    this.admission = new Admission({ queriesMax, clock });
    this.store = new StoreHealth({ clock, probe: options.probe });
    this.metrics = options.metrics;
    this.page = options.page;
    this.#observers = options.observers ?? [];
    this.#started = clock.monotonic();
  }

  /** Queries that are being read, waited for, or answered. */
  get running(): number {
    return this.#running.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get uptimeSeconds(): number {
    return (this.clock.monotonic() - this.#started) / 1000;
  }

  /** The signal of a query that begins; call `end` when it is answered. */
  begin(gone: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
    const stop = new AbortController();
    const unlink = linkSignal(stop, gone);
    this.#running.add(stop);
    return {
      signal: stop.signal,
      end: () => {
        unlink();
        this.#running.delete(stop);
        if (this.#running.size === 0) for (const tell of this.#whenIdle.splice(0)) tell();
      },
    };
  }

  /** Resolves when no query runs. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  observe(record: QueryRecord): void {
    for (const observer of this.#observers) observer(record);
  }

  /** From now on new queries are refused; those that run may end. */
  drain(): void {
    this.#draining = true;
  }

  /** Stops what runs; it is answered with this reason. */
  abort(reason: MusterError): void {
    for (const controller of this.#running) controller.abort(reason);
  }
}
