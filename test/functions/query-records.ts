// Records of queries for tests of what is made of them.

import { MusterError } from '../../base/errors.ts';
import type { QueryRecord } from '../../functions/query-record.ts';

export const succeeded: QueryRecord = {
  queryId: 'q1',
  user: 'ada',
  database: 'default',
  text: "SELECT * FROM s3('https://b/k', 'AKID', 'hunter2')",
  kind: 'select',
  elapsedMs: 12.3456,
  waitedMs: 0.5,
  statistics: {
    elapsedNs: 11_000_000,
    readRows: 100,
    readBytes: 800,
    writtenRows: 3,
    writtenBytes: 24,
    resultRows: 2,
    dispatches: 1,
  },
  cost: {
    requests: { reads: 5, writes: 2, lists: 1, removes: 0 },
    bytesRead: 4096,
    bytesWritten: 512,
    invocations: 2,
    hedged: 1,
    retried: 0,
    workerSeconds: 0.25,
    gbSeconds: 0,
    dollars: 0.000017,
    workers: ['w1', 'w2'],
  },
  error: undefined,
  client: '192.0.2.7',
  interface: 'https',
};

export function failed(error: MusterError): QueryRecord {
  return { ...succeeded, queryId: 'q2', error, statistics: undefined, cost: undefined };
}

export const wrongSql = new MusterError('SYNTAX_ERROR', "Syntax error near password = 'hunter2'");
export const crowded = new MusterError('TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many');
export const bug = new MusterError('LOGICAL_ERROR', 'Unexpected failure: x is undefined', {
  cause: new TypeError('x is undefined'),
});
