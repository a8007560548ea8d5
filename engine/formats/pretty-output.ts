// Tables for people: Pretty, PrettyCompact and PrettySpace, as ClickHouse lays them out. The answer is
// one table, as with its MonoBlock names; wide and short ones turn to Vertical.

import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts';
import type { OutputInput } from './output-input.ts';
import { type PrettyCells, type PrettyColumn, prettyCells, widthOf } from './pretty-cells.ts';
import { type PrettySettings, readPrettySettings } from './pretty-settings.ts';
import { bold, grey, highlighted, red } from './terminal-color.ts';
import { cutToWidth } from './text-width.ts';
import { verticalRows } from './vertical-output.ts';

export type PrettyStyle = 'full' | 'compact' | 'space';

export interface PrettyLook {
  readonly style: PrettyStyle;
  /** Whatever the setting says. */
  readonly escapes: boolean;
}

export function* prettyText(input: OutputInput, look: PrettyLook): Generator<string> {
  const { rows } = input.block;
  const { columns } = input;
  const asked = readPrettySettings(input.options.settings);
  const pretty = { ...asked, color: asked.color && look.escapes };
  if (rows > 0 && pretty.rowsMax > 0) {
    const cells = prettyCells(input, pretty, look.style === 'space' ? 1 : 2);
    if (isForVertical(cells, rows, pretty)) {
      yield* verticalRows(input, pretty);
      return;
    }
    const single = rows === 1 && columns.length === 1 && !pretty.cutsSingleValue;
    const cutWidth = single ? 0 : pretty.valueWidthMax;
    yield* new Table(cells, { pretty, style: look.style, cutWidth }).lines();
  }
  if (rows > 0 && rows >= pretty.rowsMax) {
    const shown = Math.min(rows, pretty.rowsMax);
    yield `${look.style === 'space' ? '\n' : ''}Showed ${shown} out of ${rows} rows.\n`;
  }
}

function isForVertical(cells: PrettyCells, rows: number, { vertical }: PrettySettings): boolean {
  const width = cells.columns.reduce((sum, column) => sum + column.width, 0);
  return (
    vertical.on &&
    rows <= vertical.rowsMax &&
    cells.columns.length >= vertical.columnsMin &&
    (width >= vertical.widthMin || cells.hasNewlines)
  );
}

/** Left end, filling, between columns, right end. */
type Rule = readonly [left: string, fill: string, between: string, right: string];

/** Written as they look, one after another. */
function rule(text: string): Rule {
  const [left = '', fill = '', between = '', right = ''] = text;
  return [left, fill, between, right];
}

interface Grid {
  readonly nameTop: Rule;
  readonly nameBottom: Rule;
  readonly between: Rule;
  readonly end: Rule;
  readonly footTop: Rule;
  readonly footBottom: Rule;
  readonly compactTop: Rule;
  readonly nameBar: string;
  readonly bar: string;
  readonly line: string;
  readonly cut: string;
  readonly goesOn: string;
  readonly continued: string;
}

const box: Grid = {
  nameTop: rule('┏━┳┓'),
  nameBottom: rule('┡━╇┩'),
  between: rule('├─┼┤'),
  end: rule('└─┴┘'),
  footTop: rule('┢━╈┪'),
  footBottom: rule('┗━┻┛'),
  compactTop: rule('┌─┬┐'),
  nameBar: '┃',
  bar: '│',
  line: '─',
  cut: '⋯',
  goesOn: '↴',
  continued: '↳',
};

const asciiRule = rule('+-++');
const ascii: Grid = {
  nameTop: asciiRule,
  nameBottom: asciiRule,
  between: asciiRule,
  end: asciiRule,
  footTop: asciiRule,
  footBottom: asciiRule,
  compactTop: asciiRule,
  nameBar: '|',
  bar: '|',
  line: '-',
  cut: '~',
  goesOn: '\\',
  continued: '>',
};

interface TableOptions {
  readonly pretty: PrettySettings;
  readonly style: PrettyStyle;
  /** 0: no value is cut. */
  readonly cutWidth: number;
}

class Table {
  readonly #cells: PrettyCells;
  readonly #options: TableOptions;
  readonly #grid: Grid;
  readonly #blank: string;

  constructor(cells: PrettyCells, options: TableOptions) {
    const { charset, rowNumbers } = options.pretty;
    this.#cells = cells;
    this.#options = options;
    this.#grid = charset === 'ascii' ? ascii : box;
    this.#blank = rowNumbers ? ' '.repeat(cells.rowNumberWidth) : '';
  }

  /** Byte strings. */
  *lines(): Generator<string> {
    const { style, pretty } = this.#options;
    const { shown } = this.#cells;
    const { between } = this.#grid;
    yield* this.#head();
    for (const [i, row] of shown.entries()) {
      const separator = i > 0 && style === 'full' ? this.#ruled(between) : '';
      const skips = i > 0 && row !== (shown[i - 1] ?? 0) + 1;
      if (skips) yield separator + this.#skipped();
      yield separator;
      yield* this.#row(i, row);
    }
    yield* this.#foot((shown.at(-1) ?? 0) + 1 >= pretty.footerRowsMin);
  }

