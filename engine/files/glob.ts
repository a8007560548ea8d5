// Patterns of file names as ClickHouse has them: `*` and `?` within a name, `**` across folders,
// `{a,b}` and `{1..9}` (with leading zeros: `{01..31}`) anywhere. Pure.

import { MusterError } from '../../base/errors.ts';

const alternativesMax = 10_000;

/** Every text that the braces stand for, in order; stars are left as they are. */
export function expandBraces(pattern: string): readonly string[] {
  const open = pattern.indexOf('{');
  if (open === -1) return [pattern];
  const close = pattern.indexOf('}', open);
  if (close === -1) throw badPattern(pattern, 'a brace is not closed');
  const head = pattern.slice(0, open);
  const tails = expandBraces(pattern.slice(close + 1));
  const choices = choicesOf(pattern.slice(open + 1, close), pattern);
  if (choices.length * tails.length > alternativesMax) {
    throw badPattern(pattern, `it stands for more than ${alternativesMax} names`);
  }
  return choices.flatMap((choice) => tails.map((tail) => head + choice + tail));
}

/** Whether stars are in it: then it must be held against names that exist. */
export function hasStars(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** Matches whole paths, with `/` between folders. `pattern` has no braces any more. */
export function globMatcher(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/?|[*?]|[^*?]+/g, (piece) => {
    if (piece === '**/') return '(?:[^/]+/)*';
    if (piece === '**') return '.*';
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    return piece.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, 'su');
}

/** What all matching names begin with. */
export function fixedPrefix(pattern: string): string {
  return pattern.slice(0, /[*?]|$/.exec(pattern)?.index);
}

function choicesOf(inside: string, pattern: string): readonly string[] {
  const range = /^(\d{1,9})\.\.(\d{1,9})$/.exec(inside);
  if (range === null) return inside.split(',');
  const [first = '', last = ''] = range.slice(1);
  const [from, to] = [Number(first), Number(last)];
  if (Math.abs(to - from) >= alternativesMax) {
    throw badPattern(pattern, `it stands for more than ${alternativesMax} names`);
  }
  const width = first.startsWith('0') || last.startsWith('0') ? first.length : 0;
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) =>
    String(from + step * i).padStart(width, '0'),
  );
}

function badPattern(pattern: string, why: string): MusterError {
  return new MusterError('BAD_ARGUMENTS', `The pattern '${pattern}' is not usable: ${why}`);
}
