// Constant expressions, one by one: our value, type or error code against ClickHouse's.

import { describe, expect, it } from 'vitest';
import { askClickHouse, clickHouseSql, oursOf } from './library-oracle.ts';
import { expressionsByTopic, knownDifferences } from './library-expressions.ts';

describe.each(Object.entries(expressionsByTopic))('%s', (_, expressions) => {
  it('answers as ClickHouse', () => {
    const differences: string[] = [];
    for (const expression of expressions) {
      const theirs = askClickHouse(clickHouseSql(expression));
      const ours = oursOf(expression);
      if (ours === theirs || knownDifferences.has(expression)) continue;
      differences.push(`${expression}: ours ${ours}, ClickHouse's ${theirs}`);
    }
    expect(differences).toEqual([]);
  });
});

it('lists only differences that exist', () => {
  const stale = [...knownDifferences].filter(
    (expression) => oursOf(expression) === askClickHouse(clickHouseSql(expression)),
  );
  expect(stale).toEqual([]);
});
