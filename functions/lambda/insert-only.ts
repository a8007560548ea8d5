// An engine that takes INSERT alone: what the ingest function has, so that it and the root each have
// their own share of the account's concurrency.

import { MusterError } from '../../base/errors.ts';
import { isInsert } from '../http/insert-head.ts';
import type { QueryEngine } from '../query-engine.ts';

/** SUPPORT_IS_DISABLED (344) for any other statement. */
export function insertOnly(engine: QueryEngine): QueryEngine {
  return {
    execute: async (request) => {
      if (isInsert(Buffer.from(request.text, 'utf8'))) return await engine.execute(request);
      throw new MusterError(
        'SUPPORT_IS_DISABLED',
        'This function takes INSERT alone: send other statements to the URL of the root function',
      );
    },
  };
}
