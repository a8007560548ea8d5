// Regular expressions: the linear matcher against JavaScript's, and in time for patterns that make
// backtracking matchers hang.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRegex } from '../../../../engine/library/scalar/patterns.ts';
import { parseRegex } from '../../../../engine/library/scalar/regex-parser.ts';
import { regexProgram, runProgram } from '../../../../engine/library/scalar/regex-program.ts';

const atoms = [
  'a',
  'b',
  '.',
  '[^a]',
  '(a|ab)',
  '(b|a+b)',
  '(?:ab?)',
  '((a|b)c?)',
  '(?:^a)',
  '(b$)',
];
const quantifiers = ['', '', '*', '+', '?', '*?', '+?', '{1,2}', '{2,}'];
const piece = fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...quantifiers));
const patterns = fc.array(piece, { minLength: 1, maxLength: 4 }).map((all) => all.flat().join(''));
const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((all) => all.join(''));

function span(match: { readonly start: number; readonly end: number } | undefined): string {
  return match === undefined ? 'none' : `${match.start}-${match.end}`;
}

describe('compileRegex', () => {
  it('finds what JavaScript finds, by either matcher', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        const found = new RegExp(pattern, 'su').exec(text);
        const expected =
          found === null ? 'none' : `${found.index}-${found.index + found[0].length}`;
        const slots = runProgram(regexProgram(parseRegex(pattern))!, text, 0);
        const linear = slots && { start: slots[0] ?? 0, end: slots[1] ?? 0 };
        expect(span(linear)).toBe(expected);
        expect(span(compileRegex(pattern)(text, 0))).toBe(expected);
      }),
      { numRuns: 5000, seed: 11 },
    );
  });

  const slow = [
    ['^(a+)+$', `${'a'.repeat(5000)}b`],
    ['(a|a)*b', 'a'.repeat(5000)],
    ['.*.*.*=', 'a'.repeat(20_000)],
    ['.*=', 'a'.repeat(200_000)],
    [`^${'a?'.repeat(40)}${'a'.repeat(40)}b`, 'a'.repeat(40)],
    ['(?:a{0,30}){0,30}b', 'a'.repeat(1000)],
  ] as const;
  it.each(slow)('%s over a long text is answered soon', (pattern, text) => {
    const started = performance.now();
    expect(compileRegex(pattern)(text, 0)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('refuses what RE2 refuses', () => {
    for (const pattern of ['(a)\\1', '(?=a)', '(?<!a)b', 'a**', '[z-a]', '\\Z', '(a', 'a{1001}']) {
      expect(() => compileRegex(pattern)).toThrow(/cannot compile re2/);
    }
    expect(() => compileRegex('(?:a{1000}){1000}')).toThrow(/'.*' *: a pattern of this size/);
  });
});
