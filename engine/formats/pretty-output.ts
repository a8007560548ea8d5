// Formats for people: Vertical and PrettyCompact, after ClickHouse's layout. A set prints its size
// there, for its bytes are not to be read.

import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts';
import { decodeStringState } from '../../storage-format/byte-set-state.ts';
import { decodeWholeState } from '../../storage-format/clickhouse-state.ts';
import type { DataType, IntegerName } from '../../storage-format/data-type.ts';
import type { ValuePrinter } from '../values/value-printer.ts';
import { cellPrinter, textPrinter } from './cell-text.ts';
import { columnAt } from './line-outputs.ts';
import type { OutputInput } from './output-input.ts';

const nullText = 'ᴺᵁᴸᴸ';

export function* verticalText(input: OutputInput): Generator<string> {
  const width = Math.max(0, ...input.columns.map((column) => column.name.length)) + 2;
  const cells = textCells(input);
  for (let row = 0; row < input.block.rows; row++) {
    const title = `Row ${row + 1}:`;
    const lines = input.columns.map((column, i) => {
      return `${`${column.name}:`.padEnd(width)}${cells[i]?.(row) ?? ''}`;
    });
    yield encodeUtf8(`${row === 0 ? '' : '\n'}${title}\n${'─'.repeat(title.length)}\n`);
    yield encodeUtf8(`${lines.join('\n')}\n`);
  }
}

export function* prettyText(input: OutputInput): Generator<string> {
  const { rows } = input.block;
  if (rows === 0) return;
  const cells = textCells(input);
  const table = cells.map((cell) => Array.from({ length: rows }, (_, row) => cell(row)));
  const right = input.columns.map((column) => /Int|Float/.test(column.type.kind));
  const widths = input.columns.map((column, i) =>
    Math.max(column.name.length, ...(table[i] ?? []).map((text) => text.length)),
  );
  const margin = ' '.repeat(String(rows).length + 2);
  const heads = input.columns.map((column, i) => {
    const line = '─'.repeat((widths[i] ?? 0) - column.name.length);
    return right[i] ? `─${line}${column.name}─` : `─${column.name}${line}─`;
  });
  yield encodeUtf8(`${margin}┌${heads.join('┬')}┐\n`);
  for (let row = 0; row < rows; row++) {
    const texts = widths.map((width, i) => {
      const text = table[i]?.[row] ?? '';
      return right[i] ? text.padStart(width) : text.padEnd(width);
    });
    const number = `${row + 1}. `.padStart(margin.length);
    yield encodeUtf8(`${number}│ ${texts.join(' │ ')} │\n`);
  }
  yield encodeUtf8(`${margin}└${widths.map((width) => '─'.repeat(width + 2)).join('┴')}┘\n`);
}

/** Cells as text (not bytes), so that their length is what is seen. */
function textCells(input: OutputInput): readonly ((row: number) => string)[] {
  return input.columns.map((column, i) => {
    const { type } = column;
    const print =
      type.kind === 'Bitmap' ? sizeOf(type.id) : textPrinter(type, input.settings, 'plain');
    const cell = cellPrinter(columnAt(input, i), print, encodeUtf8(nullText));
    return (row) => decodeUtf8(cell(row));
  });
}

function sizeOf(id: DataType): ValuePrinter {
  return (column, row) => {
    const state = Buffer.from(column.kind === 'string' ? (column.values[row] ?? '') : '', 'latin1');
    const size =
      id.kind === 'String'
        ? decodeStringState(state, 0).values.length
        : decodeWholeState(state, id.kind as IntegerName).length;
    return `set of ${size}`;
  };
}
