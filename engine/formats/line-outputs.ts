// Formats of one row after another: TabSeparated, CSV, TSKV, JSON lines, Values, RowBinary.

import { defined } from '../../base/assert.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import type { Column } from '../../storage-format/column.ts';
import { formatType } from '../../storage-format/data-type.ts';
import { escapeText } from '../values/text-escapes.ts';
import { binaryPrinter, binaryString } from './binary-output.ts';
import {
  type CellPrinter,
  cellPrinter,
  csvNames,
  csvPrinters,
  csvTypes,
  textPrinter,
} from './cell-text.ts';
import { jsonPrinter, jsonString } from './json-output-value.ts';
import type { OutputInput } from './output-input.ts';
import { varuintBytes } from './varuint.ts';

export function* tabLines(input: OutputInput, raw: boolean): Generator<string> {
  const { settings, header } = input;
  const escape = raw ? (text: string) => text : escapeText;
  if (header !== 'none') yield `${names(input).map(escape).join('\t')}\n`;
  if (header === 'names-and-types') yield `${types(input).map(escape).join('\t')}\n`;
  const style = raw ? 'plain' : 'escaped';
  const cells = input.columns.map((column, i) =>
    cellPrinter(columnAt(input, i), textPrinter(column.type, settings, style), settings.tsvNull),
  );
  yield* lines(input.block.rows, cells, '\t');
}

export function* csvLines(input: OutputInput): Generator<string> {
  const { settings, header, columns } = input;
  const quoted = (text: string) => `"${encodeUtf8(text).replaceAll('"', '""')}"`;
  const line = (texts: readonly string[]) => `${texts.map(quoted).join(settings.csvDelimiter)}\n`;
  if (header !== 'none') yield line(columns.flatMap((c) => csvNames(c.name, c.type)));
  if (header === 'names-and-types') {
    yield line(columns.flatMap((c) => csvTypes(c.type)).map(formatType));
  }
  const cells = columns.flatMap((column, i) =>
    csvPrinters(column.type, columnAt(input, i), settings),
  );
  yield* lines(input.block.rows, cells, settings.csvDelimiter);
}

export function* tskvLines(input: OutputInput): Generator<string> {
  const { settings } = input;
  const keys = names(input).map((name) => escapeText(name).replaceAll('=', '\\='));
  const cells = input.columns.map((column, i): CellPrinter => {
    const print = textPrinter(column.type, settings, 'escaped');
    const cell = cellPrinter(columnAt(input, i), print, settings.tsvNull);
    return (row) => `${keys[i]}=${cell(row)}`;
  });
  yield* lines(input.block.rows, cells, '\t');
}

export function* jsonLines(input: OutputInput): Generator<string> {
  const { settings } = input;
  const keys = jsonNames(input);
  const cells = jsonCells(input).map(
    (cell, i): CellPrinter =>
      (row) =>
        `${keys[i]}:${cell(row)}`,
  );
  const { rows } = input.block;
  if (settings.arrayOfRows) yield '[\n';
  const separator = settings.arrayOfRows ? ',\n' : '\n';
  for (let row = 0; row < rows; row++) {
    const end = settings.arrayOfRows && row === rows - 1 ? '\n' : separator;
    yield `{${cells.map((cell) => cell(row)).join(',')}}${end}`;
  }
  if (settings.arrayOfRows) yield rows === 0 ? '\n]\n' : ']\n';
}

export function* jsonCompactLines(input: OutputInput): Generator<string> {
  const { header, settings } = input;
  if (header !== 'none') yield `[${jsonNames(input).join(', ')}]\n`;
  if (header === 'names-and-types') {
    yield `[${types(input)
      .map((type) => jsonString(type, settings.escapeSlashes))
      .join(', ')}]\n`;
  }
  const cells = jsonCells(input);
  for (let row = 0; row < input.block.rows; row++) {
    yield `[${cells.map((cell) => cell(row)).join(', ')}]\n`;
  }
}

export function* valuesText(input: OutputInput): Generator<string> {
  const cells = input.columns.map((column, i) =>
    cellPrinter(columnAt(input, i), textPrinter(column.type, input.settings, 'quoted'), 'NULL'),
  );
  for (let row = 0; row < input.block.rows; row++) {
    yield `${row === 0 ? '' : ','}(${cells.map((cell) => cell(row)).join(',')})`;
  }
}

export function* rowBinary(input: OutputInput): Generator<string> {
  const { header, columns } = input;
  if (header !== 'none') {
    yield varuintBytes(columns.length) + names(input).map(binaryString).join('');
  }
  if (header === 'names-and-types') yield types(input).map(binaryString).join('');
  const prints = columns.map((column) => binaryPrinter(column.type));
  for (let row = 0; row < input.block.rows; row++) {
    yield prints.map((print, i) => print(columnAt(input, i), row)).join('');
  }
}

/** Cells of the formats of one line a row. */
export function jsonCells(input: OutputInput, indent?: number): readonly CellPrinter[] {
  return input.columns.map((column, i) => {
    const print = jsonPrinter(column.type, input.settings, indent);
    const values = columnAt(input, i);
    return (row) => print(values, row);
  });
}

export function jsonNames(input: OutputInput): readonly string[] {
  return names(input).map((name) => jsonString(name, input.settings.escapeSlashes));
}

function names(input: OutputInput): readonly string[] {
  return input.columns.map((column) => encodeUtf8(column.name));
}

export function types(input: OutputInput): readonly string[] {
  return input.columns.map((column) => encodeUtf8(formatType(column.type)));
}

export function columnAt(input: OutputInput, i: number): Column {
  return defined(input.block.columns[i], 'column of the answer');
}

function* lines(rows: number, cells: readonly CellPrinter[], delimiter: string): Generator<string> {
  for (let row = 0; row < rows; row++) {
    let line = '';
    for (let i = 0; i < cells.length; i++) {
      line += (i === 0 ? '' : delimiter) + (cells[i] as CellPrinter)(row);
    }
    yield `${line}\n`;
  }
}
