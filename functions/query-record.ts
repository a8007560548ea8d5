// What is known of a query when it has ended: the one thing that logs and metrics are made of.

import type { MusterError } from '../base/errors.ts';
import type { QueryCost } from '../engine/cost/query-cost.ts';
import type { QueryStatistics } from '../engine/query.ts';

export interface QueryRecord {
  readonly queryId: string;
  /** '' when nobody was let in. */
  readonly user: string;
  readonly database: string;
  /** As it was asked; may hold secrets. */
  readonly text: string;
  readonly kind: QueryKind;
  /** From the request's head to the end of the answer. */
  readonly elapsedMs: number;
  /** Of it, in the line before the door. */
  readonly waitedMs: number;
  /** Absent where the query never ran. */
  readonly statistics: QueryStatistics | undefined;
  readonly cost: QueryCost | undefined;
  readonly error: MusterError | undefined;
  readonly client: string;
  readonly interface: string;
}

export type QueryObserver = (record: QueryRecord) => void;

const kinds = ['select', 'insert', 'create', 'drop', 'alter', 'explain', 'show', 'set'] as const;
type QueryKind = (typeof kinds)[number] | 'other';

const sameKind: Readonly<Record<string, QueryKind>> = {
  with: 'select',
  describe: 'show',
  desc: 'show',
  exists: 'show',
  use: 'set',
  truncate: 'drop',
};

/** By its first word: few kinds, so that they can label a metric. */
export function kindOf(text: string): QueryKind {
  const bare = /^(?:\s|\(|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*(\w*)/.exec(text);
  const word = (bare?.[1] ?? '').toLowerCase();
  return kinds.find((kind) => kind === word) ?? sameKind[word] ?? 'other';
}
