import { describe, expect, test } from 'vitest';
import { insertHead, isInsert, isUndecided } from '../../../functions/http/insert-head.ts';

/** Statement and data, or undefined while the statement goes on. */
function split(text: string, last = true): readonly [string, string] | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const head = insertHead(bytes, last);
  if (head.kind === 'open') return undefined;
  const data = bytes.toString('latin1', head.dataAt);
  return [bytes.toString('latin1', 0, head.textEnd), data];
}

describe('where data begins', () => {
  test.each([
    ['INSERT INTO t FORMAT CSV\n1,2', 'INSERT INTO t FORMAT CSV', '1,2'],
    ['INSERT INTO t FORMAT CSV \r\n\n1', 'INSERT INTO t FORMAT CSV', '\n1'],
    ['INSERT INTO t FORMAT JSONEachRow {"a":1}', 'INSERT INTO t FORMAT JSONEachRow', '{"a":1}'],
    ['INSERT INTO t FORMAT JSONEachRow{"a":1}', 'INSERT INTO t FORMAT JSONEachRow', '{"a":1}'],
    ['insert into t(a, format) values (1, 2)', 'insert into t(a, format) values', ' (1, 2)'],
    ['INSERT INTO t FORMAT Values (1)', 'INSERT INTO t FORMAT Values', ' (1)'],
    [
      "INSERT INTO `format x` SETTINGS a = 'values' VALUES(1)",
      "INSERT INTO `format x` SETTINGS a = 'values' VALUES",
      '(1)',
    ],
    [
      'INSERT /* FORMAT CSV */ INTO t -- VALUES\n FORMAT TSV\nx',
      'INSERT /* FORMAT CSV */ INTO t -- VALUES\n FORMAT TSV',
      'x',
    ],
    [
      "INSERT INTO t SELECT format AS f, x.values FROM input('format String') WHERE format = 1 FORMAT CSV\n1",
      "INSERT INTO t SELECT format AS f, x.values FROM input('format String') WHERE format = 1 FORMAT CSV",
      '1',
    ],
    ['INSERT INTO t FORMAT RowBinary\n\x00\xff\n', 'INSERT INTO t FORMAT RowBinary', '\x00\xff\n'],
  ])('%s', (text, statement, data) => {
    expect(split(text)).toEqual([statement, data]);
  });

  test('there is none in a query, and the end of a word is waited for', () => {
    expect(split('INSERT INTO t SELECT format FROM values(1)')).toBeUndefined();
    expect(split('INSERT INTO t SELECT a AS format, b FROM s')).toBeUndefined();
    expect(split('INSERT INTO t FORMAT CS', false)).toBeUndefined();
    expect(split('INSERT INTO t FORMAT CSV', false)).toBeUndefined();
    expect(split('INSERT INTO t FORMAT CSV ', false)).toBeUndefined();
    expect(split("INSERT INTO t SETTINGS a = 'VALUES", false)).toBeUndefined();
  });
});

test('what is an INSERT', () => {
  const is = (text: string) => isInsert(Buffer.from(text));
  expect(['INSERT INTO', ' \n/* x */ insert', '-- c\nINSERT'].map(is)).toEqual([true, true, true]);
  expect(['SELECT', 'INSERTS', '', '-- INSERT'].map(is)).toEqual([false, false, false, false]);
  const undecided = (text: string) => isUndecided(Buffer.from(text));
  expect(['', ' ', '/* x', 'INSER'].map(undecided)).toEqual([true, true, true, true]);
  expect(['INSERT INTO', 'SELECT 1'].map(undecided)).toEqual([false, false]);
});
