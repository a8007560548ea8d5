// A data type inside a statement: its tokens become one canonical spelling, which names columns
// (`CAST(x, 'Nullable(UInt8)')`) and which the data type parser of the storage format reads.

import type { DataType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import type { Token } from './token.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Words that go on with a type of several words. */
const continuations: Readonly<Record<string, readonly string[]>> = {
  DOUBLE: ['PRECISION'],
  CHAR: ['VARYING'],
  INT: ['UNSIGNED', 'SIGNED'],
  INTEGER: ['UNSIGNED', 'SIGNED'],
  TINYINT: ['UNSIGNED', 'SIGNED'],
  SMALLINT: ['UNSIGNED', 'SIGNED'],
  BIGINT: ['UNSIGNED', 'SIGNED'],
};

/** Types in types. */
const typeDepthMax = 100;

interface TypeText {
  /** One spelling whatever the white space. */
  readonly text: string;
  /** Parses it; UNKNOWN_TYPE names what is not known. */
  readonly type: () => DataType;
}

/** The type at the current token: a name, and what is in parentheses after it. */
export function parseTypeText(cursor: TokenCursor): TypeText {
  if (cursor.token.kind !== 'word' && cursor.token.kind !== 'quoted')
    throw cursor.fail('data type');
  const first = cursor.advance();
  let text = first.text;
  if (continuations[first.key]?.includes(cursor.token.key) === true) {
    text = `${first.key} ${cursor.advance().key}`;
  }
  if (cursor.is('(')) text += parseArguments(cursor);
  return { text, type: () => parseType(text) };
}

/** The type that a string names, as the second argument of CAST. */
export function parseTypeString(cursor: TokenCursor, text: string): DataType {
  if (text.split('(').length > typeDepthMax) throw cursor.tooDeep();
  return parseType(text);
}

function parseArguments(cursor: TokenCursor): string {
  let text = '';
  let depth = 0;
  let previous: Token | undefined;
  do {
    const { kind, key, start, end } = cursor.token;
    if (kind === 'end' || kind === 'error' || key === ';') throw cursor.fail(')');
    if (key === '(' && ++depth > typeDepthMax) throw cursor.tooDeep();
    if (key === ')') depth--;
    if (needsSpace(previous, cursor.token)) text += ' ';
    text += cursor.text.slice(start, end);
    previous = cursor.advance();
  } while (depth > 0);
  return text;
}

function needsSpace(previous: Token | undefined, token: Token): boolean {
  if (previous === undefined || token.key === ',' || token.key === ')' || token.key === '(') {
    return false;
  }
  return previous.key !== '(' && previous.key !== '-';
}
