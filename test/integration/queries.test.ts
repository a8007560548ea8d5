// The usage patterns of audience, retention and experiment analysis: set up by the same statements,
// asked in Muster and in ClickHouse, with equal answers and column names and the fewest dispatches.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { edgeQueries, namedQueries } from '../engine/queries/edge-queries.ts';
import { membershipQueries } from '../engine/queries/membership-queries.ts';
import { mistakeQueries } from '../engine/queries/mistake-queries.ts';
import { Session } from '../engine/queries/session.ts';
import { fill, inlined, setUp, usagePatterns } from '../engine/queries/usage-patterns.ts';
import { toNineDigits } from '../nine-digits.ts';
import { testPackage } from './places.ts';

const oracle = ClickHouseOracle.open(testPackage);
let session: Session;

beforeAll(async () => {
  oracle.query('SET final = 1, do_not_merge_across_partitions_select_final = 1');
  session = await Session.open();
  for (const statement of [...setUp, ...fill()]) {
    await session.run(statement);
    oracle.query(statement);
  }
});

afterAll(() => oracle.close());

describe('usage patterns answer as ClickHouse does', () => {
  it.each(usagePatterns)('$name', async (pattern) => {
    const { parameters = {} } = pattern;
    const answer = await session.ask(pattern.sql, { parameters });
    const expected = oracle.query(inlined(pattern), 'TabSeparatedWithNames');
    const [names, ...rows] = expected.trimEnd().split('\n');
    expect(toNineDigits(answer.text)).toEqual(toNineDigits(rows.join('\n')));
    expect(answer.names.join('\t')).toEqual(unescaped(names ?? ''));
    expect(answer.dispatches).toBe(pattern.dispatches);
  });
});

describe('edges answer as ClickHouse does', () => {
  const queries = [...edgeQueries, ...membershipQueries, ...Object.values(mistakeQueries).flat()];
  it.each(queries)('%s', async (sql) => {
    const expected = outcome(() => oracle.query(sql).replace(/\n$/, ''));
    const answer = await session.ask(sql).then(
      ({ text }) => text,
      (error: { code?: number; stack?: string }) => `error ${error.code ?? error.stack ?? ''}`,
    );
    expect(toNineDigits(answer)).toEqual(toNineDigits(expected));
  });
});

describe('columns are named as ClickHouse names them', () => {
  it.each(namedQueries)('%s', async (sql) => {
    const answer = await session.ask(sql);
    const [names, ...rows] = oracle.query(sql, 'TabSeparatedWithNames').trimEnd().split('\n');
    expect(answer.names.join('\t')).toEqual(names);
    expect(answer.text).toEqual(rows.join('\n'));
  });
});

/** What came, or the number of the error. */
function outcome(ask: () => string): string {
  try {
    return ask();
  } catch (error) {
    return `error ${/Code: (\d+)/.exec(String(error))?.[1] ?? String(error)}`;
  }
}

function unescaped(names: string): string {
  return names.replaceAll("\\'", "'");
}
