// The parser and the printers against ClickHouse's own parser: what we print means what was
// written, what we reject ClickHouse rejects, and columns are called as ClickHouse calls them.

import { query } from 'chdb';
import { describe, expect, test } from 'vitest';
import { MusterError } from '../../base/errors.ts';
import { columnName } from '../../engine/sql/column-name.ts';
import { parseStatement } from '../../engine/sql/statement-parser.ts';
import { printStatement } from '../../engine/sql/statement-printer.ts';
import { invalidStatements } from '../engine/sql/invalid-statements.ts';
import { usageStatements } from '../engine/sql/usage-statements.ts';
import { acceptedStatements, unsupportedStatements } from './sql-corpus.ts';

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** ClickHouse's own formatting; undefined when it calls the statement bad syntax. */
function formatted(text: string): string | undefined {
  const sql = `SELECT ifNull(formatQuerySingleLineOrNull(${quoted(text)}), '')`;
  const line = query(sql, 'TSVRaw').trimEnd();
  return line === '' ? undefined : line;
}

/** Spellings of the same meaning that our tree does not tell apart. */
function normalised(text: string | undefined): string | undefined {
  return text
    ?.replaceAll(' CROSS JOIN ', ', ')
    .replaceAll(' NULLS LAST', '')
    .replaceAll(' GLOBAL ', ' ')
    .replaceAll(' ALL INNER JOIN ', ' INNER JOIN ')
    .replace(/ OVER \([^()]*\)/g, ' OVER ()');
}

/** ClickHouse's syntax tree, without its indentation's first line. */
function treeOf(text: string): string {
  return query(`EXPLAIN AST ${text}`, 'TSVRaw');
}

/** Fails unless both texts mean the same; parentheses around one term mean nothing. */
function expectSameMeaning(printed: string, text: string): void {
  const [ours, theirs] = [normalised(formatted(printed)), normalised(formatted(text))];
  if (ours === theirs) return;
  expect(ours?.replace(/[()]/g, ''), text).toBe(theirs?.replace(/[()]/g, ''));
  expect(treeOf(printed), text).toBe(treeOf(text));
}

describe('what is printed means what was written', () => {
  test.each([...usageStatements, ...acceptedStatements])('%s', (text) => {
    expect(formatted(text)).toBeDefined();
    expectSameMeaning(asOperators(printStatement(parseStatement(text))), asOperators(text));
  });
});

/** Functions that have an operator are printed as operators. */
function asOperators(text: string): string {
  return text.replaceAll(/arrayElement\((\[[^\]]*\]), ([^()]*)\)/g, '$1[$2]');
}

describe('what is rejected', () => {
  test.each(invalidStatements)('62 here and there: %s', (text) => {
    expect(() => parseStatement(text)).toThrowError(expect.objectContaining({ code: 62 }));
    expect(formatted(text)).toBeUndefined();
  });

  test.each(unsupportedStatements)('48 here, valid there: %s', (text) => {
    expect(codeOf(text)).toBe(48);
    expect(formatted(text)).toBeDefined();
  });
});

/** 48 also where the statement as a whole is one that we only name. */
function codeOf(text: string): number {
  try {
    return parseStatement(text).kind === 'unsupported' ? 48 : 0;
  } catch (error) {
    return error instanceof MusterError ? error.code : -1;
  }
}

test('a statement with a word left out means the same in both parsers, or nothing here', () => {
  let accepted = 0;
  for (const text of usageStatements.map(asOperators)) {
    const words = text.split(/(?<=[\s(),])/);
    for (let skip = 0; skip < words.length; skip += 2) {
      const mutant = words.filter((_, index) => index !== skip).join('');
      if (codeOf(mutant) !== 0 || / OVER /.test(mutant)) continue;
      accepted++;
      expectSameMeaning(printStatement(parseStatement(mutant)), mutant);
    }
  }
  expect(accepted).toBeGreaterThan(100);
});

const source =
  "(SELECT toUInt8(3) AS x, toUInt8(4) AS y, (1, ('a', 2)) AS t, [1, 2] AS r, 'abc' AS s, " +
  "toDate('2020-01-01') AS d, toUInt8(1) AS `a b`) AS q";

const namedItems: readonly string[] = [
  '1+1',
  '-1',
  '-x',
  '-(1)',
  '-(-1)',
  't.1',
  'r[1]',
  't.2.1',
  'not x',
  "x and y or s='a'",
  '1 in (1,2)',
  'x not in (1)',
  'x between 1 and 2',
  'x not between 1 and 2',
  'x in [1,2]',
  'case when x then 1 else 2 end',
  'case x when 1 then 2 end',
  'cast(x as Int)',
  'x::UInt8',
  '1::UInt8',
  '1.50::Float32',
  '[1,2]::Array(UInt8)',
  '(1,2)::Tuple(UInt8,UInt8)',
  '-1::Int8',
  'null::Nullable(String)',
  'true::UInt8',
  '(1,2)',
  '[1,x]',
  '(1,x)',
  '(1,)',
  'tuple(1)',
  'x ? 1 : 2',
  's||s||s',
  'x is null',
  "s not like 'a'",
  'interval 1 day',
  'count(*)',
  'nan',
  'extract(year from d)',
  "date '2020-01-01'",
  'count(distinct x)',
  'quantile(0.5)(x)',
  'inf',
  'arrayMap(z->z+1, r)',
  'arrayMap((z,w)->z+w, r, r)',
  "'a\\'b\\n\\0é'",
  '1e10',
  '1e100',
  '1e-7',
  '1e15',
  '1e21',
  '5e-324',
  '0.30000000000000004',
  '100.25',
  '0x10',
  'x % y',
  'x <=> y',
  'x div y',
  'substring(s from 1 for 2)',
  "position('a' in s)",
  '12345678901234567890123',
  '18446744073709551615',
  '-9223372036854775808',
  '`a b`+1',
  'q.x',
  'q.x+1',
  'x as k',
  '1.0',
  'sumIf(x, y=1)',
  'COUNT(DISTINCT x)',
  'd - interval 1 month',
  "trim(both 'a' from s)",
  'dateadd(day, 1, d)',
  'dateDiff(day, d, d)',
  'r[-1]',
  '(1,2).1',
  '(x as kk)+1',
  'substr(s, 1)',
];

test.each(namedItems)('the column %s is called as in ClickHouse', (item) => {
  const answer: unknown = JSON.parse(query(`SELECT ${item} FROM ${source}`, 'JSONCompact'));
  const statement = parseStatement(`SELECT ${item} FROM t`);
  if (statement.kind !== 'select') throw new Error(statement.kind);
  const [first] = statement.query.selects[0]?.items ?? [];
  if (first === undefined) throw new Error('no item');
  expect(answer).toMatchObject({ meta: [{ name: columnName(first) }] });
});
