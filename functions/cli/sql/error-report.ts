// What is said about a statement that failed: the line that is wrong, a caret under the place that
// the error names, and the error.

import { StatementError } from '../connection/connection.ts';
import { ending } from '../exit-codes.ts';
import { coloured } from '../terminal.ts';

/** Columns of a line that are shown around the place. */
const shownColumnsMax = 100;
const margin = 20;

interface Place {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

/** With a line feed at the end. `source` says where the statement stands, when there are several. */
export function errorReport(
  error: unknown,
  statement: string,
  source?: { readonly name: string; readonly line: number },
): string {
  const stream = process.stderr;
  const { say = '' } = ending(error);
  const place = placeOf(error);
  const at = source === undefined ? '' : `${source.name}:${source.line + (place?.line ?? 1) - 1}: `;
  const shown = place === undefined ? undefined : excerpt(statement, place);
  const message = `${coloured('Error', 'red', stream)}: ${at}${withoutPlace(say, shown)}\n`;
  if (shown === undefined) return message;
  return `${shown.text}\n${coloured(`${' '.repeat(shown.caret)}^`, 'red', stream)}\n${message}`;
}

function placeOf(error: unknown): Place | undefined {
  if (!(error instanceof StatementError)) return undefined;
  const [, line, column] = /\(line (\d+), col (\d+)\)/.exec(error.message) ?? [];
  if (line === undefined || column === undefined) return undefined;
  return { line: Number(line), column: Number(column) };
}

/** The caret says it better. */
function withoutPlace(message: string, shown: unknown): string {
  if (shown === undefined) return message;
  return message.replace(/ ?\(line \d+, col \d+\)/, '');
}

function excerpt(
  statement: string,
  place: Place,
): { readonly text: string; readonly caret: number } | undefined {
  const line = statement.split('\n')[place.line - 1]?.replace(/\r$/, '');
  if (line === undefined || place.column > line.length + 1) return undefined;
  const at = place.column - 1;
  const isLong = line.length > shownColumnsMax;
  const start = isLong ? Math.max(0, Math.min(at - margin, line.length - shownColumnsMax)) : 0;
  const cut = (text: string): string => text.replaceAll('\t', ' ');
  const before = start === 0 ? '' : '…';
  const rest = line.slice(start, start + shownColumnsMax);
  const after = start + rest.length < line.length ? '…' : '';
  return {
    text: `${before}${cut(rest)}${after}`,
    caret: before.length + columnsOf(line.slice(start, at)),
  };
}

/** Wide characters stand in two columns. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(
        character,
      )
        ? 2
        : 1;
  }
  return columns;
}
