// Vertical and Markdown, as ClickHouse writes them: a block of lines per row, a table for documents.

import { encodeUtf8 } from '../../base/utf8.ts';
import { escapeText } from '../values/text-escapes.ts';
import { cellPrinter, textPrinter } from './cell-text.ts';
import { columnAt } from './line-outputs.ts';
import type { OutputInput } from './output-input.ts';
import { type PrettySettings, readPrettySettings } from './pretty-settings.ts';
import { alignsRight, isNumeric, numberTip, prettyCell } from './pretty-value.ts';
import { bold, grey, highlighted } from './terminal-color.ts';
import { textWidth } from './text-width.ts';

export function* verticalText(input: OutputInput): Generator<string> {
  const pretty = readPrettySettings(input.options.settings);
  yield* verticalRows(input, { ...pretty, namedTuplesAsJson: false });
}

export function* verticalRows(input: OutputInput, pretty: PrettySettings): Generator<string> {
  const { color, tipThreshold } = pretty;
  const width = Math.max(0, ...input.columns.map(({ name }) => textWidth(name))) + 1;
  const columns = input.columns.map(({ name, type }, i) => {
    const label = encodeUtf8(`${name}:`);
    const padding = ' '.repeat(Math.max(0, width - textWidth(name)));
    const cell = prettyCell(type, columnAt(input, i), { settings: input.settings, pretty });
    const tip = numberTip(type, columnAt(input, i), tipThreshold);
    return { label: (color ? bold(label) : label) + padding, cell, tip, numeric: isNumeric(type) };
  });
  const rows = Math.min(input.block.rows, pretty.rowsMax);
  for (let row = 0; row < rows; row++) {
    const title = `Row ${row + 1}:`;
    // ClickHouse draws as if it were the next row's.
    const line = '─'.repeat(`Row ${row + 2}:`.length);
    yield encodeUtf8(`${row === 0 ? '' : '\n'}${title}\n${line}\n`);
    for (const { label, cell, tip, numeric } of columns) {
      const value = color ? highlighted(cell(row), numeric, pretty) : cell(row);
      const beside = tip(row);
      yield `${label}${value}${color && beside !== '' ? grey(beside) : beside}\n`;
    }
  }
}

export function* markdownText(input: OutputInput): Generator<string> {
  const names = input.columns.map(({ name }) => escapeText(encodeUtf8(name)));
  yield `| ${names.join(' | ')} |\n`;
  yield `|${input.columns.map(({ type }) => (alignsRight(type) ? '-:|' : ':-|')).join('')}\n`;
  const cells = input.columns.map(({ type }, i) =>
    cellPrinter(columnAt(input, i), textPrinter(type, input.settings, 'escaped'), '\\N'),
  );
  for (let row = 0; row < input.block.rows; row++) {
    yield `| ${cells.map((cell) => cell(row)).join(' | ')} |\n`;
  }
}
