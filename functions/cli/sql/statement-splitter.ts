// A text of statements, cut at semicolons that stand in none of their strings and comments. A
// statement may also end in `\G`, which asks for one value a line. The data of INSERT ... FORMAT are
// not SQL: they end at a line that holds a semicolon alone, or, when they begin in the line of the
// word FORMAT, at a semicolon at that line's end; else with the text.

import { readToken, tokensFrom } from '../../../engine/sql/lexer.ts';
import type { Token } from '../../../engine/sql/token.ts';
import { noFormatNames } from '../../http/insert-head.ts';

export interface SplitStatement {
  readonly text: string;
  /** Line of the source, from 1, in which the text begins. */
  readonly line: number;
  /** Ended by `\G`. */
  readonly vertical: boolean;
  /** An INSERT ... FORMAT without a byte of data behind it. */
  readonly wantsData: boolean;
}

interface Split {
  readonly statements: readonly SplitStatement[];
  /** What no semicolon ends, from its first character that is no white space on. */
  readonly rest: SplitStatement | undefined;
}

interface Ending {
  /** Behind the last character of the statement. */
  readonly end: number;
  /** Behind what ends it. */
  readonly next: number;
  readonly closed: boolean;
  readonly vertical?: boolean;
  readonly wantsData?: boolean;
}

export function splitStatements(source: string): Split {
  const statements: SplitStatement[] = [];
  let line = 1;
  let counted = 0;
  for (let at = 0; ; ) {
    const ending = endingOf(source, at);
    const body = source.slice(at, ending.end);
    const text = body.trim();
    const start = at + body.length - body.trimStart().length;
    line += lineFeeds(source, counted, start);
    counted = start;
    const { vertical = false, wantsData = false } = ending;
    const statement = { text, line, vertical, wantsData };
    const isEmpty = text === '' || readToken(text, 0, undefined).kind === 'end';
    if (!ending.closed) return { statements, rest: isEmpty ? undefined : statement };
    if (!isEmpty) statements.push(statement);
    at = ending.next;
  }
}

function endingOf(source: string, from: number): Ending {
  let depth = 0;
  let isInsert: boolean | undefined;
  for (const token of tokensFrom(source, from)) {
    if (token.kind === 'end') break;
    if (token.key === ';') return { end: token.start, next: token.end, closed: true };
    if (token.kind === 'error' && source.startsWith('\\G', token.start)) {
      const next = token.start + '\\G'.length;
      return { end: token.start, next, closed: true, vertical: true };
    }
    if (token.key === '(') depth++;
    if (token.key === ')') depth--;
    isInsert ??= token.key === 'INSERT';
    if (isInsert && depth === 0 && token.key === 'FORMAT') {
      const format = readToken(source, token.end, token);
      if (namesFormat(format)) return dataEnding(source, format.end);
    }
  }
  return { end: source.length, next: source.length, closed: false };
}

/** `format` may also be a column, and data of VALUES are SQL. */
function namesFormat(token: Token): boolean {
  return token.kind === 'word' && token.key !== 'VALUES' && !noFormatNames.has(token.key);
}

function dataEnding(source: string, from: number): Ending {
  const lineFeed = source.indexOf('\n', from);
  const lineEnd = lineFeed === -1 ? source.length : lineFeed;
  const first = source.slice(from, lineEnd).trim();
  if (first.endsWith(';')) {
    const semicolon = source.lastIndexOf(';', lineEnd);
    return { end: semicolon, next: semicolon + 1, closed: true, wantsData: first === ';' };
  }
  const alone = /^[ \t]*;[ \t]*\r?$/gm;
  alone.lastIndex = lineEnd;
  const found = alone.exec(source);
  const end = found?.index ?? source.length;
  const wantsData = source.slice(from, end).trim() === '';
  if (found === null) return { end, next: end, closed: false, wantsData };
  return { end, next: alone.lastIndex, closed: true, wantsData };
}

function lineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}
