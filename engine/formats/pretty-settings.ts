// The settings of the formats for people (output_format_pretty_*), with ClickHouse's names and values
// where they are absent. There is never a terminal here: `auto` is no.

import { MusterError } from '../../base/errors.ts';

export interface PrettySettings {
  /** Shown in a table; of more, the first and the last of them. */
  readonly rowsMax: number;
  /** Widths, in columns of a terminal. 0: values are never cut. */
  readonly valueWidthMax: number;
  readonly padWidthMax: number;
  readonly cutsSingleValue: boolean;
  readonly rowNumbers: boolean;
  readonly color: boolean;
  readonly charset: 'utf-8' | 'ascii';
  /** Lines of a value stay in its cell. */
  readonly multiline: boolean;
  readonly vertical: {
    readonly on: boolean;
    readonly rowsMax: number;
    readonly widthMin: number;
    readonly columnsMin: number;
  };
  /** Names below tables of so many rows or more. */
  readonly footerRowsMin: number;
  /** Numbers beyond it get a readable one beside them; 0: none do. */
  readonly tipThreshold: number;
  readonly namedTuplesAsJson: boolean;
  readonly highlightDigits: boolean;
  readonly highlightSpaces: boolean;
}

export function readPrettySettings(settings: ReadonlyMap<string, string>): PrettySettings {
  const text = (name: string): string | undefined => settings.get(`output_format_pretty_${name}`);
  const flag = (name: string, absent: boolean): boolean => {
    const value = text(name);
    return value === undefined ? absent : value === '1' || value === 'true';
  };
  const count = (name: string, absent: number): number => readCount(name, text(name), absent);
  const fallback = 'fallback_to_vertical';
  return {
    rowsMax: count('max_rows', 1000),
    valueWidthMax: count('max_value_width', 10_000),
    padWidthMax: count('max_column_pad_width', 250),
    cutsSingleValue: flag('max_value_width_apply_for_single_value', false),
    rowNumbers: flag('row_numbers', true),
    color: flag('color', false),
    charset: text('grid_charset') === 'ASCII' ? 'ascii' : 'utf-8',
    multiline: flag('multiline_fields', true),
    vertical: {
      on: flag(fallback, true),
      rowsMax: count(`${fallback}_max_rows_per_chunk`, 10),
      widthMin: count(`${fallback}_min_table_width`, 250),
      columnsMin: count(`${fallback}_min_columns`, 5),
    },
    footerRowsMin: flag('display_footer_column_names', true)
      ? count('display_footer_column_names_min_rows', 50)
      : Number.POSITIVE_INFINITY,
    tipThreshold: count('single_large_number_tip_threshold', 1_000_000),
    namedTuplesAsJson: flag('named_tuples_as_json', true),
    highlightDigits: flag('highlight_digit_groups', true),
    highlightSpaces: flag('highlight_trailing_spaces', true),
  };
}

function readCount(name: string, text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  if (/^\d+$/.test(text)) return Number(text);
  throw new MusterError(
    'CANNOT_PARSE_NUMBER',
    `Setting output_format_pretty_${name} takes a whole number, not '${text.slice(0, 100)}'`,
  );
}
