import { expect, test } from 'vitest';
import { expandBraces, fixedPrefix, globMatcher } from '../../../engine/files/glob.ts';

test('braces stand for lists and ranges', () => {
  expect(expandBraces('a{x,y}b{1..3}')).toEqual(['axb1', 'axb2', 'axb3', 'ayb1', 'ayb2', 'ayb3']);
  expect(expandBraces('{08..11}')).toEqual(['08', '09', '10', '11']);
  expect(expandBraces('{3..1}')).toEqual(['3', '2', '1']);
  expect(expandBraces('plain')).toEqual(['plain']);
  expect(expandBraces('{,s}x')).toEqual(['x', 'sx']);
  expect(() => expandBraces('a{b')).toThrow(/not closed/);
  expect(() => expandBraces('{1..100}{1..100}{1..9}')).toThrow(/more than 10000/);
  expect(() => expandBraces('{0..999999999}')).toThrow(/more than 10000/);
});

test.each([
  ['*.csv', ['a.csv', '.csv'], ['x/a.csv', 'a.csv.gz', 'acsv']],
  ['x/*.csv', ['x/a.csv'], ['x/y/a.csv', 'a.csv']],
  ['x/**/*.csv', ['x/a.csv', 'x/y/z/a.csv'], ['xa.csv', 'a.csv']],
  ['x/**', ['x/a', 'x/y/z'], ['y/x/a']],
  ['a?c', ['abc'], ['ac', 'a/c']],
  ['a+(b)[c].$', ['a+(b)[c].$'], ['aa(b)c.']],
])('%s', (pattern, matching, others) => {
  const matcher = globMatcher(pattern);
  expect(matching.filter((name) => !matcher.test(name))).toEqual([]);
  expect(others.filter((name) => matcher.test(name))).toEqual([]);
});

test('what is listed begins as the pattern does', () => {
  expect(fixedPrefix('a/b*.csv')).toBe('a/b');
  expect(fixedPrefix('a/b')).toBe('a/b');
});
