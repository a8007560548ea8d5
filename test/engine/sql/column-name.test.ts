import { expect, test } from 'vitest';
import { columnName } from '../../../engine/sql/column-name.ts';
import { parseExpression } from '../../../engine/sql/statement-parser.ts';

test.each([
  ['1 + 1', 'plus(1, 1)'],
  ['-x', 'negate(x)'],
  ['-1', '-1'],
  ['q.x + 1', 'plus(x, 1)'],
  ['x and y and z', 'and(x, y, z)'],
  ['x between 1 and 2', 'and(greaterOrEquals(x, 1), lessOrEquals(x, 2))'],
  ["x not in (1, 'a')", "notIn(x, (1, 'a'))"],
  ['count(*)', 'count()'],
  ['COUNT(DISTINCT x)', 'COUNTDistinct(x)'],
  ['quantile(0.5)(x)', 'quantile(0.5)(x)'],
  ['r[1]', 'arrayElement(r, 1)'],
  ['t.2.1', 'tupleElement(tupleElement(t, 2), 1)'],
  ['x::UInt8', "CAST(x, 'UInt8')"],
  ['cast(x as Int)', "CAST(x, 'Int')"],
  ['1.50::Float32', "CAST('1.50', 'Float32')"],
  ['[1,2]::Array(UInt8)', "CAST('[1,2]', 'Array(UInt8)')"],
  ['tuple(1, 2)', '(1, 2)'],
  ['(1,)', '(1)'],
  ['array(1, x)', '[1, x]'],
  ['arrayMap(z -> z + 1, r)', 'arrayMap(lambda(tuple(z), plus(z, 1)), r)'],
  ['interval 1 day', 'toIntervalDay(1)'],
  ['1.0', '1.'],
  ['1e21', '1e21'],
  ['1e100', '1e100'],
  ['1e16', '10000000000000000.'],
  ['1e-7', '1e-7'],
  ['12345678901234567890123', '1.2345678901234568e22'],
  ['18446744073709551615', '18446744073709551615'],
  [String.raw`'a\'b\n\0é'`, String.raw`'a\'b\n\0é'`],
  ['null', 'NULL'],
  ['`a b` + 1', 'plus(a b, 1)'],
  ['(x as k) + 1', 'plus(k, 1)'],
  ['x as k', 'k'],
])('%s', (text, expected) => {
  expect(columnName(parseExpression(text))).toBe(expected);
});

test('names, parameters and subqueries are the caller’s to say', () => {
  const options = {
    name: (parts: readonly string[]) => parts.join('.'),
    parameter: () => '7',
    subquery: () => '_subquery_3',
  };
  expect(columnName(parseExpression('f(a.b, {x:UInt8}, (select 1))'), options)).toBe(
    'f(a.b, 7, _subquery_3)',
  );
});
