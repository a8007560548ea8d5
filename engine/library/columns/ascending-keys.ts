// Keys that come in ascending order, as those of a sorting key do: a key is known if it is the last one,
// so that no table is needed, and distinct rows are kept as the columns that they came in. As long as
// that holds; whoever uses it has a table for what comes then (key-table.ts).

import { consecutive } from '../../../base/consecutive.ts';
import type { Column } from '../../../storage-format/column.ts';
import { concatColumns, sliceRows } from '../../../storage-format/column-rows.ts';
import { take } from './take.ts';

type NumberColumn = Extract<Column, { readonly kind: 'number' | 'wide' }>;

export class AscendingKeys {
  readonly #pieces: NumberColumn[] = [];
  #size = 0;
  #low = 0;
  #high = -1;

  get size(): number {
    return this.#size;
  }

  /** The distinct keys so far, in order of their numbers. */
  get pieces(): readonly NumberColumn[] {
    return this.#pieces;
  }

  /**
   * Numbers of the rows' keys, whose patterns `halves` holds (halves.ts); any order of patterns will do,
   * this is theirs as unsigned numbers. Undefined where a row breaks it: then nothing was added. What is
   * returned may be shared (base/consecutive.ts).
   */
  add(column: NumberColumn, halves: Int32Array, rows: number): Int32Array | undefined {
    if (column.nulls?.includes(1) === true) return undefined;
    if (rows > 0 && this.#isEachNew(halves, rows)) return this.#addEach(column, halves, rows);
    const numbers = new Int32Array(rows);
    let size = this.#size;
    let low = this.#low;
    let high = this.#high;
    for (let row = 0; row < rows; row++) {
      const nextLow = (halves[2 * row] as number) >>> 0;
      const nextHigh = (halves[2 * row + 1] as number) >>> 0;
      if (nextHigh !== high || nextLow !== low) {
        if (nextHigh < high || (nextHigh === high && nextLow < low)) return undefined;
        low = nextLow;
        high = nextHigh;
        size++;
      }
      numbers[row] = size - 1;
    }
    this.#keep(column, numbers, size);
    this.#low = low;
    this.#high = high;
    return numbers;
  }

  /** Whether each row is above the one before it, as those of a unique sorting key are. */
  #isEachNew(halves: Int32Array, rows: number): boolean {
    let low = this.#low;
    let high = this.#high;
    for (let row = 0; row < rows; row++) {
      const nextLow = halves[2 * row]! >>> 0;
      const nextHigh = halves[2 * row + 1]! >>> 0;
      if (nextHigh < high || (nextHigh === high && nextLow <= low)) return false;
      low = nextLow;
      high = nextHigh;
    }
    return true;
  }

  #addEach(column: NumberColumn, halves: Int32Array, rows: number): Int32Array {
    const first = this.#size;
    this.#pieces.push(sliceRows(withoutNulls(column), 0, rows) as NumberColumn);
    this.#size = first + rows;
    this.#low = halves[2 * rows - 2]! >>> 0;
    this.#high = halves[2 * rows - 1]! >>> 0;
    return consecutive(first, first + rows);
  }

  /** There must be one at least. */
  keys(): Column {
    return concatColumns(this.#pieces);
  }

  #keep(column: NumberColumn, numbers: Int32Array, size: number): void {
    const known = this.#size;
    const fresh = size - known;
    this.#size = size;
    if (fresh === 0) return;
    const bare = withoutNulls(column);
    if (fresh === numbers.length) {
      this.#pieces.push(sliceRows(bare, 0, fresh) as NumberColumn);
      return;
    }
    const index = new Int32Array(fresh);
    for (let row = numbers.length - 1; row >= 0; row--) {
      const at = (numbers[row] as number) - known;
      if (at >= 0) index[at] = row;
    }
    this.#pieces.push(take(bare, index) as NumberColumn);
  }
}

function withoutNulls(column: NumberColumn): NumberColumn {
  return column.kind === 'number'
    ? { kind: 'number', values: column.values }
    : { kind: 'wide', values: column.values };
}
