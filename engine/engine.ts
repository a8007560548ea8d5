// The engine: one statement in, rows or an acknowledgement out. Takes the ports it works through;
// keeps nothing between statements but caches.

import { alarm, type Clock, systemClock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { linkSignal } from '../base/linked-signal.ts';
import type { Catalog } from '../catalog/port.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { MeteredStore } from '../object-store/metered-store.ts';
import type { ObjectStore } from '../object-store/port.ts';
import type { Column } from '../storage-format/column.ts';
import type { NamedType } from '../storage-format/data-type.ts';
import { OpenedIndexes } from './batch/carried-indexes.ts';
import { InProcessInvoker } from './batch/in-process-invoker.ts';
import type { Invoker } from './batch/invoker.ts';
import { BackgroundCompactions } from './compaction/background-compactions.ts';
import { optimizeTable } from './compaction/optimize-table.ts';
import { CostLedger, type FunctionSize } from './cost/cost-ledger.ts';
import { executeDdl } from './ddl/execute-ddl.ts';
import { BackgroundMerges } from './dictionary/background-merges.ts';
import { createDictionaryCaches, type DictionaryCaches } from './dictionary/dictionary-reader.ts';
import { explainStatement } from './explain.ts';
import { printsSetSizes } from './formats/output.ts';
import type { FileServices } from './files/file-services.ts';
import { AsyncInserts } from './ingest/async-inserts.ts';
import { executeInsert } from './ingest/insert.ts';
import type { QueryEnd, QueryRequest, QueryResult } from './query.ts';
import { type Layout, type QueryContext, timeoutExceeded } from './query-context.ts';
import { executeSelect } from './root/run-select.ts';
import { ScanCache } from './root/scan-cache.ts';
import { readSettings } from './settings.ts';
import type { Query, Setting, Statement } from './sql/ast.ts';
import { ParsedStatements } from './sql/parsed-statements.ts';
import { settledInTime, withinTime } from './statement-time.ts';
import { createWorkerCaches, type WorkerCaches } from './worker/worker-environment.ts';

interface EngineOptions {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly invoker: Invoker;
  readonly clock?: Clock;
  readonly layout?: Layout;
  /** Bytes of scanned rows and part indexes kept between queries. */
  readonly cacheBytesMax?: number;
  /** Where dictionaries need more of it, or fewer threads, than usual. */
  readonly dictionaryCaches?: DictionaryCaches;
  /** Where the engine runs as a function: its time is then part of a statement's cost. */
  readonly functionSize?: FunctionSize;
  /** Work that is next to nothing is done in this thread: where the way to a worker is longer. */
  readonly tinyWorkHere?: boolean;
  /** What statements may do with files. Nothing by default. */
  readonly files?: FileServices;
}

const defaultCacheBytes = 256 * 1024 * 1024;
/** Inserts look up ids in all of a dictionary: 10 M integers take 150 MB. */
const defaultDictionaryBytes = 256 * 1024 * 1024;
/** No statement runs longer, whatever it asks for: half of the time that old versions are kept. */
const secondsMax = 12 * 3600;

export class Engine {
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #scanCache: ScanCache;
  readonly #parsed = new ParsedStatements();
  readonly #rootCaches: WorkerCaches;
  readonly #here: Invoker | undefined;
  readonly #merges: BackgroundMerges;
  readonly #compactions: BackgroundCompactions;
  readonly #asyncInserts: AsyncInserts;

  constructor(options: EngineOptions) {
    const bytesMax = options.cacheBytesMax ?? defaultCacheBytes;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#scanCache = new ScanCache(bytesMax);
    const caches = createWorkerCaches(bytesMax);
    this.#rootCaches = { ...caches, dictionaries: dictionaryCachesOf(options, caches) };
    const { store, catalog, tinyWorkHere = false } = options;
    this.#here = tinyWorkHere ? this.#ownWorker() : undefined;
    this.#merges = new BackgroundMerges({ store, catalog, clock: this.#clock });
    this.#compactions = new BackgroundCompactions({ store, catalog, clock: this.#clock });
    this.#asyncInserts = new AsyncInserts({
      clock: this.#clock,
      within: (request, work) => this.within(request, work),
    });
  }

  /** What this process's caches hold, by what they are of. Those of workers elsewhere aren't in it. */
  get cacheBytes(): Readonly<Record<string, number>> {
    const { parts, sets, columns, dictionaries } = this.#rootCaches;
    return {
      scans: this.#scanCache.bytes,
      parts: parts.bytes,
      sets: sets.bytes,
      columns: columns.bytes,
      dictionaries: dictionaries.loaded.bytes,
    };
  }

  /** When nothing goes on behind statements that have ended. */
  async idle(): Promise<void> {
    await this.#merges.idle();
    await this.#compactions.idle();
  }

  /** Ends what goes on behind statements, at its next step: nothing depends on it. */
  async stop(): Promise<void> {
    await this.#compactions.stop();
  }

  /** Throws a MusterError; an INSERT that throws has left nothing visible. */
  async execute(request: QueryRequest): Promise<QueryResult> {
    const started = this.#clock.monotonic();
    const statement = this.#parsed.parse(request.text, {
      hasParameters: request.parameters.size > 0,
      identifier: (name) => identifierParameter(name, request),
    });
    if (request.readOnly === true) refuseWrites(statement);
    const { context, close } = this.#open(request, settingsOf(statement));
    let resultRows = 0;
    let ended: QueryEnd | undefined;
    const end = (): QueryEnd => {
      ended ??= this.#end(context, started, resultRows);
      return ended;
    };
    try {
      const ending = writing.has(statement.kind) ? settledInTime : withinTime;
      const rows = await ending(context, rowsOf(statement, context));
      resultRows = rows?.block.rows ?? 0;
      if (rows === undefined) return { kind: 'done', ...end() };
      const format = 'format' in statement ? statement.format : undefined;
      const named = format === undefined ? {} : { format };
      return { kind: 'rows', ...named, ...rows, settings: context.settings.raw, ...end() };
    } catch (error) {
      throw reasonOf(error, context.signal);
    } finally {
      close();
      request.onEnd?.(end());
    }
  }

  /** Stores what inserts without waiting left in memory: before the process ends. */
  async settle(): Promise<void> {
    await this.#asyncInserts.settle();
  }

  /** Work that is no statement, under the settings, limits and signal of one. */
  async within<T>(request: QueryRequest, work: (context: QueryContext) => Promise<T>): Promise<T> {
    const { context, close } = this.#open(request, []);
    try {
      return await work(context);
    } catch (error) {
      throw reasonOf(error, context.signal);
    } finally {
      close();
    }
  }

  #ownWorker(): Invoker {
    const { store } = this.#options;
    const identity = { name: 'root thread', memoryMb: 0 };
    return new InProcessInvoker({ identity, store, caches: this.#rootCaches, clock: this.#clock });
  }

  #end(context: QueryContext, started: number, resultRows: number): QueryEnd {
    const elapsedMs = this.#clock.monotonic() - started;
    const elapsedNs = Math.round(elapsedMs * 1e6);
    return {
      statistics: { elapsedNs, ...context.progress, resultRows },
      cost: context.cost.total(elapsedMs, context.functionSize),
    };
  }

  #open(request: QueryRequest, written: readonly Setting[]) {
    const settings = readSettings(mergedSettings(request.settings, written));
    const { invoker, layout = { rangesPerGroup: 1 }, functionSize, files = {} } = this.#options;
    const cost = new CostLedger();
    const store = new MeteredStore(this.#options.store, cost.root);
    const catalog = this.#options.catalog.metered(cost.root);
    const clock = this.#clock;
    const now = clock.now();
    const seconds = settings.maxExecutionTime === 0 ? secondsMax : settings.maxExecutionTime;
    const deadline = now + Math.min(seconds, secondsMax) * 1000;
    const cancel = new AbortController();
    const unlink = linkSignal(cancel, request.signal);
    const { signal } = cancel;
    const snapshots = new Map<string, Promise<Snapshot>>();
    const context: QueryContext = {
      request,
      settings,
      catalog,
      store,
      invoker,
      here: this.#here,
      clock,
      layout,
      scanCache: this.#scanCache,
      rootCaches: this.#rootCaches,
      opened: new OpenedIndexes(),
      dictionaryCaches: this.#rootCaches.dictionaries,
      merges: this.#merges,
      compactions: this.#compactions,
      functions: {
        timeZone: settings.sessionTimezone === '' ? 'UTC' : settings.sessionTimezone,
        now,
        database: request.database,
        user: request.user ?? 'default',
      },
      files,
      fileSources: [],
      asyncInserts: this.#asyncInserts,
      progress: { readRows: 0, readBytes: 0, writtenRows: 0, writtenBytes: 0, dispatches: 0 },
      cost,
      functionSize,
      signal,
      deadline,
      snapshot: (database) => {
        const known = snapshots.get(database) ?? catalog.snapshot(database);
        snapshots.set(database, known);
        return withinTime(context, known);
      },
    };
    const unwatch = this.#watch(settings.maxExecutionTime, cancel, context);
    return {
      context,
      close: () => {
        unwatch();
        unlink();
      },
    };
  }

  /** Aborts the statement at its own deadline, also while it waits for a worker or the store. */
  #watch(seconds: number, cancel: AbortController, context: QueryContext): () => void {
    if (seconds === 0) return () => {};
    return alarm(this.#clock, seconds * 1000, () => cancel.abort(timeoutExceeded(context)));
  }
}

