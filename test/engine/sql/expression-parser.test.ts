import { describe, expect, test } from 'vitest';
import { printExpression } from '../../../engine/sql/expression-printer.ts';
import { parseExpression } from '../../../engine/sql/statement-parser.ts';

/** The expression with every operand in parentheses. */
const printed = (text: string) => printExpression(parseExpression(text));

describe('precedence', () => {
  test.each([
    ['a + b * c', 'a + (b * c)'],
    ['a - b - c', '(a - b) - c'],
    ['a or b and c', 'a OR (b AND c)'],
    ['not a = b', 'NOT (a = b)'],
    ['not a or b', '(NOT a) OR b'],
    ['-a.1', '-(a.1)'],
    ['((select 1), (select 2))', '((SELECT 1), (SELECT 2))'],
    ['((select 1) + 1)', '(SELECT 1) + 1'],
    ['((select 1) union all (select 2))', '(SELECT 1 UNION ALL SELECT 2)'],
    ['(((select 1)))', '(SELECT 1)'],
    ['-a::Int8', "-CAST(a, 'Int8')"],
    ['- 1', '-1'],
    ['-(1)', '-(1)'],
    ['- - 1', '-(-1)'],
    ['a - -1', 'a - -1'],
    ['a || b + c', 'concat(a, b + c)'],
    ['a || b || c', 'concat(a, b, c)'],
    ['a and b and c', 'a AND b AND c'],
    ['(a and b) and c', '(a AND b) AND c'],
    ['a between 1 and 2 and c', '((a >= 1) AND (a <= 2)) AND c'],
    ['a not between 1 and 2', '(a < 1) OR (a > 2)'],
    ['not a between 1 and 2 and c', '(NOT ((a >= 1) AND (a <= 2))) AND c'],
    ['a = b is null', '(a = b) IS NULL'],
    ['a + 1 in (2)', '(a + 1) IN (2)'],
    ['a not in (1, 2)', 'a NOT IN (1, 2)'],
    ['a in b + 1', 'a IN (b + 1)'],
    ['a = 1 = 2', '(a = 1) = 2'],
    ['a ? b : c + 1', 'if(a, b, c + 1)'],
    ['a or b ? c : d', 'if(a OR b, c, d)'],
    ['interval a + 1 day', 'INTERVAL a + 1 DAY'],
    ['d + interval 1 day * 2', 'd + (INTERVAL 1 DAY * 2)'],
    ['x -> x + 1', 'x -> x + 1'],
    ['+a', 'a'],
  ])('%s', (text, expected) => {
    expect(printed(text)).toBe(expected);
  });
});

describe('forms', () => {
  test.each([
    ['case when a then 1 end', 'multiIf(a, 1, NULL)'],
    ["case a when 1 then 'x' else 'y' end", "caseWithExpression(a, 1, 'x', 'y')"],
    ['cast(a as Nullable ( UInt8 ))', "CAST(a, 'Nullable(UInt8)')"],
    ["cast(a, 'Int8')", "CAST(a, 'Int8')"],
    ['1.50::Float32', "CAST('1.50', 'Float32')"],
    ['-1::Int8', "CAST('-1', 'Int8')"],
    ['[1, 2]::Array(UInt8)', '[1, 2]::Array(UInt8)'],
    ['[a]::Array(UInt8)', "CAST([a], 'Array(UInt8)')"],
    ['extract(year from d)', 'toYear(d)'],
    ["date '2026-01-01'", "toDate('2026-01-01')"],
    ["timestamp '2026-01-01 00:00:00'", "toDateTime('2026-01-01 00:00:00')"],
    ["interval '3 day'", 'INTERVAL 3 DAY'],
    ['interval (1) day', 'INTERVAL 1 DAY'],
    ['interval', '`interval`'],
    ['interval + 1', '`interval` + 1'],
    ['interval(1)', '`interval`(1)'],
    ['case', '`case`'],
    ['case + 1', '`case` + 1'],
    ['date', '`date`'],
    ['date(x)', 'date(x)'],
    ["position('a' in s)", "position(s, 'a')"],
    ['substring(s from 2 for 3)', 'substring(s, 2, 3)'],
    ["trim(leading 'a' from s)", "trimLeft(s, 'a')"],
    ['dateadd(day, 1, d)', 'd + INTERVAL 1 DAY'],
    ['date_sub(d, interval 2 week)', 'd - INTERVAL 2 WEEK'],
    ['datediff(day, a, b)', "dateDiff('day', a, b)"],
    ['count(distinct a, b)', 'count(DISTINCT a, b)'],
    ['count(all a)', 'count(a)'],
    ['sum(a) filter(where b)', 'sumIf(a, b)'],
    ['quantile(0.5)(x)', 'quantile(0.5)(x)'],
    ['f(a, b -> b, c)', 'f((a, b) -> b, c)'],
    ['arrayMap((x, y) -> x, a, b)', 'arrayMap((x, y) -> x, a, b)'],
    ['a[1][2].3', 'a[1][2].3'],
    ['f(x).b', "tupleElement(f(x), 'b')"],
    ['a.b.1', 'a.b.1'],
    ['(1,)', '(1,)'],
    ['()', '()'],
    ['(1, 2,)', '(1, 2)'],
    ['a is not distinct from b', 'a <=> b'],
    ['a is true', 'a <=> true'],
    ['{x: Array(UInt8) }', '{x:Array(UInt8)}'],
    ['(a as b) + b', '(a AS b) + b'],
    ['exists(select 1)', 'exists((SELECT 1))'],
    ['18446744073709551616', '18446744073709551616'],
    ['0x10 + 0b11 + 1_000', '(16 + 3) + 1000'],
    ['0x1.8p1', '3.'],
    ['Inf', 'inf'],
    ['-inf', '-inf'],
  ])('%s', (text, expected) => {
    expect(printed(text)).toBe(expected);
  });
});

test('a literal keeps bytes and digits exactly', () => {
  expect(parseExpression("'é'")).toMatchObject({ literal: { value: '\xc3\xa9' } });
  expect(parseExpression('9007199254740993')).toMatchObject({
    literal: { kind: 'integer', value: 9007199254740993n },
  });
});

test('every node knows where it begins', () => {
  expect(parseExpression('a + f(b)')).toMatchObject({
    at: 0,
    arguments: [{ at: 0 }, { at: 4, arguments: [{ at: 6 }] }],
  });
});

test.each([
  ['a like b escape c', 'ESCAPE'],
  ['any(x) respect nulls', 'RESPECT NULLS'],
  ['interval 1 nanosecond', 'nanosecond'],
  ["interval '1 day 2 hour'", 'several parts'],
  ['f(1, x -> x)', 'lambda'],
  ['a = any (select 1)', 'ANY'],
  ['@@version', 'global variable'],
])('%s is error 48 by its name', (text, named) => {
  expect(() => parseExpression(text)).toThrowError(
    expect.objectContaining({ code: 48, message: expect.stringContaining(named) as string }),
  );
});
