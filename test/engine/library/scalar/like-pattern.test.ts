// LIKE: against a naive twin, and in time for what would make a backtracking matcher hang.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../base/utf8.ts';
import { likePredicate } from '../../../../engine/library/scalar/like-pattern.ts';

function like(text: string, pattern: string, ignoreCase = false): boolean {
  return likePredicate(encodeUtf8(pattern), ignoreCase)(encodeUtf8(text));
}

/** By recursion over characters; patterns without escapes. */
function naive(text: readonly string[], pattern: readonly string[]): boolean {
  const [wanted, ...rest] = pattern;
  if (wanted === undefined) return text.length === 0;
  if (wanted === '%') {
    return naive(text, rest) || (text.length > 0 && naive(text.slice(1), pattern));
  }
  return text.length > 0 && (wanted === '_' || wanted === text[0]) && naive(text.slice(1), rest);
}

describe('likePredicate', () => {
  it('agrees with matching by recursion', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'é', '😀'), { maxLength: 8 });
    const pattern = fc.array(fc.constantFrom('a', 'b', 'é', '😀', '%', '_'), { maxLength: 7 });
    fc.assert(
      fc.property(text, pattern, (characters, wanted) => {
        expect(like(characters.join(''), wanted.join(''))).toBe(naive(characters, wanted));
      }),
      { numRuns: 3000, seed: 7 },
    );
  });

  it('answers at once however many % there are', () => {
    const started = performance.now();
    const text = 'a'.repeat(3000);
    expect(like(text, `${'%a'.repeat(40)}%b`)).toBe(false);
    expect(like(text, `${'%a_a'.repeat(40)}%b`)).toBe(false);
    expect(like(text, `${'%A'.repeat(40)}%b`, true)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('takes escapes literally', () => {
    expect(like('a%', String.raw`a\%`)).toBe(true);
    expect(like('ab', String.raw`a\%`)).toBe(false);
    expect(like(String.raw`a\b`, String.raw`a\b`)).toBe(true);
    expect(() => like('a', 'a\\')).toThrow(/escape/);
  });

  it('folds case character by character', () => {
    expect(like('ÉCLAIR', 'é%R', true)).toBe(true);
    expect(like('i', 'ı', true)).toBe(false);
  });
});
