// What every input format is to the driver (read-input.ts): something that reads one row at a time
// from the cursor into the builders.

import type { DataType } from '../../storage-format/data-type.ts';
import type { InputBuilder } from './input-builder.ts';
import type { InputCursor } from './input-cursor.ts';
import type { InputSettings } from './input-settings.ts';

/** A column of the insert with what gathers its values. */
export interface Target {
  /** A byte string. */
  readonly name: string;
  readonly type: DataType;
  readonly builder: InputBuilder;
  /** Position in the insert. */
  readonly position: number;
}

export interface RowReader {
  /** False: errors count bytes instead of lines. */
  readonly isText: boolean;
  /** Reads what is before the first row. */
  begin(cursor: InputCursor): void;
  /** Reads one row; false when there is none any more. */
  row(cursor: InputCursor): boolean;
  /** Reads up to `rowsMax` rows that are easy to read; never fails, and may always read none. */
  plainRows?(cursor: InputCursor, rowsMax: number): number;
  /**
   * Steps over the row at the cursor, which could not be read, by its outer form alone; false where that
   * does not tell where the next one begins. Absent: of this format nothing can be stepped over.
   */
  skipRow?(cursor: InputCursor): boolean;
}

/**
 * Methods of row readers may throw `needMore` at any byte and are then called again with the cursor
 * where it was: what they gathered before counts as not gathered.
 */
export interface RowReaderOptions {
  readonly targets: readonly Target[];
  readonly settings: InputSettings;
  readonly header: 'none' | 'names' | 'names-and-types';
}
