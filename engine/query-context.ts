// What one running statement knows: its request and settings, the one snapshot per database that it
// reads, the ports it works through and the limits it keeps. Made by the engine per statement.

import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import type { Catalog } from '../catalog/port.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { ObjectStore } from '../object-store/port.ts';
import type { NamedType } from '../storage-format/data-type.ts';
import type { OpenedIndexes } from './batch/carried-indexes.ts';
import type { Invoker } from './batch/invoker.ts';
import type { BackgroundCompactions } from './compaction/background-compactions.ts';
import type { CostLedger, FunctionSize } from './cost/cost-ledger.ts';
import type { PlanTrace } from './cost/plan-trace.ts';
import type { BackgroundMerges } from './dictionary/background-merges.ts';
import type { DictionaryCaches } from './dictionary/dictionary-reader.ts';
import type { FileServices } from './files/file-services.ts';
import type { FileSource } from './files/file-source.ts';
import type { AsyncInserts } from './ingest/async-inserts.ts';
import type { InsertBlock } from './ingest/insert-block.ts';
import type { FunctionContext } from './library/scalar-function.ts';
import type { QueryRequest } from './query.ts';
import type { ScanCache } from './root/scan-cache.ts';
import type { QuerySettings } from './settings.ts';
import type { WorkerCaches } from './worker/worker-environment.ts';

/** Slices of a query: every group of its dictionaries x this many code ranges. */
export interface Layout {
  readonly rangesPerGroup: number;
}

/** Counters of a running statement; only ever added to. */
interface QueryProgress {
  readRows: number;
  readBytes: number;
  writtenRows: number;
  writtenBytes: number;
  dispatches: number;
}

/** Where the table function input() gets its rows. */
export interface InputSource {
  /** The table's columns that the INSERT fills, in its order. */
  readonly targets?: readonly NamedType[];
  /** Columns of the function's structure, or undefined for the target table's. */
  open(structure: readonly NamedType[] | undefined): OpenedInput;
}

interface OpenedInput {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<InsertBlock>;
}

export interface QueryContext {
  readonly request: QueryRequest;
  readonly settings: QuerySettings;
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly invoker: Invoker;
  /** A worker in this thread with the root's caches, for work that is next to nothing. */
  readonly here: Invoker | undefined;
  readonly clock: Clock;
  readonly layout: Layout;
  readonly scanCache: ScanCache;
  /** Of the root itself: workers have their own, wherever they run. */
  readonly rootCaches: WorkerCaches;
  /** Of parts that the statement's scans opened: its batches carry them. */
  readonly opened: OpenedIndexes;
  /** For the ids that this process encodes itself, on their way in. */
  readonly dictionaryCaches: DictionaryCaches;
  /** To be told of databases whose dictionaries grew. */
  readonly merges: BackgroundMerges;
  /** To be told of partitions that got rows. */
  readonly compactions: BackgroundCompactions;
  readonly functions: FunctionContext;
  readonly files: FileServices;
  /** Of the statement's table functions; planning adds to them. */
  readonly fileSources: FileSource[];
  readonly progress: QueryProgress;
  /** `store` and `catalog` count into it what the root sends; dispatches add their workers'. */
  readonly cost: CostLedger;
  /** Of the root, where it runs as a function. */
  readonly functionSize: FunctionSize | undefined;
  /** Where somebody wants to know how the plan's nodes ran. */
  readonly trace?: PlanTrace;
  /** Aborted when the client goes or the deadline passes. */
  readonly signal: AbortSignal;
  /** Wall-clock ms. */
  readonly deadline: number;
  readonly input?: InputSource;
  /** Where small inserts of several statements are put together. */
  readonly asyncInserts: AsyncInserts;
  /** The statement's one snapshot of a database. UNKNOWN_DATABASE (81). */
  snapshot(database: string): Promise<Snapshot>;
}

/** Throws QUERY_WAS_CANCELLED (394) or TIMEOUT_EXCEEDED (159) when the statement must stop. */
export function checkRunning(context: QueryContext): void {
  if (context.clock.now() >= context.deadline) throw timeoutExceeded(context);
  if (!context.signal.aborted) return;
  if (context.signal.reason instanceof MusterError) throw context.signal.reason;
  throw new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled: the client is gone');
}

export function timeoutExceeded(context: QueryContext): MusterError {
  const seconds = context.settings.maxExecutionTime;
  const limit = seconds > 0 ? `maximum: ${seconds} s, setting max_execution_time` : 'time limit';
  return new MusterError('TIMEOUT_EXCEEDED', `Timeout exceeded (${limit})`);
}
