// A column, taken run by run out of the pages of a row group. Of lists the items go to a flat column
// and rows are offsets into it: no array is made for a row, no object for an id.

import { grownArray } from '../../../base/grown-array.ts';
import type { Column } from '../../../storage-format/column.ts';
import { isNullable } from '../../../storage-format/data-type.ts';
import type { ColumnPage } from './parquet-file.ts';
import type { ParquetColumn } from './parquet-schema.ts';
import { type Sink, sinkOf } from './parquet-values.ts';

export class ColumnCursor {
  readonly #pages: Iterator<ColumnPage>;
  readonly #column: ParquetColumn;
  readonly #itemIsNullable: boolean;
  #page: ColumnPage | undefined;
  /** Of the page: level entries and values that are done with. */
  #entry = 0;
  #value = 0;

  constructor(pages: Iterable<ColumnPage>, column: ParquetColumn) {
    this.#pages = pages[Symbol.iterator]();
    this.#column = column;
    const { type } = column;
    this.#itemIsNullable = type.kind === 'Array' && isNullable(type.item);
  }

  /** The next `rows` rows; throws where the pages end before. */
  take(rows: number): Column {
    return this.#column.listDepth === undefined ? this.#takeFlat(rows) : this.#takeLists(rows);
  }

  #takeFlat(rows: number): Column {
    const { name, type } = this.#column;
    const sink = sinkOf(this.#column, rows);
    while (sink.count < rows) {
      const page = this.#current();
      if (page === undefined) throw new Error(`column '${name}' has ${sink.count} of ${rows} rows`);
      const { entries, definition, definitionMax } = page;
      const end = Math.min(entries, this.#entry + rows - sink.count);
      let value = this.#value;
      for (let entry = this.#entry; entry < end; entry++) {
        if (definition === undefined || definition[entry] === definitionMax) {
          value++;
        } else {
          this.#move(page, value, sink);
          sink.addAll(oneNull, 0, 1);
        }
      }
      this.#move(page, value, sink);
      this.#entry = end;
      if (end === entries) this.#page = undefined;
    }
    return sink.finish(isNullable(type));
  }

  #takeLists(rows: number): Column {
    const sink = sinkOf(this.#column, 4 * rows);
    const offsets = new Uint32Array(rows + 1);
    let begun = 0;
    for (;;) {
      const page = this.#current();
      if (page === undefined) break;
      const done = this.#takeFrom(page, { begun, rows, offsets, sink });
      begun = done.begun;
      if (done.stopped) break;
      this.#page = undefined;
    }
    if (begun < rows) {
      throw new Error(`column '${this.#column.name}' has ${begun} lists for ${rows} rows`);
    }
    return { kind: 'array', offsets, items: sink.finish(this.#itemIsNullable) };
  }

  #current(): ColumnPage | undefined {
    if (this.#page !== undefined) return this.#page;
    const next = this.#pages.next();
    if (next.done === true) return undefined;
    this.#page = next.value;
    this.#entry = 0;
    this.#value = 0;
    return this.#page;
  }

  #takeFrom(page: ColumnPage, run: Run): { readonly begun: number; readonly stopped: boolean } {
    const { repetition, definition, definitionMax } = page;
    const { rows, offsets, sink } = run;
    const itemLevel = this.#itemIsNullable ? definitionMax - 1 : definitionMax;
    let { begun } = run;
    let value = this.#value;
    let entry = this.#entry;
    let items = sink.count;
    for (; entry < repetition.length; entry++) {
      if (repetition[entry] === 0) {
        if (begun === rows) break;
        begun++;
      }
      const level = definition === undefined ? definitionMax : (definition[entry] as number);
      if (level === definitionMax) {
        value++;
        items++;
      } else if (level >= itemLevel) {
        this.#move(page, value, sink);
        sink.addAll(oneNull, 0, 1);
        items++;
      }
      offsets[begun] = items;
    }
    this.#move(page, value, sink);
    this.#entry = entry;
    return { begun, stopped: entry < repetition.length };
  }

  /** Values up to `end` go to the sink. */
  #move(page: ColumnPage, end: number, sink: Sink): void {
    moveValues(page, { start: this.#value, end }, sink);
    this.#value = end;
  }
}

/** Values [start, end) of a page go to the sink. */
export function moveValues(
  { values, dictionary }: ColumnPage,
  { start, end }: { readonly start: number; readonly end: number },
  sink: Sink,
): void {
  if (start === end) return;
  if (end > values.length) throw new Error(`${values.length} values for ${end} items`);
  if (dictionary === undefined) sink.addAll(values, start, end);
  else sink.addNumbered(dictionary, numbersOf(values, start, end));
}

interface Run {
  readonly begun: number;
  readonly rows: number;
  readonly offsets: Uint32Array;
  readonly sink: Sink;
}

export const oneNull = [null];
let scratch = new Uint32Array(1024);

function numbersOf(values: ArrayLike<unknown>, start: number, end: number): Uint32Array {
  scratch = grownArray(scratch, end - start);
  for (let at = start; at < end; at++) scratch[at - start] = values[at] as number;
  return scratch.subarray(0, end - start);
}