  *#head(): Generator<string> {
    const { style } = this.#options;
    const { nameTop, nameBottom, compactTop } = this.#grid;
    if (style === 'full') yield this.#ruled(nameTop);
    yield this.#names(compactTop);
    if (style === 'full') yield this.#ruled(nameBottom);
    if (style === 'space') yield '\n';
  }

  *#foot(withNames: boolean): Generator<string> {
    const { style } = this.#options;
    const { end, footTop, footBottom } = this.#grid;
    if (!withNames) {
      if (style !== 'space') yield this.#ruled(end);
      return;
    }
    if (style === 'full') yield this.#ruled(footTop);
    if (style === 'space') yield '\n';
    yield this.#names(end);
    if (style === 'full') yield this.#ruled(footBottom);
    if (style === 'space') yield '\n';
  }

  #ruled([left, fill, between, right]: Rule): string {
    const runs = this.#cells.columns.map(({ width }) => fill.repeat(width + 2));
    return encodeUtf8(`${this.#blank}${left}${runs.join(between)}${right}\n`);
  }

  /** In a rule of its own in the compact style. */
  #names([left, fill, between, right]: Rule): string {
    const { style, pretty } = this.#options;
    const { nameBar } = this.#grid;
    const compact = style === 'compact';
    const names = this.#cells.columns.map((column) => {
      const name = pretty.color ? bold(column.name) : column.name;
      const padding = encodeUtf8((compact ? fill : ' ').repeat(column.width - column.nameWidth));
      return column.right ? padding + name : name + padding;
    });
    const borders: Readonly<Record<PrettyStyle, readonly string[]>> = {
      full: [`${nameBar} `, ` ${nameBar} `, ` ${nameBar}`],
      compact: [left + fill, fill + between + fill, fill + right],
      space: [' ', '   ', ''],
    };
    const [first = '', middle = '', last = ''] = borders[style].map((text) => encodeUtf8(text));
    return `${this.#blank}${first}${names.join(middle)}${last}\n`;
  }

  /** In place of the rows that are left out. */
  #skipped(): string {
    const { style } = this.#options;
    const width = this.#cells.columns.reduce((sum, column) => sum + column.width + 3, 0);
    const length = width + (style === 'space' ? -2 : 1);
    const pairs = `${this.#grid.line} `.repeat(Math.ceil(length / 2)).slice(0, length);
    return encodeUtf8(`${this.#blank}${pairs}\n`);
  }

  /** As many lines as the longest of its values has. */
  *#row(at: number, row: number): Generator<string> {
    const { columns, tips, rowNumberWidth } = this.#cells;
    const { style, pretty } = this.#options;
    const bar = style === 'space' ? '' : encodeUtf8(this.#grid.bar);
    const height = Math.max(...columns.map(({ cells }) => cells[at]?.length ?? 1));
    const tip = tips[at] ?? '';
    const beside = pretty.color && tip !== '' ? grey(tip) : tip;
    const number = `${row + 1}. `;
    const margin = ' '.repeat(rowNumberWidth - number.length);
    const first = margin + (pretty.color ? grey(number) : number);
    for (let line = 0; line < height; line++) {
      const begin = pretty.rowNumbers && line === 0 ? first : this.#blank;
      const values = columns.map((column) => this.#value(column, column.cells[at] ?? [], line));
      yield `${begin}${bar}${values.join(style === 'space' ? ' ' : bar)}${bar}${beside}\n`;
    }
  }

  /** One line of a cell with what stands before and behind it. */
  #value(column: PrettyColumn, lines: readonly string[], at: number): string {
    const { pretty, style, cutWidth } = this.#options;
    const { cut, goesOn, continued } = this.#grid;
    const color = (paint: (text: string) => string, text: string): string =>
      pretty.color ? paint(encodeUtf8(text)) : encodeUtf8(text);
    const ended = lines[at] ?? '';
    const goes = pretty.multiline && ended.endsWith('\n');
    const line = goes ? ended.slice(0, -1) : ended;
    const begin = this.#cells.rowNumberWidth + (style === 'space' ? 1 : 2);
    const width = widthOf(line, begin);
    const isCut = cutWidth > 0 && width > cutWidth;
    const kept = isCut ? encodeUtf8(cutToWidth(decodeUtf8(line), cutWidth, begin)) : line;
    const text = pretty.color && !isCut ? highlighted(kept, column.numeric, pretty) : kept;
    const padding = ' '.repeat(Math.max(0, column.width - (isCut ? cutWidth : width)));
    const body = text + (isCut ? color(red, cut) : '');
    const before = at > 0 && at < lines.length ? color(grey, continued) : ' ';
    const behind = goes ? color(grey, goesOn) : isCut ? '' : ' ';
    return before + (column.right ? padding + body : body + padding) + behind;
  }
}
