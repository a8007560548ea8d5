import { expect, test } from 'vitest';
import { inputSelect, quotedName, wordsOf } from '../../../../functions/cli/load/input-select.ts';

const columns = [
  { name: 'day', type: 'Date' },
  { name: 'user id', type: "Enum8('a' = 1)" },
];
const input = "input('day Date, `user id` Enum8(\\'a\\' = 1)')";

test.each([
  ['day', `SELECT day FROM ${input}`],
  ['SELECT day', `SELECT day FROM ${input}`],
  ['day, count() GROUP BY day', `SELECT day, count() FROM ${input} GROUP BY day`],
  ['day WHERE day > 1;', `SELECT day FROM ${input} WHERE day > 1`],
  ['SELECT day FROM input() GROUP BY day', `SELECT day FROM ${input} GROUP BY day`],
  ['SELECT day FROM INPUT( ) LIMIT 1', `SELECT day FROM ${input} LIMIT 1`],
  ["day, 'FROM WHERE' AS x", `SELECT day, 'FROM WHERE' AS x FROM ${input}`],
  ['day, (1 IN (1)) LIMIT 1', `SELECT day, (1 IN (1)) FROM ${input} LIMIT 1`],
  ["SELECT a FROM input('a Int8')", "SELECT a FROM input('a Int8')"],
  ['WITH 1 AS x SELECT x', `WITH 1 AS x SELECT x FROM ${input}`],
])('%s', (text, expected) => expect(inputSelect(text, columns)).toBe(expected));

test('names and words', () => {
  expect(quotedName('a1')).toBe('a1');
  expect(quotedName('a b`c')).toBe('`a b\\`c`');
  expect([...wordsOf('Day, f(`User Id`)')]).toEqual(['day', 'f', 'user id']);
});
