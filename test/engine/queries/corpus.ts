// The corpus: every query that the layout test and the mutants ask, over the tables of
// usage-patterns.ts, on dense and on sparse data (most sets have fewer ids than there are slices).

import { toNineDigits } from '../../nine-digits.ts';
import { edgeQueries } from './edge-queries.ts';
import {
  type Mistake,
  mistakeQueries,
  orderQueries,
  refusedQueries,
  stringSets,
} from './mistake-queries.ts';
import {
  idColumnQueries,
  idColumnSetUp,
  ofEventsById,
  otherPlacedQueries,
  placedQueries,
  placedSetUp,
} from './placed-queries.ts';
import type { Session } from './session.ts';
import { uuidQueries, uuidSetUp } from './uuid-queries.ts';
import { fill, setUp, usagePatterns } from './usage-patterns.ts';

interface CorpusQuery {
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** The mistake that it is there to show. */
  readonly mistake?: Mistake;
}

export const corpus: readonly CorpusQuery[] = [
  ...Object.entries(mistakeQueries).flatMap(([mistake, queries]) =>
    queries.map((sql): CorpusQuery => ({ sql, mistake: mistake as Mistake })),
  ),
  ...Object.entries(placedQueries).flatMap(([mistake, queries]) =>
    queries.map((sql): CorpusQuery => ({ sql, mistake: mistake as Mistake })),
  ),
  ...orderQueries.map((sql): CorpusQuery => ({ sql, mistake: 'decided in order of arrival' })),
  ...usagePatterns,
  ...[
    ...edgeQueries,
    ...stringSets.queries,
    ...uuidQueries,
    ...otherPlacedQueries,
    ...idColumnQueries,
    ...idColumnQueries.map(ofEventsById),
    ...refusedQueries,
  ].map((sql) => ({
    sql,
  })),
];

export const data = {
  dense: fill(6000, 'intHash32(number) % 500'),
  sparse: fill(60, 'intHash32(number) * 4000000007'),
} as const;

export type DataName = keyof typeof data;

/** Tables over one dictionary of so many groups, filled. */
export async function fillSession(session: Session, groups: number, name: DataName): Promise<void> {
  for (const statement of [
    ...setUp,
    ...data[name],
    ...stringSets.setUp,
    ...uuidSetUp,
    ...placedSetUp,
    ...idColumnSetUp,
  ]) {
    await session.run(withGroups(statement, groups));
  }
}

/** Answers, or `error` and its number, floats to nine digits: sums are added in any order. */
export async function answersOf(
  session: Session,
  queries: readonly CorpusQuery[] = corpus,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const query of queries) found.set(query.sql, await answerOf(session, query));
  return found;
}

export async function answerOf(session: Session, query: CorpusQuery): Promise<string> {
  const { sql, parameters = {} } = query;
  try {
    return toNineDigits((await session.ask(sql, { parameters })).text);
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    return `error ${code ?? message}`;
  }
}

/** Queries whose answers differ, with both. */
export function differences(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): readonly { readonly sql: string; readonly expected: string; readonly found: string }[] {
  return [...expected].flatMap(([sql, answer]) => {
    const other = found.get(sql) ?? 'not asked';
    return other === answer ? [] : [{ sql, expected: answer, found: other }];
  });
}

function withGroups(statement: string, groups: number): string {
  if (/^CREATE TABLE .* SETTINGS muster_group_by/.test(statement)) {
    return `${statement}, muster_groups = ${groups}`;
  }
  return /^CREATE TABLE bm\.(tags|named|keyed) /.test(statement)
    ? `${statement} SETTINGS muster_groups = ${groups}`
    : statement;
}
