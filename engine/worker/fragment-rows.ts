// Detail rows of a fragment: the stripes of one slice, read, filtered, numbered. What the filter leaves
// out never travels, nor does a column that only the filter reads.

import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import type { Answer, Batch, Fragment, RowFilter, Slice } from '../batch/batch.ts';
import { type SharedStripe, shareOf, stripesOf } from '../batch/share.ts';
import { maskIndex, take } from '../library/columns/take.ts';
import { evaluateCondition, type RowScope } from '../rows/evaluate.ts';
import { plain } from '../rows/relation.ts';
import type { Pacer } from './pacer.ts';
import type { PartObjects } from './part-objects.ts';

type RowsAnswer = Extract<Answer, { readonly ask: 'rows' }>;

interface FragmentWork {
  readonly batch: Batch;
  readonly parts: PartObjects;
  readonly pacer: Pacer;
}

/** Rows in order of their numbers in the source. TOO_MANY_ROWS beyond the fragment's `rowsMax`. */
export async function fragmentRows(
  work: FragmentWork,
  fragment: Fragment,
  slice: Slice,
): Promise<RowsAnswer> {
  const source = work.batch.sources[fragment.source];
  assert(source !== undefined, 'a source of rows');
  const stripes = stripesOf(source.stripes, shareOf(work.batch, slice));
  const read = async ({ stripe }: SharedStripe) =>
    await work.parts.columns(stripe, fragment.columns);
  // Under a limit the next stripe may not be needed: it is read when it is.
  const ahead = fragment.limit === undefined ? await Promise.all(stripes.map(read)) : [];
  const rows = new GatheredRows(fragment);
  for (const [i, shared] of stripes.entries()) {
    if (rows.isComplete) break;
    if (work.pacer.due()) await work.pacer.breathe();
    rows.add(shared, ahead[i] ?? (await read(shared)));
  }
  return rows.finish();
}

class GatheredRows {
  readonly #fragment: Fragment;
  readonly #scope: RowScope | undefined;
  readonly #pieces: Column[][];
  readonly #numbers: Float64Array[] = [];
  #rows = 0;

  constructor(fragment: Fragment) {
    this.#fragment = fragment;
    this.#scope = fragment.filter === undefined ? undefined : scopeOf(fragment.filter);
    this.#pieces = Array.from({ length: fragment.answered }, () => []);
  }

  get isComplete(): boolean {
    const { limit } = this.#fragment;
    return limit !== undefined && this.#rows >= limit;
  }

  add({ stripe, rowBase }: SharedStripe, columns: readonly Column[]): void {
    const kept = this.#keptRows(columns, stripe.rows);
    const count = kept?.length ?? stripe.rows;
    if (count === 0) return;
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) numbers[i] = rowBase + (kept === undefined ? i : kept[i]!);
    this.#numbers.push(numbers);
    this.#rows += count;
    checkRows(this.#rows, this.#fragment.rowsMax);
    for (const [i, piece] of this.#pieces.entries()) {
      const column = columns[i]!;
      piece.push(kept === undefined ? column : take(column, kept));
    }
  }

  finish(): RowsAnswer {
    if (this.#rows === 0) {
      return { ask: 'rows', rows: 0, rowNumbers: new Float64Array(0), columns: [] };
    }
    const rowNumbers = new Float64Array(this.#rows);
    let end = 0;
    for (const numbers of this.#numbers) {
      rowNumbers.set(numbers, end);
      end += numbers.length;
    }
    const columns = this.#pieces.map((pieces) => concatColumns(pieces));
    return { ask: 'rows', rows: this.#rows, rowNumbers, columns };
  }

  /** Undefined: all. */
  #keptRows(columns: readonly Column[], rows: number): Int32Array | undefined {
    const { filter } = this.#fragment;
    if (filter === undefined || this.#scope === undefined) return undefined;
    const relation = { rows, columns: columns.map(plain) };
    const { mask, constant } = evaluateCondition(filter.condition, relation, this.#scope);
    if (constant) return mask[0] === 1 ? undefined : new Int32Array(0);
    const kept = maskIndex(mask);
    return kept.length === rows ? undefined : kept;
  }
}

function scopeOf({ functions }: RowFilter): RowScope {
  const refuse = (): never => {
    throw new MusterError('LOGICAL_ERROR', 'a filter of rows reads nothing but its columns');
  };
  return { functions, members: new Map(), result: refuse, set: refuse };
}

function checkRows(rows: number, rowsMax: number): void {
  if (rows <= rowsMax) return;
  throw new MusterError(
    'TOO_MANY_ROWS',
    `Limit for rows to read exceeded: at least ${rows} rows, maximum ${rowsMax} ` +
      '(setting max_rows_to_read)',
  );
}
