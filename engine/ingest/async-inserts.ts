// `async_insert = 1`: small inserts of several clients into one table become one commit. Rows are read
// and checked for each client by itself; then they wait in this process, until enough have come or the
// first has waited long enough. Who waits for its insert (wait_for_async_insert, the default) is told
// when it is stored, and its rows are then as durable as any; who doesn't wait is told nothing more.
//
// A batch that fails is tried again insert by insert, so that one bad insert fails alone; not where it
// may have been stored after all.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import type { NamespaceId, TableSchema } from '../../catalog/schema.ts';
import type { QueryContext } from '../query-context.ts';
import type { QueryRequest } from '../query.ts';
import type { InsertBlock } from './insert-block.ts';
import { InsertWriter } from './insert-writer.ts';

export interface SmallInsert {
  readonly database: string;
  readonly namespace: NamespaceId;
  readonly table: TableSchema;
  /** Columns as the table's. */
  readonly blocks: readonly InsertBlock[];
  readonly bytes: number;
  /** Of the statement: inserts with other settings are not put together. */
  readonly settings: ReadonlyMap<string, string>;
}

interface Pending {
  readonly insert: SmallInsert;
  readonly settle: (error?: unknown) => void;
}

interface Queue {
  readonly pending: Pending[];
  bytes: number;
  readonly stop: AbortController;
}

interface AsyncInsertsOptions {
  readonly clock: Clock;
  /** Work under the settings of a request, whose signal nobody aborts. */
  readonly within: (
    request: QueryRequest,
    work: (context: QueryContext) => Promise<void>,
  ) => Promise<void>;
}

export class AsyncInserts {
  readonly #options: AsyncInsertsOptions;
  readonly #queues = new Map<string, Queue>();
  readonly #flushing = new Set<Promise<void>>();

  constructor(options: AsyncInsertsOptions) {
    this.#options = options;
  }

  /** Resolves when the rows are stored; rejects with what kept them from it. */
  async add(insert: SmallInsert): Promise<void> {
    const limits = limitsOf(insert.settings);
    const key = keyOf(insert);
    const queue = this.#queues.get(key) ?? this.#open(key, limits.waitMs);
    const stored = new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown): void => {
        if (error === undefined) resolve();
        // What was thrown is handed on as it is.
        else reject(error);
      };
      queue.pending.push({ insert, settle });
    });
    queue.bytes += insert.bytes;
    if (queue.bytes >= limits.bytes || queue.pending.length >= limits.inserts) this.#flush(key);
    await stored;
  }

  /** Stores what waits; for who shuts down. */
  async settle(): Promise<void> {
    for (const key of this.#queues.keys()) this.#flush(key);
    await Promise.all(this.#flushing);
  }

  #open(key: string, waitMs: number): Queue {
    const queue = { pending: [], bytes: 0, stop: new AbortController() };
    this.#queues.set(key, queue);
    const expire = async (): Promise<void> => {
      await this.#options.clock.sleep(waitMs, queue.stop.signal);
      this.#flush(key);
    };
    expire().catch(() => {});
    return queue;
  }

  #flush(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    this.#queues.delete(key);
    queue.stop.abort();
    const flush = this.#store(queue.pending).finally(() => this.#flushing.delete(flush));
    this.#flushing.add(flush);
  }

  /** Never rejects. */
  async #store(pending: readonly Pending[]): Promise<void> {
    try {
      await this.#write(pending.map(({ insert }) => insert));
      for (const { settle } of pending) settle();
    } catch (error) {
      const isDefinite =
        error instanceof MusterError && error.errorName !== 'UNKNOWN_STATUS_OF_INSERT';
      if (pending.length > 1 && isDefinite) {
        for (const one of pending) await this.#store([one]);
        return;
      }
      for (const { settle } of pending) settle(error);
    }
  }

  async #write(inserts: readonly SmallInsert[]): Promise<void> {
    const [first] = inserts;
    if (first === undefined) return;
    const { database, namespace, table, settings } = first;
    const request: QueryRequest = {
      queryId: this.#options.clock.randomId(),
      text: '',
      database,
      parameters: new Map(),
      settings,
    };
    await this.#options.within(request, async (context) => {
      const writer = new InsertWriter({ context, database, namespace, table });
      for (const { blocks } of inserts) for (const block of blocks) await writer.add(block);
      await writer.commit();
    });
  }
}

function keyOf({ database, namespace, table, settings }: SmallInsert): string {
  const sorted = [...settings].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([database, namespace, table.id, table.schemaVersion, sorted]);
}

interface Limits {
  readonly waitMs: number;
  readonly bytes: number;
  readonly inserts: number;
}

const defaults = {
  async_insert_busy_timeout_max_ms: 200,
  async_insert_max_data_size: 10 * 1024 * 1024,
  async_insert_max_query_number: 450,
} as const;

/** As ClickHouse calls them, with its defaults. */
export function limitsOf(settings: ReadonlyMap<string, string>): Limits {
  const of = (name: keyof typeof defaults, other = ''): number => {
    const value = Number(settings.get(name) ?? settings.get(other) ?? '');
    return Number.isFinite(value) && value > 0 ? value : defaults[name];
  };
  return {
    waitMs: of('async_insert_busy_timeout_max_ms', 'async_insert_busy_timeout_ms'),
    bytes: of('async_insert_max_data_size'),
    inserts: of('async_insert_max_query_number'),
  };
}
