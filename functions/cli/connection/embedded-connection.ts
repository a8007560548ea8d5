// An engine in this process, over a directory or S3, without a server. Other processes may work
// over the same store at the same time, as always.

import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { refuseForeignStore } from '../../../catalog/catalog.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { fileServices } from '../../file-services.ts';
import { Engine } from '../../../engine/engine.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { openStore } from '../../../object-store/open-store.ts';
import { formattedRows } from '../../formatted-rows.ts';
import { readStatement } from '../../http/statement.ts';
import { openServedCatalog } from '../../served-catalog.ts';
import type { StoreOptions } from '../serve-configuration.ts';
import { type Answer, type Ask, type Connection, StatementError } from './connection.ts';

export class EmbeddedConnection implements Connection {
  readonly place: string;
  readonly #engine: Engine;
  readonly #close: () => Promise<void>;

  private constructor(place: string, engine: Engine, close: () => Promise<void>) {
    this.place = place;
    this.#engine = engine;
    this.#close = close;
  }

  /** Throws a MusterError with one clear sentence when the store can't be had. */
  static async open(options: StoreOptions): Promise<EmbeddedConnection> {
    const { endpoint, region } = options;
    const clock = systemClock;
    const inspect = refuseForeignStore;
    const store = await openStore(options.store, { clock, endpoint, region, inspect });
    const catalog = await openServedCatalog(store, clock);
    const invoker = new InProcessInvoker(createWorkerEnvironment(store));
    const files = fileServices({
      clock,
      folder: process.cwd(),
      privateUrls: true,
      endpoint,
      region,
    });
    const engine = new Engine({ catalog, store, invoker, clock, files });
    return new EmbeddedConnection(options.store, engine, async () => {
      await invoker.close();
      await store.close();
    });
  }

  async execute(ask: Ask): Promise<Answer> {
    // The engine throws what its signal is aborted with.
    const cancel = new AbortController();
    const abort = (): void =>
      cancel.abort(new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled'));
    if (ask.signal.aborted) abort();
    ask.signal.addEventListener('abort', abort);
    try {
      return await this.#execute(ask, cancel.signal);
    } catch (error) {
      throw error instanceof MusterError ? new StatementError(error) : error;
    } finally {
      ask.signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #execute(ask: Ask, signal: AbortSignal): Promise<Answer> {
    const settings = ask.settings ?? new Map<string, string>();
    const { text, body } = await readStatement('', bytesOf(ask));
    const result = await this.#engine.execute({
      queryId: systemClock.randomId(),
      text,
      database: ask.database,
      parameters: new Map(),
      settings,
      defaultFormat: ask.format,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const { statistics } = result;
    const summary = { ...statistics, elapsedMs: statistics.elapsedNs / 1e6 };
    if (result.kind === 'done') return { format: '', chunks: fromIterable([]), summary };
    const { format, chunks } = formattedRows(result, { format: ask.format, settings });
    return { format, chunks: fromIterable(chunks), summary };
  }
}

/** The text and, behind a line end, the data: as they come over HTTP. */
async function* bytesOf({ text, body }: Ask): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
  if (body === undefined) return;
  yield Buffer.from('\n');
  yield* body;
}

async function* fromIterable(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw error instanceof MusterError ? new StatementError(error) : error;
  }
}
