// The usage patterns of audience, retention and experiment analysis: set up by the same statements,
// asked in Muster and in ClickHouse, with equal answers and column names and the fewest dispatches.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { Session } from '../engine/queries/session.ts';
import { fill, setUp, type UsagePattern, usagePatterns } from '../engine/queries/usage-patterns.ts';
import { edgeQueries } from '../engine/queries/edge-queries.ts';
import { mistakeQueries } from '../engine/queries/mistake-queries.ts';
import { testPackage } from './places.ts';

const oracle = ClickHouseOracle.open(testPackage);
let session: Session;

beforeAll(async () => {
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
    expect(comparable(answer.text)).toEqual(comparable(rows.join('\n')));
    expect(answer.names.join('\t')).toEqual(unescaped(names ?? ''));
    expect(answer.dispatches).toBe(pattern.dispatches);
  });
});

describe('edges answer as ClickHouse does', () => {
  it.each([...edgeQueries, ...Object.values(mistakeQueries).flat()])('%s', async (sql) => {
    const expected = outcome(() => oracle.query(sql).replace(/\n$/, ''));
    const answer = await session.ask(sql).then(
      ({ text }) => text,
      (error: { code?: number; stack?: string }) => `error ${error.code ?? error.stack ?? ''}`,
    );
    expect(comparable(answer)).toEqual(comparable(expected));
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

function inlined({ sql, parameters = {} }: UsagePattern): string {
  return sql.replace(/\{(\w+):\w+\}/g, (_, name: string) => parameters[name] ?? '');
}

function unescaped(names: string): string {
  return names.replaceAll("\\'", "'");
}

/** Floats to nine digits: sums are added in another order. */
function comparable(text: string): string {
  return text.replace(/\d+\.\d+(e-?\d+)?/g, (number) =>
    Number(Number(number).toPrecision(9)).toString(),
  );
}
