// The lexer: one token at a time, from an offset on. It never looks beyond the token it makes,
// because the text of an INSERT goes on with data in some format that is not SQL.
// Numbers, words and comments follow ClickHouse's own lexer, with its oddities: `1abc` is a word,
// and a dot before a digit begins a number only where no operand ends.

import { encodeUtf8 } from '../../base/utf8.ts';
import { readQuoted } from './quoted-text.ts';
import type { Token } from './token.ts';

const blank = /[ \t\n\r\f\v\u00a0\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]+/;
const lineComment = /--[^\n]*|#[ !][^\n]*|\/\/[^\n]*/;
const space = new RegExp(`(?:${blank.source}|${lineComment.source})*`, 'y');
const commentEdge = /\/\*|\*\//g;
const word = /[A-Za-z_$0-9]+/y;
const hex = /0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?[0-9]+)?/;
const bits = /0[bB][01]+(?:_[01]+)*/;
const decimal = /[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*/;
const exponent = /(?:[eE][+-]?[0-9]+)?/;
const number = new RegExp(
  `${hex.source}|${bits.source}|(?:${decimal.source})${exponent.source}`,
  'y',
);
const digits = /[0-9]+/y;
const heredoc = /\$([A-Za-z_0-9]*)\$([^]*?)\$\1\$/y;
const onlyWord = /^[A-Za-z_$0-9]+$/;
const symbols = ['<=>', '->', '::', '<=', '>=', '<>', '!=', '==', '||', '@@'];
const singles = '()[]{},;.*+-/%=<>?:@^|';

/** One after another, errors too; the last one is the end. */
export function* tokensFrom(text: string, offset = 0): Generator<Token, void> {
  let previous: Token | undefined;
  for (let at = offset; ; ) {
    const token = readToken(text, at, previous);
    yield token;
    if (token.kind === 'end') return;
    previous = token;
    at = Math.max(token.end, token.start + 1);
  }
}

/** The token at `offset`, after white space and comments. `previous` is the one before it. */
export function readToken(text: string, offset: number, previous: Token | undefined): Token {
  const start = skipSpace(text, offset);
  if (start >= text.length) return { kind: 'end', text: '', key: '', start, end: start };
  const character = text.charCodeAt(start);
  if (isDigit(character) || startsFraction(text, start, previous)) {
    return readNumber(text, start, previous);
  }
  if (isWordStart(character)) return readWord(text, start);
  switch (text[start]) {
    case "'":
    case '`':
    case '"':
    case '\u2018':
    case '\u201c':
      return readQuoted(text, start);
    case '$':
      return readDollar(text, start);
    default:
      return readSymbol(text, start);
  }
}

/** The first offset that is neither white space nor comment. */
export function skipSpace(text: string, offset: number): number {
  for (let at = offset; ; ) {
    space.lastIndex = at;
    if (space.test(text)) at = space.lastIndex;
    const end = text.startsWith('/*', at) ? commentEnd(text, at) : undefined;
    if (end === undefined) return at;
    at = end;
  }
}

/** Behind the comment that begins here, with those in it; undefined when it is not closed. */
function commentEnd(text: string, start: number): number | undefined {
  commentEdge.lastIndex = start;
  let depth = 0;
  for (let edge = commentEdge.exec(text); edge !== null; edge = commentEdge.exec(text)) {
    depth += edge[0] === '/*' ? 1 : -1;
    if (depth === 0) return commentEdge.lastIndex;
  }
  return undefined;
}

function match(pattern: RegExp, text: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0];
}

function isDigit(character: number): boolean {
  return character >= 48 && character <= 57;
}

function isWordStart(character: number): boolean {
  return (
    (character >= 97 && character <= 122) ||
    (character >= 65 && character <= 90) ||
    character === 95
  );
}

function startsFraction(text: string, start: number, previous: Token | undefined): boolean {
  if (text[start] !== '.' || !isDigit(text.charCodeAt(start + 1))) return false;
  return previous === undefined || !endsOperand(previous);
}

function endsOperand(token: Token): boolean {
  if (token.kind === 'symbol') return token.text === ')' || token.text === ']';
  return token.kind === 'word' || token.kind === 'quoted' || token.kind === 'number';
}

function readNumber(text: string, start: number, previous: Token | undefined): Token {
  const afterDot = previous?.kind === 'symbol' && previous.text === '.' && previous.end === start;
  const digitsOnly = match(afterDot ? digits : number, text, start) ?? '';
  const tail = match(word, text, start + digitsOnly.length) ?? '';
  const whole = digitsOnly + tail;
  const end = start + whole.length;
  if (tail === '') return { kind: 'number', text: whole, key: '', start, end };
  if (onlyWord.test(whole))
    return { kind: 'word', text: whole, key: whole.toUpperCase(), start, end };
  return { kind: 'error', text: 'Wrong number', key: '', start, end };
}

function readWord(text: string, start: number): Token {
  const whole = match(word, text, start) ?? '';
  const end = start + whole.length;
  const prefix = whole.length === 1 ? whole.toLowerCase() : '';
  if ((prefix === 'x' || prefix === 'b') && text[end] === "'")
    return readDigits(text, start, prefix);
  return { kind: 'word', text: whole, key: whole.toUpperCase(), start, end };
}

/** `x'4142'` and `b'0100'`: bytes by their digits, short ones padded on the left. */
function readDigits(text: string, start: number, prefix: 'x' | 'b'): Token {
  const close = text.indexOf("'", start + 2);
  const body = close < 0 ? '' : text.slice(start + 2, close);
  const valid = prefix === 'x' ? /^[0-9a-fA-F]*$/ : /^[01]*$/;
  const end = close < 0 ? text.length : close + 1;
  if (close < 0 || !valid.test(body)) {
    return { kind: 'error', text: 'Wrong digits in a string', key: '', start, end };
  }
  const [step, base] = prefix === 'x' ? [2, 16] : [8, 2];
  const padded = body.padStart(Math.ceil(body.length / step) * step, '0');
  let bytes = '';
  for (let at = 0; at < padded.length; at += step) {
    bytes += String.fromCharCode(Number.parseInt(padded.slice(at, at + step), base));
  }
  return { kind: 'string', text: bytes, key: '', start, end };
}

function readDollar(text: string, start: number): Token {
  heredoc.lastIndex = start;
  const found = heredoc.exec(text);
  if (found !== null) {
    const body = encodeUtf8(found[2] ?? '');
    return { kind: 'string', text: body, key: '', start, end: start + found[0].length };
  }
  return readWord(text, start);
}

function readSymbol(text: string, start: number): Token {
  const long = symbols.find((symbol) => text.startsWith(symbol, start));
  const symbol = long ?? text[start] ?? '';
  if (long === undefined && !singles.includes(symbol)) {
    return { kind: 'error', text: 'Unrecognized token', key: '', start, end: start + 1 };
  }
  if (symbol === '/' && text[start + 1] === '*') {
    const end = text.length;
    return { kind: 'error', text: 'Multiline comment is not closed', key: '', start, end };
  }
  return { kind: 'symbol', text: symbol, key: symbol, start, end: start + symbol.length };
}
