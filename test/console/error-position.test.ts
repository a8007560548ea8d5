import { describe, expect, it } from 'vitest';
import { errorSpan } from '../../console/error-position.ts';

const marked = (message: string, statement: string) => {
  const span = errorSpan(message, statement);
  return span === undefined ? undefined : statement.slice(span.from, span.to);
};

describe('the place of an error', () => {
  it('by line and column, the word there', () => {
    const statement = "SELECT\n  'é', nope\nFROM t";
    expect(marked("Unknown expression identifier 'nope' (line 2, col 8)", statement)).toBe('nope');
    expect(marked('Unclosed (line 2, col 3)', statement)).toBe("'é'");
    expect(marked('x (line 1, col 1)', statement)).toBe('SELECT');
  });

  it('by position, as ClickHouse says it', () => {
    expect(marked('Syntax error: failed at position 10 (FRON): ', 'SELECT 1 FRON x')).toBe('FRON');
  });

  it('behind the end, the last character', () => {
    expect(marked('Syntax error (line 1, col 10)', 'SELECT (1')).toBe('1');
    expect(marked('Syntax error (line 1, col 1)', '')).toBe('');
  });

  it('nowhere when none is named, or it lies outside', () => {
    expect(errorSpan('Memory limit exceeded', 'SELECT 1')).toBeUndefined();
    expect(errorSpan('failed at position 99', 'SELECT 1')).toBeUndefined();
  });
});
