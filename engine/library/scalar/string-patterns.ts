// LIKE, match, extract and replacement by text or by regular expression.

import { decodeUtf8, encodeUtf8 } from '../../../base/utf8.ts';
import { string, uint8 } from '../numeric-types.ts';
import type { ScalarFunction } from '../scalar-function.ts';
import { likePredicate } from './like-pattern.ts';
import { compileRegex } from './patterns.ts';
import { requireText, texts } from './text-arguments.ts';

function patternTest(
  name: string,
  predicateOf: (pattern: string) => (text: string) => boolean,
  options: { readonly negated?: boolean; readonly aliases?: readonly string[] } = {},
): ScalarFunction {
  const whenTrue = options.negated === true ? 0 : 1;
  return {
    name,
    aliases: options.aliases ?? [],
    caseInsensitive: true,
    arity: [2, 2],
    returnType: ([text, pattern]) => {
      requireText(name, text, pattern);
      return uint8;
    },
    evaluate: (call) => {
      const values = new Uint8Array(call.rows);
      const subjects = texts(call.arguments[0]!, call.rows);
      const patterns = texts(call.arguments[1]!, call.rows);
      let pattern: string | undefined;
      let test: (text: string) => boolean = () => false;
      for (let i = 0; i < values.length; i++) {
        if (patterns[i] !== pattern) {
          pattern = patterns[i] ?? '';
          test = predicateOf(pattern);
        }
        values[i] = test(subjects[i] ?? '') ? whenTrue : 1 - whenTrue;
      }
      return { kind: 'number', values };
    },
  };
}

function matchPredicate(pattern: string): (text: string) => boolean {
  const regex = compileRegex(pattern);
  return (text) => regex(decodeUtf8(text), 0) !== undefined;
}

/** Three texts to one: subject, pattern, replacement. */
function replacer(
  name: string,
  aliases: readonly string[],
  replace: (text: string, pattern: string, replacement: string) => string,
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: aliases.length > 0,
    arity: [3, 3],
    returnType: (types) => {
      requireText(name, ...types);
      return string;
    },
    evaluate: (call) => {
      const patterns = texts(call.arguments[1]!, call.rows);
      const replacements = texts(call.arguments[2]!, call.rows);
      const values = texts(call.arguments[0]!, call.rows).map((text, i) =>
        replace(text, patterns[i] ?? '', replacements[i] ?? ''),
      );
      return { kind: 'string', values };
    },
  };
}

function replaceFirst(text: string, pattern: string, replacement: string): string {
  const at = pattern === '' ? -1 : text.indexOf(pattern);
  return at < 0 ? text : text.slice(0, at) + replacement + text.slice(at + pattern.length);
}

function replaceAll(text: string, pattern: string, replacement: string): string {
  return pattern === '' ? text : text.split(pattern).join(replacement);
}

/** `\0` is the whole match, `\1`..`\9` its groups. */
function expand(replacement: string, groups: readonly (string | undefined)[]): string {
  return replacement.replace(/\\([0-9\\])/g, (_, digit: string) =>
    digit === '\\' ? '\\' : (groups[Number(digit)] ?? ''),
  );
}

/** An empty pattern replaces nothing, as in ClickHouse. */
function replaceRegex(which: 'all' | 'first') {
  return (bytes: string, pattern: string, replacement: string): string => {
    if (pattern === '') return bytes;
    const regex = compileRegex(pattern);
    const template = decodeUtf8(replacement);
    const text = decodeUtf8(bytes);
    let result = '';
    let at = 0;
    while (at <= text.length) {
      const match = regex(text, at);
      if (match === undefined) break;
      result += text.slice(at, match.start) + expand(template, match.groups);
      at = match.end;
      if (which === 'first') break;
      if (match.end > match.start) continue;
      const skipped = String.fromCodePoint(text.codePointAt(at) ?? 0);
      result += text.slice(at, at + skipped.length);
      at += skipped.length;
    }
    return result === '' && at === 0 ? bytes : encodeUtf8(result + text.slice(at));
  };
}

const extract: ScalarFunction = {
  name: 'extract',
  arity: [2, 2],
  returnType: (types) => {
    requireText('extract', ...types);
    return string;
  },
  evaluate: (call) => {
    const patterns = texts(call.arguments[1]!, call.rows);
    const values = texts(call.arguments[0]!, call.rows).map((text, i) => {
      const match = compileRegex(patterns[i] ?? '')(decodeUtf8(text), 0);
      const [whole, ...captured] = match?.groups ?? [''];
      return encodeUtf8((captured.length > 0 ? captured[0] : whole) ?? '');
    });
    return { kind: 'string', values };
  },
};

const sensitive = (pattern: string) => likePredicate(pattern, false);
const insensitive = (pattern: string) => likePredicate(pattern, true);

export const stringPatternFunctions: readonly ScalarFunction[] = [
  patternTest('like', sensitive),
  patternTest('notLike', sensitive, { negated: true }),
  patternTest('ilike', insensitive),
  patternTest('notILike', insensitive, { negated: true }),
  patternTest('match', matchPredicate, { aliases: ['REGEXP_MATCHES'] }),
  replacer('replaceAll', ['replace'], replaceAll),
  replacer('replaceOne', [], replaceFirst),
  replacer('replaceRegexpAll', ['REGEXP_REPLACE'], replaceRegex('all')),
  replacer('replaceRegexpOne', [], replaceRegex('first')),
  extract,
];
