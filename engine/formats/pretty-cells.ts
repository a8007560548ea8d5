// What a table for people shows, ready to be laid out: names and values as lines with their widths, and
// how wide each column must be. Only the rows that are shown are printed and measured.

import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts';
import { columnAt } from './line-outputs.ts';
import type { OutputInput } from './output-input.ts';
import type { PrettySettings } from './pretty-settings.ts';
import { alignsRight, isNumeric, numberTip, prettyCell } from './pretty-value.ts';
import { textWidth } from './text-width.ts';

export interface PrettyColumn {
  /** A byte string. */
  readonly name: string;
  readonly nameWidth: number;
  readonly right: boolean;
  readonly numeric: boolean;
  /** Values are padded to it. */
  readonly width: number;
  /** Of the shown rows: byte strings, one per line of the value; what ends a line is in it. */
  readonly cells: readonly (readonly string[])[];
}

export interface PrettyCells {
  readonly columns: readonly PrettyColumn[];
  /** Positions of the rows that are shown. */
  readonly shown: readonly number[];
  readonly hasNewlines: boolean;
  /** `1. ` and so on, as wide as the largest needs. */
  readonly rowNumberWidth: number;
  /** Beside each row: of its last value. */
  readonly tips: readonly string[];
}

/** `indent`: the column of the line in which the first value stands, for tabs, without row numbers. */
export function prettyCells(
  input: OutputInput,
  pretty: PrettySettings,
  indent: number,
): PrettyCells {
  const { rows } = input.block;
  const shown = shownRows(rows, pretty.rowsMax);
  const rowNumberWidth = String(rows).length + 2;
  let hasNewlines = false;
  // ClickHouse reckons with the numbers, also where they are not printed.
  let at = rowNumberWidth + indent;
  const columns = input.columns.map(({ name, type }, i): PrettyColumn => {
    const options = { settings: input.settings, pretty };
    const print = prettyCell(type, columnAt(input, i), options);
    const cells = shown.map((row) => linesOf(print(row), pretty.multiline));
    hasNewlines ||= cells.some((lines) => lines.some((line) => line.endsWith('\n')));
    const widthMax = Math.min(pretty.padWidthMax, pretty.valueWidthMax);
    const nameWidth = Math.min(pretty.padWidthMax, textWidth(name));
    let width = nameWidth;
    for (const lines of cells) {
      for (const line of lines) width = Math.max(width, Math.min(widthMax, widthOf(line, at)));
    }
    at += width + 3;
    const [right, numeric] = [alignsRight(type), isNumeric(type)];
    return { name: encodeUtf8(name), nameWidth, right, numeric, width, cells };
  });
  return { columns, shown, hasNewlines, rowNumberWidth, tips: tipsOf(input, shown, pretty) };
}

/** The end of a line, which is of no width, is in it. */
function linesOf(text: string, multiline: boolean): readonly string[] {
  if (!multiline || !text.includes('\n')) return [text];
  return text.split(/(?<=\n)/);
}

export function widthOf(bytes: string, at: number): number {
  return textWidth(decodeUtf8(bytes), at);
}

function shownRows(rows: number, rowsMax: number): readonly number[] {
  const all = (start: number, end: number) =>
    Array.from({ length: end - start }, (_, i) => start + i);
  if (rows <= rowsMax) return all(0, rows);
  const first = Math.ceil(rowsMax / 2);
  return [...all(0, first), ...all(rows - (rowsMax - first), rows)];
}

function tipsOf(
  input: OutputInput,
  shown: readonly number[],
  { tipThreshold }: PrettySettings,
): readonly string[] {
  const last = input.columns.length - 1;
  const type = input.columns[last]?.type;
  if (type === undefined) return shown.map(() => '');
  const tip = numberTip(type, columnAt(input, last), tipThreshold);
  return shown.map((row) => tip(row));
}
