// Builders gather the values of one column of input, row by row, as the row readers find them: from
// bytes, without a string or a value in between, and for bitmap columns too. A row that turns out to
// be incomplete is taken back by `truncate`, and read again. Values that are at hand as such go into
// a ColumnBuilder (values/column-builder.ts).

import type { FieldShape, ParsedRows } from '../../kernels/row-parser.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';

interface Builder {
  /** Values so far. */
  readonly length: number;
  /** One value from its whole text, quotes and escapes undone. */
  text(bytes: Buffer, start: number, end: number): void;
  /** NULL: null in a Nullable column, else the type's default, as ClickHouse does. */
  null(): void;
  /** The value of a column that the input does not give. */
  default(): void;
  truncate(length: number): void;
  /** The column of all values; the builder is empty afterwards. */
  finish(): InsertColumn;
}

export interface ScalarBuilder extends Builder {
  readonly kind: 'scalar';
  /** Strings take any JSON value as its text, booleans are words there, numbers are bare. */
  readonly json: 'number' | 'string' | 'bool';
  /** One value of RowBinary at `at`; returns where the next begins, or -1: the window is short. */
  binary(bytes: Buffer, at: number, end: number): number;
  /**
   * One value from the run of digits at `start`, without knowing where its field ends; returns where the
   * run ends. -1, and nothing taken: it is no plain whole number of the type, or ends with the window.
   * Who can't use what follows the run takes the value back. Absent: the type has no such values.
   */
  digits?(bytes: Buffer, start: number, end: number): number;
  /** Takes values of many rows at once (plain-rows.ts). Absent: the type is never read so. */
  readonly plain?: PlainTaker;
}

export interface PlainTaker {
  readonly shape: Omit<FieldShape, 'key'>;
  /** Appends what all rows have in a field of that shape. */
  take(parsed: ParsedRows, field: number): void;
}

/** A column of lists: items go to `items`, then `close` ends the row. */
export interface ListBuilder extends Builder {
  readonly kind: 'list';
  readonly items: InputBuilder;
  close(): void;
}

/** A bitmap column. It also takes whole states of ClickHouse. */
export interface SetBuilder extends Builder {
  readonly kind: 'set';
  readonly items: ScalarBuilder;
  close(): void;
  /** A state at `at`; returns where it ends, or -1 if it may go on behind the window. */
  state(bytes: Buffer, at: number, end: number): number;
}

export type InputBuilder = ScalarBuilder | ListBuilder | SetBuilder;
