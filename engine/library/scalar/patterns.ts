// Patterns over byte strings: LIKE and RE2-like regular expressions, compiled to JavaScript's. A
// pattern is ASCII or works on characters of UTF-8, as ClickHouse's do; compiled ones are kept.

import { MusterError } from '../../../base/errors.ts';
import { decodeUtf8 } from '../../../base/utf8.ts';

type TextPredicate = (text: string) => boolean;

const likes = new Map<string, TextPredicate>();
const regexes = new Map<string, RegExp>();
const keptMax = 1000;

/** `%`, `_` and backslash escapes; `ignoreCase` for ILIKE. */
export function likePredicate(pattern: string, ignoreCase: boolean): TextPredicate {
  const key = `${ignoreCase ? 'i' : 'c'}${pattern}`;
  let predicate = likes.get(key);
  if (predicate === undefined) {
    predicate = compileLike(pattern, ignoreCase);
    keep(likes, key, predicate);
  }
  return predicate;
}

function compileLike(pattern: string, ignoreCase: boolean): TextPredicate {
  if (!ignoreCase) {
    const simple = simpleLike(pattern);
    if (simple !== undefined) return simple;
  }
  const flags = ignoreCase ? 'isu' : 'su';
  const regex = new RegExp(`^${likeSource(decodeUtf8(pattern))}$`, flags);
  return (text) => regex.test(decodeUtf8(text));
}

/** `%x%`, `x%`, `%x`, `x` without other wildcards: no regular expression. */
function simpleLike(pattern: string): TextPredicate | undefined {
  const middle = pattern.replace(/^%+/, '').replace(/%+$/, '');
  if (/[%_\\]/.test(middle)) return undefined;
  const open = pattern.startsWith('%');
  const close = pattern.endsWith('%');
  if (open && close) return (text) => text.includes(middle);
  if (close) return (text) => text.startsWith(middle);
  if (open) return (text) => text.endsWith(middle);
  return (text) => text === middle;
}

function likeSource(pattern: string): string {
  let source = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] ?? '';
    if (character === '%') source += '.*';
    else if (character === '_') source += '.';
    else if (character === '\\' && i + 1 < pattern.length) source += literal(pattern[++i] ?? '');
    else source += literal(character);
  }
  return source;
}

function literal(character: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(character) ? `\\${character}` : character;
}

/** A regular expression over decoded text. `flags` beside `u`; dot matches a newline as in RE2's use. */
export function compileRegex(pattern: string, flags = ''): RegExp {
  const key = `${flags}:${pattern}`;
  let regex = regexes.get(key);
  if (regex === undefined) {
    regex = makeRegex(pattern, flags);
    keep(regexes, key, regex);
  }
  regex.lastIndex = 0;
  return regex;
}

/** Constructs that JavaScript has and RE2 refuses, or reads otherwise. */
const notInRe2 = /\(\?(?:<?[=!])|\\[1-9]|\\k</;

function makeRegex(pattern: string, flags: string): RegExp {
  const source = decodeUtf8(pattern);
  if (notInRe2.test(source.replaceAll('\\\\', ''))) throw cannotCompile(pattern, 'look-around');
  const inline = /^\(\?([ims]+)\)/.exec(source);
  const body = (inline === null ? source : source.slice(inline[0].length))
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('[[:alpha:]]', '[A-Za-z]')
    .replaceAll('[[:digit:]]', '[0-9]')
    .replaceAll('[[:alnum:]]', '[0-9A-Za-z]')
    .replaceAll('[[:space:]]', '\\s');
  const all = [...new Set(`${flags}s${inline?.[1] ?? ''}`.split(''))].join('');
  for (const unicode of ['u', '']) {
    try {
      return new RegExp(body, all + unicode);
    } catch (error) {
      if (unicode === '') throw cannotCompile(pattern, String(error));
    }
  }
  throw cannotCompile(pattern, 'unknown');
}

function cannotCompile(pattern: string, why: string): MusterError {
  return new MusterError(
    'CANNOT_COMPILE_REGEXP',
    `OptimizedRegularExpression: cannot compile re2: ${decodeUtf8(pattern)}, error: ${why}`,
  );
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= keptMax) map.clear();
  map.set(key, value);
}