/** Why it was stopped, if it was; an error that says so itself may know more about it. */
function reasonOf(error: unknown, { aborted, reason }: AbortSignal): unknown {
  if (!aborted || !(reason instanceof MusterError)) return error;
  if (!(error instanceof MusterError)) return reason;
  const { errorName } = error;
  const isBetter = errorName === reason.errorName || errorName === 'UNKNOWN_STATUS_OF_INSERT';
  return isBetter ? error : reason;
}

interface Rows {
  readonly columns: readonly NamedType[];
  readonly block: { readonly rows: number; readonly columns: readonly Column[] };
}

async function rowsOf(statement: Statement, context: QueryContext): Promise<Rows | undefined> {
  switch (statement.kind) {
    case 'select':
      return await executeSelect(
        statement.query,
        context,
        printsSetSizes(statement.format ?? context.request.defaultFormat ?? '') ? 'size' : 'state',
      );
    case 'insert':
      await executeInsert(statement, context);
      return undefined;
    case 'explain':
      return await explainStatement(statement, context);
    case 'use':
      await context.snapshot(statement.database);
      return undefined;
    case 'set':
      return undefined;
    case 'optimize':
      await optimizeTable(statement, context);
      return undefined;
    case 'unsupported':
      throw new MusterError('NOT_IMPLEMENTED', `${statement.what} is not supported`);
    default:
      return textRows(
        await executeDdl(statement, {
          catalog: context.catalog,
          database: context.request.database,
          signal: context.signal,
        }),
      );
  }
}

