// The formats JSON and JSONCompact: one document of meta, data, rows and statistics.

import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts';
import type { CellPrinter } from './cell-text.ts';
import { jsonString } from './json-output-value.ts';
import { jsonCells, jsonNames, types } from './line-outputs.ts';
import type { OutputInput } from './output-input.ts';

/** Tabs before the cells of a row in the format JSON. */
const cellDepth = 3;

export function* jsonDocument(input: OutputInput, shape: 'objects' | 'arrays'): Generator<string> {
  yield `{\n\t"meta":\n\t[\n${meta(input)}\n\t],\n\n\t"data":\n\t[\n`;
  const names = jsonNames(input);
  const cells = jsonCells(input, shape === 'objects' ? cellDepth : undefined).map(valid);
  const { rows } = input.block;
  for (let row = 0; row < rows; row++) {
    const end = row === rows - 1 ? '' : ',\n';
    if (shape === 'arrays') {
      yield `\t\t[${cells.map((cell) => cell(row)).join(', ')}]${end}`;
    } else {
      const members = cells.map((cell, i) => `\t\t\t${names[i]}: ${cell(row)}`);
      yield `\t\t{\n${members.join(',\n')}\n\t\t}${end}`;
    }
  }
  yield `\n\t],\n\n\t"rows": ${rows}`;
  yield tail(input);
}

function meta(input: OutputInput): string {
  const names = jsonNames(input);
  const texts = types(input).map((type) => jsonString(type, input.settings.escapeSlashes));
  const members = texts.map(
    (type, i) => `\t\t{\n\t\t\t"name": ${names[i]},\n\t\t\t"type": ${type}\n\t\t}`,
  );
  return members.join(',\n');
}

function tail(input: OutputInput): string {
  const { rowsBeforeLimit, statistics } = input.options;
  let text = '';
  if (rowsBeforeLimit !== undefined) {
    text += `,\n\n\t"rows_before_limit_at_least": ${rowsBeforeLimit}`;
  }
  if (input.settings.writeStatistics) {
    text +=
      `,\n\n\t"statistics":\n\t{\n\t\t"elapsed": ${(statistics?.elapsedNs ?? 0) / 1e9},\n` +
      `\t\t"rows_read": ${statistics?.readRows ?? 0},\n` +
      `\t\t"bytes_read": ${statistics?.readBytes ?? 0}\n\t}`;
  }
  return `${text}\n}\n`;
}

/** Documents are valid UTF-8: each run of bytes that is none becomes one U+FFFD. */
function valid(cell: CellPrinter): CellPrinter {
  return (row) => {
    const text = cell(row);
    if (!/[\x80-\xff]/.test(text)) return text;
    const decoded = decodeUtf8(text);
    if (!decoded.includes('\ufffd')) return text;
    return encodeUtf8(decoded.replaceAll(/\ufffd+/g, '\ufffd'));
  };
}
