import { describe, expect, it } from 'vitest';
import { brokenAnswer, ServerError } from '../../console/server-error.ts';

const said = (message: string, name: string, code: number) =>
  `Code: ${code}. DB::Exception: ${message}. (${name}) (version 26.7.2.1 muster 0.1.0)\n`;

describe('an error of the server', () => {
  it('is taken apart', () => {
    const error = new ServerError(
      400,
      said('Syntax error: at x (line 1,\ncol 2)', 'SYNTAX_ERROR', 62),
    );
    expect([error.code, error.errorName, error.message]).toEqual([
      62,
      'SYNTAX_ERROR',
      'Syntax error: at x (line 1,\ncol 2)',
    ]);
  });

  it('may be any text, or none', () => {
    expect(new ServerError(502, 'Bad gateway\n').message).toBe('Bad gateway');
    expect(new ServerError(502, '').message).toContain('HTTP 502');
  });

  it('asks for the user where that helps', () => {
    const asks = (status: number, text: string) => new ServerError(status, text).asksForUser;
    expect(asks(403, said('x', 'AUTHENTICATION_FAILED', 516))).toBe(true);
    expect(asks(401, said('x', 'REQUIRED_PASSWORD', 194))).toBe(true);
    expect(asks(401, 'Unauthorized')).toBe(true);
    expect(asks(403, said('Not enough privileges', 'ACCESS_DENIED', 497))).toBe(false);
    expect(asks(403, 'Requests from pages of http://x are refused')).toBe(false);
    expect(asks(400, said('x', 'SYNTAX_ERROR', 62))).toBe(false);
  });
});

it('an answer that broke off carries its error at the end, behind the tag of its head', () => {
  const message = said('boom', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', 395);
  const block = `\r\n__exception__\r\nTAG0\r\n${message}${message.length} TAG0\r\n__exception__\r\n`;
  expect(brokenAnswer(`{"meta":[${block}`, 'TAG0')?.message).toBe('boom');
  expect(brokenAnswer(`{"meta":[${block}`, 'TAG1')).toBeUndefined();
  expect(brokenAnswer('{}', null)).toBeUndefined();
});
