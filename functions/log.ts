// The log: one line of JSON for each query when it has ended, and for what happens to the server.
// Never holds a query up: lines are written behind its back, and dropped when nobody takes them.

import { type DestinationStream, pino } from 'pino';
import { systemClock } from '../base/clock.ts';
import { costFields } from '../engine/cost/query-cost.ts';
import type { QueryRecord } from './query-record.ts';
import { secretFreeText } from './secret-free-text.ts';
import type { LogLevel } from './serve-options.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  /** Level `info`, a client's mistakes too; `warn` for what may pass, `error` for what won't. */
  query(record: QueryRecord): void;
  event(level: 'info' | 'warn' | 'error', message: string, fields?: Fields): void;
  /** Resolves when all is written. Nothing may follow. */
  close(): Promise<void>;
}

interface LogOptions {
  readonly level: LogLevel;
  /** Instead of standard error. */
  readonly destination?: DestinationStream;
}

/** Bytes that wait to be written; what comes on top is dropped. */
const waitingBytesMax = 16 * 1024 * 1024;

export function openLog({ level, destination }: LogOptions): Log {
  const standard =
    destination === undefined
      ? pino.destination({ dest: 2, sync: false, maxLength: waitingBytesMax })
      : undefined;
  const options = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date(systemClock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, destination ?? (standard as DestinationStream));
  return {
    query: (record) => {
      const of = levelOf(record);
      if (logger.isLevelEnabled(of)) logger[of](fieldsOf(record), 'query');
    },
    event: (of, message, fields = {}) => logger[of](fields, message),
    close: () => (standard === undefined ? Promise.resolve() : ended(standard)),
  };
}

function ended(stream: ReturnType<typeof pino.destination>): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.end();
  });
}

function levelOf({ error }: QueryRecord): 'info' | 'warn' | 'error' {
  if (error === undefined || error.errorName === 'QUERY_WAS_CANCELLED') return 'info';
  if (error.action === 'alarm' || error.action === 'upgrade') return 'error';
  return error.action === 'retry' || error.action === 'redo' ? 'warn' : 'info';
}

function fieldsOf(record: QueryRecord): Fields {
  const { statistics, cost, error } = record;
  return {
    query_id: record.queryId,
    user: record.user,
    database: record.database,
    kind: record.kind,
    query: secretFreeText(record.text),
    elapsed_ms: rounded(record.elapsedMs),
    waited_ms: rounded(record.waitedMs),
    ...(statistics === undefined
      ? {}
      : {
          read_rows: statistics.readRows,
          read_bytes: statistics.readBytes,
          written_rows: statistics.writtenRows,
          written_bytes: statistics.writtenBytes,
          result_rows: statistics.resultRows,
          dispatches: statistics.dispatches,
        }),
    ...(cost === undefined ? {} : { cost: costFields(cost) }),
    ...(error === undefined
      ? {}
      : {
          exception_code: error.code,
          exception_name: error.errorName,
          exception: secretFreeText(error.message),
          ...stackOf(error),
        }),
    client: record.client,
    interface: record.interface,
  };
}

/** Where a bug was: only for what nobody raised on purpose. */
function stackOf(error: NonNullable<QueryRecord['error']>): Fields {
  const { cause } = error;
  if (error.errorName !== 'LOGICAL_ERROR' || !(cause instanceof Error)) return {};
  return { stack: secretFreeText(cause.stack ?? '') };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
