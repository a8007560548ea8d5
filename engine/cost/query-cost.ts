// What one statement cost, as its answer carries it: plain numbers, with their text for people and
// for a header. How it is added up is in cost-ledger.ts, prices are in prices.ts.

import type { StoreUsage } from '../../object-store/metered-store.ts';

export interface QueryCost {
  /** To the store, by the root and all workers, as they were sent: retries too. */
  readonly requests: Pick<StoreUsage, 'reads' | 'writes' | 'lists' | 'removes'>;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Of workers, wherever they ran. */
  readonly invocations: number;
  /** Of them: sent a second time because they were slow, or again because they failed. */
  readonly hedged: number;
  readonly retried: number;
  /** Time that workers were at work, all of them together. */
  readonly workerSeconds: number;
  /** Of functions, the root's own too where it is one. A server's time is not charged by question. */
  readonly gbSeconds: number;
  /** Requests and functions by prices.ts, whatever the store is and wherever it stands. */
  readonly dollars: number;
  /** Distinct environments that answered, in order of name. */
  readonly workers: readonly string[];
}

export const noCost: QueryCost = {
  requests: { reads: 0, writes: 0, lists: 0, removes: 0 },
  bytesRead: 0,
  bytesWritten: 0,
  invocations: 0,
  hedged: 0,
  retried: 0,
  workerSeconds: 0,
  gbSeconds: 0,
  dollars: 0,
  workers: [],
};

/** One line for people: `12 requests (11 reads, 1 write), 1.20 MB read, ... $0.0000053`. */
export function costText(cost: QueryCost): string {
  const { reads, writes, lists, removes } = cost.requests;
  const kinds = [
    counted(reads, 'read'),
    counted(writes, 'write'),
    counted(lists, 'list'),
    counted(removes, 'delete'),
  ].filter((kind) => kind !== undefined);
  const requests = counted(reads + writes + lists + removes, 'request') ?? 'no requests';
  const parts = [
    kinds.length === 0 ? requests : `${requests} (${kinds.join(', ')})`,
    cost.bytesRead === 0 ? undefined : `${bytesText(cost.bytesRead)} read`,
    cost.bytesWritten === 0 ? undefined : `${bytesText(cost.bytesWritten)} written`,
    workText(cost),
    cost.gbSeconds === 0 ? undefined : `${cost.gbSeconds.toFixed(3)} GB-seconds`,
    dollarsText(cost.dollars),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** One line of JSON with ClickHouse's kind of names, for a header and for logs. */
export function costJson(cost: QueryCost): string {
  return JSON.stringify(costFields(cost));
}

/** The fields of `costJson`. Workers by their number alone: a header has no room for their names. */
export function costFields(cost: QueryCost): Readonly<Record<string, number>> {
  const { reads, writes, lists, removes } = cost.requests;
  return {
    reads,
    writes,
    lists,
    removes,
    bytes_read: cost.bytesRead,
    bytes_written: cost.bytesWritten,
    invocations: cost.invocations,
    hedged: cost.hedged,
    retried: cost.retried,
    workers: cost.workers.length,
    worker_seconds: rounded(cost.workerSeconds, 6),
    gb_seconds: rounded(cost.gbSeconds, 6),
    dollars: rounded(cost.dollars, 12),
  };
}

/** Decimal units, two digits after the point: `1.20 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let at = 0;
  let rest = bytes;
  for (; rest >= 999.995 && at < units.length - 1; at++) rest /= 1000;
  return `${at === 0 ? rest : rest.toFixed(2)} ${units[at]}`;
}

/** Two digits that say something: `$0.0000052`, `$0.35`, `$0`. */
export function dollarsText(dollars: number): string {
  if (dollars === 0) return '$0';
  const digits = Math.max(2, 1 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toFixed(Math.min(12, digits))}`;
}

/** `1 read`, `12,345 rows`. */
export function countText(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

/** Undefined for none. */
function counted(count: number, what: string): string | undefined {
  return count === 0 ? undefined : countText(count, what);
}

function workText({ invocations, workers }: QueryCost): string | undefined {
  const calls = counted(invocations, 'invocation');
  if (calls === undefined) return undefined;
  const of = counted(workers.length, 'worker');
  return of === undefined ? calls : `${calls} of ${of}`;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
