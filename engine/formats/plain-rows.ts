// The quick way over rows whose fields are all plain (kernels/row-parser.ts): many at once, before the
// row reader reads the first one that is not. Where odd rows come often, less is tried at a time; where
// every row is odd, hardly anything. What it gives is what the row reader would give.

import {
  keyBytesMax,
  parsedBytesMax,
  parsedFieldsMax,
  parsedRowsMax,
  parsePlainRows,
  type RowShape,
} from '../../kernels/row-parser.ts';
import type { InputBuilder, PlainTaker } from './input-builder.ts';
import type { InputCursor } from './input-cursor.ts';
import type { Target } from './row-reader.ts';

interface PlainForm {
  /** Undefined: rows are objects, whose keys come in the order of the fields. */
  readonly delimiter: number | undefined;
  readonly fields: readonly (Target | undefined)[];
  /** Columns that no field gives. */
  readonly absent: readonly InputBuilder[];
}

/** Fewer bytes are not worth a call. */
const bytesMin = 256;
const reachMin = 4096;
const pauseMax = 256;

export class PlainRows {
  readonly #shape: RowShape;
  readonly #takers: readonly PlainTaker[];
  readonly #absent: readonly InputBuilder[];
  /** Bytes that are tried at once. */
  #reach = parsedBytesMax;
  /** Rows that are left to the row reader: so many, and so many still. */
  #pause = 0;
  #left = 0;

  private constructor(shape: RowShape, takers: readonly PlainTaker[], form: PlainForm) {
    this.#shape = shape;
    this.#takers = takers;
    this.#absent = form.absent;
  }

  /** Undefined where a field can't be plain. */
  static of(form: PlainForm): PlainRows | undefined {
    const { fields, delimiter } = form;
    if (fields.length === 0 || fields.length > parsedFieldsMax) return undefined;
    const takers: PlainTaker[] = [];
    const shapes: RowShape['fields'][number][] = [];
    for (const target of fields) {
      const builder = target?.builder;
      const taker = builder?.kind === 'scalar' ? builder.plain : undefined;
      const key = delimiter === undefined ? keyOf(target?.name ?? '') : new Uint8Array(0);
      if (taker === undefined || key === undefined) return undefined;
      takers.push(taker);
      shapes.push({ ...taker.shape, key });
    }
    return new PlainRows({ delimiter, fields: shapes }, takers, form);
  }

  /** Rows read into the builders, `rowsMax` at most; the cursor is behind them. Often none. */
  read(cursor: InputCursor, rowsMax: number): number {
    if (this.#left > 0) {
      this.#left--;
      return 0;
    }
    const { bytes, pos: start } = cursor;
    const end = Math.min(cursor.end, start + this.#reach);
    if (end - start < bytesMin) return 0;
    const parsed = parsePlainRows({ bytes, start, end, rowsMax }, this.#shape);
    const { rows } = parsed;
    if (rows > 0) this.#takers.forEach((taker, field) => taker.take(parsed, field));
    for (const builder of this.#absent) for (let i = 0; i < rows; i++) builder.default();
    cursor.pos = start + parsed.bytes;
    const isWhole = rows >= Math.min(rowsMax, parsedRowsMax) || end - cursor.pos < bytesMin;
    this.#settle(rows, parsed.bytes, isWhole);
    return rows;
  }

  #settle(rows: number, bytes: number, isWhole: boolean): void {
    this.#reach = isWhole
      ? parsedBytesMax
      : Math.min(parsedBytesMax, Math.max(reachMin, 4 * bytes));
    this.#pause = rows > 0 || isWhole ? 0 : Math.min(pauseMax, 2 * this.#pause + 1);
    this.#left = this.#pause;
  }
}

/** As it stands in an object; undefined: not always in the same way. */
function keyOf(name: string): Uint8Array | undefined {
  if (name.length + 2 > keyBytesMax || /["\\]/.test(name)) return undefined;
  return Buffer.from(`"${name}"`, 'latin1');
}
