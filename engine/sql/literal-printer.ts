// Literals and identifiers as SQL text. Floats and strings are written as ClickHouse names columns
// after them: shortest digits with a point or an exponent, escapes for what would not show.

import { decodeUtf8 } from '../../base/utf8.ts';
import type { LiteralValue } from './ast.ts';
import { isKeyword } from './keywords.ts';

const escapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
  '\\': '\\\\',
  "'": "\\'",
};

/** `1.` for 1, `1e100`, `inf`: the form that reads back as a float. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = Object.is(value, -0) ? '-0' : String(value).replace('e+', 'e');
  return /[.e]/.test(text) ? text : `${text}.`;
}

/** A byte string as a literal; bytes that are no UTF-8 as \xHH. */
export function printString(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1');
  const text = buffer.toString('utf8');
  const valid = Buffer.from(text, 'utf8').equals(buffer);
  const shown = (valid ? text : bytes).replace(/[\b\f\n\r\t\0\\']/g, (c) => escapes[c] ?? c);
  return `'${shown.replace(/[^ -~]/gu, (c) => (valid && c > '\x7f' ? c : hexEscape(c)))}'`;
}

function hexEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** A byte string between quotes as in a column's name, where bytes stand for themselves. */
export function nameString(bytes: string): string {
  const text = decodeUtf8(bytes);
  return `'${text.replace(/[\b\f\n\r\t\0\\']/g, (c) => escapes[c] ?? c)}'`;
}

export function printLiteral(literal: LiteralValue): string {
  switch (literal.kind) {
    case 'integer':
      return String(literal.value);
    case 'float':
      return printFloat(literal.value);
    case 'string':
      return printString(literal.value);
    case 'bool':
      return String(literal.value);
    default:
      return 'NULL';
  }
}

/** An identifier, in backticks where it would not be read as one word or as a name. */
export function printName(name: string): string {
  const plain = /^[A-Za-z_][A-Za-z_0-9]*$/.test(name) && !isKeyword(name);
  return plain ? name : quoteName(name);
}

/** The name of a called function: keywords are quoted only where the parser treats them apart. */
export function printFunctionName(name: string): string {
  const special = /^(?:all|case|columns|distinct|from|interval|not|null|select|true|false|with)$/i;
  return /^[A-Za-z_][A-Za-z_0-9]*$/.test(name) && !special.test(name) ? name : quoteName(name);
}

export function quoteName(name: string): string {
  const escaped = name.replace(/[\b\f\n\r\t\0\\`]/g, (c) =>
    c === '`' ? '\\`' : (escapes[c] ?? c),
  );
  return `\`${escaped}\``;
}
