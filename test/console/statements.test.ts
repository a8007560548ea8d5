// Statements among others: strings, comments and here-documents hide semicolons.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitStatements, statementAt, statementsToRun } from '../../console/statements.ts';

const textsOf = (text: string) =>
  splitStatements(text).map(({ start, end }) => text.slice(start, end));

describe('splitting', () => {
  it('drops white space, comments and empty pieces around statements', () => {
    expect(textsOf(' SELECT 1 ; ;\n-- no; more\nSELECT 2 -- the end\n;')).toEqual([
      'SELECT 1',
      'SELECT 2',
    ]);
    expect(textsOf('/* only; */ -- comments;\n # here\n#! there')).toEqual([]);
    expect(textsOf('')).toEqual([]);
  });

  it('keeps comments inside a statement', () => {
    expect(textsOf('SELECT /* a; /* nested; */ b; */ 1; SELECT 2')).toEqual([
      'SELECT /* a; /* nested; */ b; */ 1',
      'SELECT 2',
    ]);
  });

  it.each([
    ["SELECT 'a;b'", "'a;b'"],
    ["SELECT 'it''s;'", 'doubled quotes'],
    ["SELECT 'it\\';s'", 'escaped quotes'],
    ['SELECT "a;b"', 'quoted names'],
    ['SELECT `a``;b`', 'quoted names with backticks'],
    ['SELECT $$a;b$$', 'here-documents'],
    ["SELECT $x$a;$$;'$x$", 'here-documents with a tag'],
    ["SELECT 'never closed; SELECT 2", 'a string that is not closed'],
    ['SELECT 1 - -1', 'minus signs'],
    ['SELECT a#b', 'a # that begins no comment'],
  ])('%s is one: %s', (text) => {
    expect(textsOf(`${text};`)).toEqual([text.endsWith('2') ? `${text};` : text]);
  });

  it('finds statements back in any order of pieces', () => {
    const statement = fc.constantFrom("SELECT ';'", 'SELECT 1', 'SELECT `;`', 'SELECT 1 /*;*/ + 2');
    const gap = fc.constantFrom('', ' ', '\n', ' -- ;\n', '/* ; */', '# ;\n');
    const pieces = fc.array(fc.tuple(gap, statement, gap));
    fc.assert(
      fc.property(pieces, (given) => {
        const text = given.map(([before, middle, after]) => `${before}${middle}${after};`).join('');
        expect(textsOf(text)).toEqual(given.map(([, middle]) => middle));
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});

describe('the statement under the cursor', () => {
  const text = 'SELECT 1;\n\n  SELECT 2; SELECT 3\n\n-- the end\n';
  const at = (cursor: number) => {
    const range = statementAt(text, cursor);
    return range === undefined ? undefined : text.slice(range.start, range.end);
  };

  it('holds it, or ends before it on its line, or comes next, or is the last', () => {
    expect(at(0)).toBe('SELECT 1');
    expect(at(8)).toBe('SELECT 1');
    expect(at(9)).toBe('SELECT 1');
    expect(at(10)).toBe('SELECT 2');
    expect(at(12)).toBe('SELECT 2');
    expect(at(22)).toBe('SELECT 2');
    expect(at(23)).toBe('SELECT 3');
    expect(at(text.length)).toBe('SELECT 3');
    expect(statementAt(' -- nothing', 3)).toBeUndefined();
  });

  it('gives way to a selection, cut to it', () => {
    const cut = (from: number, to: number) =>
      statementsToRun(text, { from, to }).map(({ start, end }) => text.slice(start, end));
    expect(cut(0, text.length)).toEqual(['SELECT 1', 'SELECT 2', 'SELECT 3']);
    expect(cut(10, 22)).toEqual(['SELECT 2']);
    expect(cut(5, 5)).toEqual(['SELECT 1']);
    expect(cut(9, 11)).toEqual([]);
  });
});
