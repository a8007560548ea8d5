// Quoted tokens: string literals to byte strings, quoted identifiers to names. Escapes are
// ClickHouse's: a doubled quote, a backslash with one of a few letters, \xHH, \N for nothing;
// a backslash before any other character stays (so that `\%` reaches LIKE).

import { encodeUtf8 } from '../../base/utf8.ts';
import type { Token } from './token.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
  N: '',
};
/** Characters that lose their backslash. */
const plain = '\\`"\'/';
const closings: Readonly<Record<string, string>> = { '\u2018': '\u2019', '\u201c': '\u201d' };
const unclosed: Readonly<Record<string, string>> = {
  '`': 'Back quoted string is not closed',
  '"': 'Double quoted string is not closed',
};

/** The quoted token that begins at `start`: 'string' for single quotes, else 'quoted'. */
export function readQuoted(text: string, start: number): Token {
  const open = text[start] ?? '';
  const curly = closings[open];
  const end =
    curly === undefined ? closingQuote(text, start, open) : text.indexOf(curly, start) + 1;
  if (end <= 0) {
    const message = unclosed[open] ?? 'Single quoted string is not closed';
    return { kind: 'error', text: message, key: '', start, end: text.length };
  }
  const raw = text.slice(start + 1, end - 1);
  if (open === "'" || open === '\u2018') {
    const bytes = curly === undefined ? unescape(raw, open, encodeUtf8) : encodeUtf8(raw);
    return bytes === undefined
      ? { kind: 'error', text: 'Wrong escape in a string', key: '', start, end }
      : { kind: 'string', text: bytes, key: '', start, end };
  }
  const name = curly === undefined ? unescape(raw, open, (part) => part) : raw;
  if (name === undefined || name === '') {
    return { kind: 'error', text: 'Wrong quoted identifier', key: '', start, end };
  }
  return { kind: 'quoted', text: name, key: '', start, end };
}

/** The offset after the closing quote, or -1. */
function closingQuote(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === quote) {
      if (text[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return -1;
}

/** Undefined when an escape is cut short. `convert` is applied to the unescaped stretches. */
function unescape(
  raw: string,
  quote: string,
  convert: (part: string) => string,
): string | undefined {
  let result = '';
  let from = 0;
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at];
    if (character !== '\\' && character !== quote) continue;
    result += convert(raw.slice(from, at));
    const next = raw[at + 1] ?? '';
    const known = character === quote ? quote : escaped(next);
    if (known === undefined) {
      result += '\\';
      from = ++at;
    } else if (next === 'x' && character !== quote) {
      const hex = raw.slice(at + 2, at + 4);
      if (hex.length < 2) return undefined;
      result += String.fromCharCode(hexByte(hex));
      at += 3;
      from = at + 1;
    } else {
      result += known;
      from = ++at + 1;
    }
  }
  return result + convert(raw.slice(from));
}

/** What stands for a backslash and `next`; undefined when both stay. */
function escaped(next: string): string | undefined {
  if (next === 'x') return '';
  return escapes[next] ?? (plain.includes(next) || next < ' ' ? next : undefined);
}

/** As ClickHouse's table of hex digits: anything that is none counts as 0xff. */
function hexByte(hex: string): number {
  const value = Number.parseInt(hex, 16);
  return /^[0-9a-fA-F]{2}$/.test(hex) ? value : 0xff;
}
