import { describe, expect, test } from 'vitest';
import { readToken, skipSpace } from '../../../engine/sql/lexer.ts';
import type { Token } from '../../../engine/sql/token.ts';

function tokens(text: string): Token[] {
  const list: Token[] = [];
  for (let offset = 0; ; ) {
    const token = readToken(text, offset, list.at(-1));
    if (token.kind === 'end') return list;
    list.push(token);
    offset = token.end;
  }
}

const texts = (text: string) => tokens(text).map((token) => token.text);
const kinds = (text: string) => tokens(text).map((token) => token.kind);

describe('numbers and dots', () => {
  test.each([
    ['1.5e-3', ['1.5e-3']],
    ['1.', ['1.']],
    ['(.5)', ['(', '.5', ')']],
    ['t.1.2', ['t', '.', '1', '.', '2']],
    ['1.2.3', ['1.2', '.', '3']],
    ['a.1e5', ['a', '.', '1e5']],
    ['1_000', ['1_000']],
    ['0x1F', ['0x1F']],
    ['1abc', ['1abc']],
    ['x[1].2', ['x', '[', '1', ']', '.', '2']],
  ])('%s', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test('digits that letters follow are a word, not a number', () => {
    expect(kinds('1abc 0xg 1_')).toEqual(['word', 'word', 'word']);
  });

  test('a fraction that letters follow is an error', () => {
    expect(tokens('1.5b')[0]).toMatchObject({ kind: 'error', text: 'Wrong number' });
  });
});

describe('white space and comments', () => {
  test.each([
    ['a -- b\n c', ['a', 'c']],
    ['a /* b /* c */ d */ e', ['a', 'e']],
    ['a # b\nc', ['a', 'c']],
    ['#!/usr/bin/x\na', ['a']],
    ['a // b', ['a']],
    ['a\u00a0+\u3000b', ['a', '+', 'b']],
    ['a--b', ['a']],
  ])('%j', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test('an open comment is an error, nested or not', () => {
    expect(kinds('a /* b')).toEqual(['word', 'error']);
    expect(kinds('/* /* b */')).toEqual(['error']);
  });

  test('skipSpace stops at what is neither', () => {
    expect(skipSpace('  /* x */ y', 0)).toBe(10);
    expect(skipSpace('y', 0)).toBe(0);
  });
});

describe('strings and names', () => {
  test.each([
    [String.raw`'it''s'`, "it's"],
    [String.raw`'a\'b'`, "a'b"],
    [String.raw`'\n\t\0\\'`, '\n\t\0\\'],
    [String.raw`'\x41\xff'`, 'A\xff'],
    [String.raw`'\%\_\d'`, String.raw`\%\_\d`],
    [String.raw`'\N\/'`, '/'],
    [`'é'`, '\xc3\xa9'],
    ["$$a'b$$", "a'b"],
    ['$x$ $$ $x$', ' $$ '],
    [`x'4142'`, 'AB'],
    [`b'01000001'`, 'A'],
    ['\u2018é\u2019', '\xc3\xa9'],
  ])('%s', (text, expected) => {
    expect(tokens(text)).toMatchObject([{ kind: 'string', text: expected }]);
  });

  test.each([
    ['`a b`', 'a b'],
    ['"a""b"', 'a"b'],
    ['`a\\`b`', 'a`b'],
    ['`é`', 'é'],
  ])('%s is a name', (text, expected) => {
    expect(tokens(text)).toMatchObject([{ kind: 'quoted', text: expected }]);
  });

  test('a backslash before a character of two units keeps both', () => {
    expect(tokens("'\\\u{1f600}'")).toMatchObject([
      { text: Buffer.from('\\\u{1f600}').toString('latin1') },
    ]);
  });

  test.each(["'abc", '`abc', '"abc', "'abc\\", '``', "'\\x4'"])('%s is an error', (text) => {
    expect(kinds(text)).toEqual(['error']);
  });
});

test('symbols: the longest one', () => {
  const expected = 'a <=> b -> c :: d <> e != f == g || h <= i >= j';
  expect(texts(expected.replaceAll(' ', ''))).toEqual(expected.split(' '));
});

test('bytes that the dialect has no token for are errors', () => {
  expect(kinds('a ~ b')).toEqual(['word', 'error', 'word']);
  expect(kinds('é')[0]).toBe('error');
});