function textRows(rows: Awaited<ReturnType<typeof executeDdl>>): Rows | undefined {
  if (rows === undefined) return undefined;
  const columns = rows.columns.map(
    ({ name, values }): NamedType => ({
      name,
      type: values instanceof Uint8Array ? { kind: 'UInt8' } : { kind: 'String' },
    }),
  );
  const data = rows.columns.map(
    ({ values }): Column =>
      values instanceof Uint8Array
        ? { kind: 'number', values }
        : { kind: 'string', values: values.map((value) => Buffer.from(value).toString('latin1')) },
  );
  return { columns, block: { rows: rows.columns[0]?.values.length ?? 0, columns: data } };
}

const writing: ReadonlySet<Statement['kind']> = new Set([
  'insert',
  'create-table',
  'create-database',
  'drop-table',
  'drop-database',
  'truncate',
  'drop-partition',
  'optimize',
]);

function refuseWrites(statement: Statement): void {
  if (!writing.has(statement.kind)) return;
  throw new MusterError(
    'READONLY',
    'Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly: use POST to change data',
  );
}

function settingsOf(statement: Statement): readonly Setting[] {
  switch (statement.kind) {
    case 'set':
    case 'optimize':
      return statement.settings;
    case 'insert': {
      const { settings, source } = statement;
      return source.kind === 'query' ? [...settings, ...selectSettings(source.query)] : settings;
    }
    case 'explain':
      return settingsOf(statement.statement);
    default:
      return statement.kind === 'select' ? selectSettings(statement.query) : [];
  }
}

function selectSettings(query: Query): readonly Setting[] {
  return query.selects.flatMap((select) => select.settings);
}

function mergedSettings(
  given: ReadonlyMap<string, string>,
  written: readonly Setting[],
): ReadonlyMap<string, string> {
  if (written.length === 0) return given;
  const merged = new Map(given);
  for (const { name, value } of written) {
    const text = value.kind === 'null' ? '' : String(value.value);
    merged.set(name, value.kind === 'bool' ? String(Number(value.value)) : text);
  }
  return merged;
}

function identifierParameter(name: string, request: QueryRequest): string {
  const value = request.parameters.get(name);
  if (value !== undefined) return value;
  throw new MusterError('UNKNOWN_QUERY_PARAMETER', `Substitution \`${name}\` is not set`);
}

function dictionaryCachesOf(options: EngineOptions, caches: WorkerCaches): DictionaryCaches {
  if (options.dictionaryCaches !== undefined) return options.dictionaryCaches;
  if (options.cacheBytesMax !== undefined) return caches.dictionaries;
  return createDictionaryCaches(defaultDictionaryBytes);
}
