// The SELECT of `muster load --select`: over the file's rows, which are input('structure'). SELECT
// and FROM may be left out: `day, event, groupBitmapState(uid) GROUP BY day, event`.

import { tokensFrom } from '../../../engine/sql/lexer.ts';
import type { Token } from '../../../engine/sql/token.ts';
import type { NamedColumn } from './column-types.ts';

/** What may follow FROM. */
const clauses: ReadonlySet<string> = new Set([
  'PREWHERE',
  'WHERE',
  'GROUP',
  'HAVING',
  'ORDER',
  'LIMIT',
  'SETTINGS',
  'ARRAY',
]);

export function inputSelect(text: string, columns: readonly NamedColumn[]): string {
  const structure = columns.map(({ name, type }) => `${quotedName(name)} ${type}`).join(', ');
  return withInput(text, `input('${structure.replace(/[\\']/g, '\\$&')}')`);
}

/** The same, where who runs it knows the columns. */
export function selectOverInput(text: string): string {
  return withInput(text, 'input()');
}

function withInput(text: string, input: string): string {
  const trimmed = text.trim().replace(/;$/, '');
  const select = /^(SELECT|WITH)\b/i.test(trimmed) ? trimmed : `SELECT ${trimmed}`;
  const tokens = tokensOf(select);
  const call = tokens.find(
    (token, i) => token.key === 'INPUT' && tokens[i + 1]?.key === '(' && tokens[i + 2]?.key === ')',
  );
  if (call !== undefined) {
    const close = select.indexOf(')', call.end);
    return select.slice(0, call.start) + input + select.slice(close + 1);
  }
  if (tokens.some((token) => token.key === 'FROM')) return select;
  const next = clauseAfterItems(tokens) ?? select.length;
  return `${select.slice(0, next).trimEnd()} FROM ${input} ${select.slice(next)}`.trimEnd();
}

/** Lower case, for looking up columns of a file among them. */
export function wordsOf(select: string): ReadonlySet<string> {
  const names = tokensOf(select).filter(({ kind }) => kind === 'word' || kind === 'quoted');
  return new Set(names.map(({ text }) => text.toLowerCase()));
}

export function quotedName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

function clauseAfterItems(tokens: readonly Token[]): number | undefined {
  let depth = 0;
  for (const token of tokens) {
    if (token.key === '(' || token.key === '[') depth++;
    if (token.key === ')' || token.key === ']') depth--;
    if (depth === 0 && clauses.has(token.key)) return token.start;
  }
  return undefined;
}

function tokensOf(text: string): readonly Token[] {
  return [...tokensFrom(text)].filter(({ kind }) => kind !== 'end');
}
