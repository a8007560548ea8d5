// An engine over a store in memory, for tests: statements in, TabSeparated text out.

import { openCatalog } from '../../../catalog/catalog.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { Engine } from '../../../engine/engine.ts';
import type { QueryResult } from '../../../engine/query.ts';
import { valueAt } from '../../../engine/values/column-builder.ts';
import { valuePrinter } from '../../../engine/values/value-printer.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import type { ObjectStore } from '../../../object-store/port.ts';

interface AskOptions {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly database?: string;
}

interface Answer {
  /** Rows as TabSeparated prints them, without the last line's end. */
  readonly text: string;
  readonly names: readonly string[];
  readonly dispatches: number;
}

interface SessionOptions {
  readonly rangesPerGroup?: number;
  readonly store?: ObjectStore;
  readonly catalog?: Catalog;
  /** By default in-process, over the session's store. */
  readonly invoker?: Invoker;
}

let stores = 0;

export class Session {
  readonly engine: Engine;
  readonly store: ObjectStore;

  private constructor(engine: Engine, store: ObjectStore) {
    this.engine = engine;
    this.store = store;
  }

  static async open(options: SessionOptions = {}): Promise<Session> {
    const store = options.store ?? new MemoryStore({ id: `memory:${stores++}` });
    const catalog = options.catalog ?? (await openCatalog(store));
    const inProcess = new InProcessInvoker(createWorkerEnvironment(store));
    const invoker = options.invoker ?? inProcess;
    const { rangesPerGroup = 1 } = options;
    return new Session(new Engine({ catalog, store, invoker, layout: { rangesPerGroup } }), store);
  }

  /** Another engine over the same store, by default: nothing is cached. */
  async reopen(options: SessionOptions = {}): Promise<Session> {
    return await Session.open({ store: this.store, ...options });
  }

  async run(text: string, options: AskOptions = {}): Promise<QueryResult> {
    const { body } = options;
    return await this.engine.execute({
      queryId: 'test',
      text,
      database: options.database ?? 'bm',
      parameters: new Map(Object.entries(options.parameters ?? {})),
      settings: new Map(Object.entries(options.settings ?? {})),
      ...(body === undefined ? {} : { body: bytesOf(body) }),
    });
  }

  async ask(text: string, options: AskOptions = {}): Promise<Answer> {
    const result = await this.run(text, options);
    if (result.kind !== 'rows')
      return { text: '', names: [], dispatches: result.statistics.dispatches };
    const { columns, block } = result;
    const printers = columns.map(({ type }) =>
      valuePrinter(type.kind === 'Bitmap' ? { kind: 'String' } : type, { timeZone: 'UTC' }),
    );
    const lines = Array.from({ length: block.rows }, (_, row) =>
      printers
        .map((print, i) => {
          const column = block.columns[i]!;
          return valueAt(column, row) === null ? '\\N' : print(column, row);
        })
        .join('\t'),
    );
    const { dispatches } = result.statistics;
    return { text: lines.join('\n'), names: columns.map(({ name }) => name), dispatches };
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}
