// Constant expressions, one by one: our value, type or error code against ClickHouse's.

import { describe, expect, it } from 'vitest';
import { expressionsByTopic, knownDifferences } from './library/expressions.ts';
import { askClickHouse, clickHouseSql, oursOf, oursOfNumbers } from './library-oracle.ts';

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

const generators = [
  'intHash32(number) % 5000',
  "toDateTime('2026-01-01 00:00:00', 'UTC') + (number * 37) % (14 * 86400)",
  "multiIf(intHash32(number * 7 + 1) % 10 < 4, 'open', intHash32(number * 7 + 1) % 10 < 7, 'view', 'pay')",
  "arrayElement(['bj', 'sh', 'gz', 'sz'], 1 + intHash32(number) % 5000 % 4)",
  "if(intHash32(number) % 2, 'B', 'A')",
  'toString(18 + intHash32(number) % 5000 % 40)',
  'sipHash64(number) % 1024',
  'intHash64(number) * number',
  'bitShiftLeft(toUInt64(1), number % 64) + number',
  "toDate(toDateTime(number * 86399, 'Europe/Berlin'))",
  'toStartOfMonth(toDate(number))',
  "formatDateTime(toDateTime(number * 71000, 'America/New_York'), '%F %T')",
  "dateDiff('month', toDate(0), toDate(number))",
  'intDiv(number * 1000003, 77) % 1000',
  'number / 7',
  'round(number / 7, 3)',
  'bitTest(number, 5) and number % 3 = 1 or number > 59990',
  "position(toString(number), '42')",
  'reverse(hex(number))',
];
it.each(generators)('%s over 60,000 numbers', (expression) => {
  const theirs = askClickHouse(`${clickHouseSql(expression)} FROM numbers(60000)`);
  const ours = oursOfNumbers(expression, 60_000);
  if (ours === theirs) return;
  const lines = theirs.split('\n');
  const at = ours.split('\n').findIndex((line, i) => line !== lines[i]);
  expect(`${at}: ${ours.split('\n')[at]}`).toBe(`${at}: ${lines[at]}`);
});
