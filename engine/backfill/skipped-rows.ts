// Rows of a file that its reader left out, so that those behind them are still called by their own
// numbers.

export class SkippedRows {
  /** Numbers in the file, from 1, ascending. */
  readonly #rows: number[] = [];

  add(row: number): void {
    this.#rows.push(row);
  }

  /** The number in the file of a row that was kept, itself counted from 0 among those. */
  rowOf(kept: number): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const keptBefore = (this.#rows[middle] as number) - 1 - middle;
      if (keptBefore <= kept) low = middle + 1;
      else high = middle;
    }
    return kept + 1 + low;
  }
}
