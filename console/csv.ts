// A result as CSV with a line of names, quoted like ClickHouse's CSVWithNames: strings in double
// quotes, numbers bare, NULL as \N.

import { cellText } from './cell-text.ts';
import { type Cell, columnKind, isNumeric, type Result } from './result.ts';

export function csvOf(result: Result): string {
  const names = result.columns.map(({ name }) => quote(name)).join(',');
  const lines = result.rows.map((row) =>
    row.map((cell, i) => field(cell, result.columns[i]?.type ?? 'String')).join(','),
  );
  return `${[names, ...lines].join('\n')}\n`;
}

function field(cell: Cell, type: string): string {
  if (cell === null) return '\\N';
  const text = cellText(cell, type);
  return isNumeric(columnKind(type)) ? text : quote(text);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
