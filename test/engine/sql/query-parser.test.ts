import { describe, expect, test } from 'vitest';
import type { Select } from '../../../engine/sql/ast.ts';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { printStatement } from '../../../engine/sql/statement-printer.ts';
import { usageStatements } from './usage-statements.ts';

const printed = (text: string) => printStatement(parseStatement(text));

function selectOf(text: string): Select {
  const statement = parseStatement(text);
  if (statement.kind !== 'select') throw new Error(statement.kind);
  const [select] = statement.query.selects;
  if (select === undefined) throw new Error('no select');
  return select;
}

test.each(usageStatements)('parses: %s', (text) => {
  expect(() => parseStatement(text)).not.toThrow();
});

describe('clauses', () => {
  test.each([
    ['select 1 limit 1, 2', 'SELECT 1 LIMIT 2 OFFSET 1'],
    ['select 1 limit 2 offset 1', 'SELECT 1 LIMIT 2 OFFSET 1'],
    ['select 1 offset 3 rows', 'SELECT 1 OFFSET 3'],
    ['select 1 limit 1,2 by a limit 3', 'SELECT 1 LIMIT 1, 2 BY a LIMIT 3'],
    ['select a, from t', 'SELECT a FROM t'],
    ['from t select a', 'SELECT a FROM t'],
    ['select distinct a from t x final', 'SELECT DISTINCT a FROM t AS x FINAL'],
    ['select a from t, u', 'SELECT a FROM t CROSS JOIN u'],
    ['select a from t left outer join u using a', 'SELECT a FROM t LEFT JOIN u USING (a)'],
    ['select a from t semi join u on 1', 'SELECT a FROM t SEMI LEFT JOIN u ON 1'],
    ['select a from t left array join b as c', 'SELECT a FROM t LEFT ARRAY JOIN b AS c'],
    ['select 1 group by rollup(a, b)', 'SELECT 1 GROUP BY a, b WITH ROLLUP'],
    ['select 1 with totals', 'SELECT 1 WITH TOTALS'],
    ['select 1 order by a desc nulls first', 'SELECT 1 ORDER BY a DESC NULLS FIRST'],
    ['((select 1))', 'SELECT 1'],
    [
      '(select 1 union all select 2) union all select 3',
      'SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3',
    ],
    [
      'with x as (select 1), 2 as y select y from x',
      'WITH x AS (SELECT 1), 2 AS y SELECT y FROM x',
    ],
    ['with (select 1) as x select x', 'WITH (SELECT 1) AS x SELECT x'],
    ["select 1 settings a=1, b='x', c", "SELECT 1 SETTINGS a = 1, b = 'x', c = true"],
    ['select 1 format JSON settings a=1', 'SELECT 1 SETTINGS a = 1 FORMAT JSON'],
    ['select date, value, key from t', 'SELECT `date`, value, key FROM t'],
    ['select 1 as both, x both2', 'SELECT 1 AS both, x AS both2'],
    ['select `a b`.`c.d` from "x"', 'SELECT `a b`.`c.d` FROM x'],
  ])('%s', (text, expected) => {
    expect(printed(text)).toBe(expected);
  });
});

test('LIMIT BY and LIMIT are kept apart', () => {
  const select = selectOf('select 1 limit 1, 2 by id limit 3, 4');
  const value = (number: bigint) => ({ literal: { value: number } });
  expect(select).toMatchObject({
    limitBy: { offset: value(1n), limit: value(2n), by: [{ parts: ['id'] }] },
    offset: value(3n),
    limit: value(4n),
  });
});

test('a trailing ORDER BY belongs to the last SELECT', () => {
  const statement = parseStatement('select 1 union all select 2 order by 1');
  expect(statement).toMatchObject({ query: { selects: [{ orderBy: [] }, { orderBy: [{}] }] } });
});

test('an Identifier parameter is replaced where the caller knows its value', () => {
  const options = { identifier: (name: string) => `the ${name}` };
  const text = 'select {c:Identifier}.x from {t:Identifier}';
  expect(printStatement(parseStatement(text, options))).toBe('SELECT `the c`.x FROM `the t`');
  expect(() => parseStatement(text)).toThrowError(expect.objectContaining({ code: 48 }));
});

test.each([
  ['select 1 group by grouping sets ((a), (b))', 'GROUPING SETS'],
  ['select 1 order by all', 'ORDER BY ALL'],
  ['select 1 order by a with fill', 'WITH FILL'],
  ['select 1 order by a limit 1 with ties', 'WITH TIES'],
  ['select 1 order by a offset 1 row fetch next 1 row only', 'FETCH'],
  ['select 1 group by a with rollup with totals', 'modifier'],
  ['select distinct on (a) b from t', 'DISTINCT ON'],
  ['select top 3 a from t', 'TOP'],
  ['select * except (a) from t', 'EXCEPT'],
  ["select columns('a') from t", 'COLUMNS'],
  ['select a from t sample 1 / 2', 'SAMPLE'],
  ['select a from t any left join u on 1', 'ANY LEFT JOIN'],
  ['select a from t asof join u on 1', 'ASOF'],
  ['select a from t right semi join u on 1', 'SEMI RIGHT'],
  ['select a from t array join b array join c', 'ARRAY JOIN'],
  ['select a from t array join b join u on 1', 'ARRAY JOIN'],
  ['select a from (t join u on 1)', 'parentheses'],
  ['select 1 union select 2', 'UNION without'],
  ['select 1 union all select 2 union distinct select 3', 'UNION ALL and UNION DISTINCT'],
  ['select 1 intersect select 2', 'INTERSECT'],
  ['with recursive t as (select 1) select 1', 'RECURSIVE'],
  ['with 1 select 2', 'without a name'],
  ['with 1 as x insert into t select x', 'WITH before INSERT'],
  ['select a from t window w as (order by a)', 'WINDOW'],
  ['select a from t qualify a', 'QUALIFY'],
  ["select 1 into outfile 'x'", 'INTO OUTFILE'],
  ['select a from view(select 1)', 'view'],
  ['select 1 settings a = [1]', 'list'],
])('%s is error 48 by its name', (text, named) => {
  expect(() => parseStatement(text)).toThrowError(
    expect.objectContaining({ code: 48, message: expect.stringContaining(named) as string }),
  );
});
