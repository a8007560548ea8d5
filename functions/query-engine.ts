// The engine as the HTTP edge needs it.

import type { QueryRequest, QueryResult } from '../engine/query.ts';

export interface QueryEngine {
  /** Throws MusterError. Stops soon when the request's signal is aborted. */
  execute(request: QueryRequest): Promise<QueryResult>;
}
