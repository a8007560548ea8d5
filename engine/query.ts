// The engine as its callers see it: one statement in, rows or an acknowledgement out.

import type { Column } from '../storage-format/column.ts';
import type { NamedType } from '../storage-format/data-type.ts';
import type { QueryCost } from './cost/query-cost.ts';

export interface QueryRequest {
  readonly queryId: string;
  /** Who asks, as currentUser() says; absent: `default`. */
  readonly user?: string;
  /** The statement; for INSERT the beginning of the data may be in it. */
  readonly text: string;
  readonly database: string;
  /** Values of {name:Type}, in ClickHouse's escaped form. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  /** What the answer is printed in if the statement has no FORMAT. */
  readonly defaultFormat?: string;
  /** INSERT data that follows the text. */
  readonly body?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** True for GET: reads only (164). */
  readonly readOnly?: boolean;
  /** Told once what it took, whether it succeeded or failed. Must not throw. */
  readonly onEnd?: (end: QueryEnd) => void;
}

export interface QueryEnd {
  readonly cost: QueryCost;
  readonly statistics: QueryStatistics;
}

/** Bitmap columns arrive as ClickHouse's state bytes, or as counts where the format prints those. */
export interface ResultBlock {
  readonly rows: number;
  readonly columns: readonly Column[];
}

export interface QueryStatistics {
  readonly elapsedNs: number;
  readonly readRows: number;
  readonly readBytes: number;
  readonly writtenRows: number;
  readonly writtenBytes: number;
  readonly resultRows: number;
  /** Batches sent to workers. */
  readonly dispatches: number;
}

export type QueryResult =
  | {
      readonly kind: 'rows';
      /** Of the FORMAT clause. */
      readonly format?: string;
      readonly columns: readonly NamedType[];
      readonly block: ResultBlock;
      readonly rowsBeforeLimit?: number;
      /** Of the SETTINGS clause: over the request's, also for the output format. */
      readonly settings?: ReadonlyMap<string, string>;
      readonly statistics: QueryStatistics;
      readonly cost: QueryCost;
    }
  | { readonly kind: 'done'; readonly statistics: QueryStatistics; readonly cost: QueryCost };
