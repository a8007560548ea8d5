// Errors that point into a statement's text, in ClickHouse's words: "failed at position 8 (FRON)",
// positions from 1. The same place rides along in `error.position` for consoles and clients.

import { type ErrorName, type ErrorPosition, MusterError } from '../../base/errors.ts';
import type { Token } from './token.ts';

/** Characters of the statement shown from the error on, and expectations listed. */
const shownCharactersMax = 160;
const shownExpectationsMax = 20;

export function positionOf(text: string, offset: number): ErrorPosition {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { offset, line, column: offset - lineStart + 1 };
}

/** Error 62 at a token; `expected` lists what could have stood there. */
export function syntaxError(
  text: string,
  token: Token,
  expected: readonly string[] = [],
): MusterError {
  const position = positionOf(text, token.start);
  const shown =
    token.kind === 'end' || token.text === ';' ? 'end of query' : shownToken(text, token);
  const place = `(line ${position.line}, col ${position.column})`;
  // Keys may stand there, and errors are read by many.
  const rest = mayHoldKeys(text)
    ? '...'
    : text.slice(token.start, token.start + shownCharactersMax);
  const reason = token.kind === 'error' ? `${token.text}.` : expectation(expected);
  const failed = `Syntax error: failed at position ${token.start + 1} (${shown}) ${place}`;
  return new MusterError('SYNTAX_ERROR', `${failed}: ${rest}. ${reason}`.trimEnd(), { position });
}

/** An error about a place in a statement that is not bad syntax: the place is added at the end. */
export function statementError(
  name: ErrorName,
  text: string,
  at: { readonly offset: number; readonly message: string },
): MusterError {
  const position = positionOf(text, at.offset);
  const place = `(line ${position.line}, col ${position.column})`;
  return new MusterError(name, `${at.message} ${place}`, { position });
}

function mayHoldKeys(text: string): boolean {
  return /\bs3\s*\(/i.test(text);
}

function shownToken(text: string, token: Token): string {
  if (token.kind === 'string' && mayHoldKeys(text)) return 'a text';
  return text.slice(token.start, Math.min(token.end, token.start + shownCharactersMax));
}

function expectation(expected: readonly string[]): string {
  const unique = [...new Set(expected)];
  if (unique.length === 0) return '';
  if (unique.length === 1) return `Expected ${unique[0]}`;
  return `Expected one of: ${unique.slice(0, shownExpectationsMax).join(', ')}`;
}
