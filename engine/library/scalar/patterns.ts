// RE2's regular expressions, compiled to JavaScript's. A pattern works on characters of UTF-8, as
// ClickHouse's do; compiled ones are kept.

import { MusterError } from '../../../base/errors.ts';
import { decodeUtf8 } from '../../../base/utf8.ts';

const regexes = new Map<string, RegExp>();
const keptMax = 1000;

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
