// Detail rows of a fragment: read, filtered, numbered. Tables without bitmap columns have one group,
// and all their rows belong to its first slice; every other slice answers with none.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import type { Answer, Batch, Fragment, Slice } from '../batch/batch.ts';
import { concatColumns } from '../library/columns/concat.ts';
import { take } from '../library/columns/take.ts';
import type { PartObjects } from './part-objects.ts';
import type { RowFilter } from './worker-environment.ts';

type RowsAnswer = Extract<Answer, { readonly ask: 'rows' }>;

export interface FragmentWork {
  readonly batch: Batch;
  readonly parts: PartObjects;
  readonly filterRows?: RowFilter | undefined;
}

/** Rows in order of their numbers in the source. TOO_MANY_ROWS beyond the fragment's `rowsMax`. */
export async function fragmentRows(
  work: FragmentWork,
  fragment: Fragment,
  slice: Slice,
): Promise<RowsAnswer> {
  if (slice.group !== 0 || slice.codes.start !== 0) return noRows;
  const { stripes } = defined(work.batch.sources[fragment.source], 'a source');
  const columnIds = fragment.columns.map((column) => column.id);
  const read = await Promise.all(
    stripes.map(async (stripe) => await work.parts.scalars(stripe, columnIds)),
  );
  const numbers: number[] = [];
  const pieces: Column[][] = columnIds.map(() => []);
  let rowBase = 0;
  stripes.forEach((stripe, s) => {
    const columns = defined(read[s], 'columns of a stripe');
    const kept = keptRows(work, fragment, { columns, rows: stripe.rows });
    for (const row of kept ?? Array(stripe.rows).keys()) numbers.push(rowBase + row);
    checkRows(numbers.length, fragment.rowsMax);
    columns.forEach((column, c) =>
      pieces[c]?.push(kept === undefined ? column : take(column, Int32Array.from(kept))),
    );
    rowBase += stripe.rows;
  });
  if (numbers.length === 0) return noRows;
  const columns = pieces.map((column) => concatColumns(column));
  return {
    ask: 'rows',
    rows: numbers.length,
    rowNumbers: Float64Array.from(numbers),
    columns,
  };
}

const noRows: RowsAnswer = { ask: 'rows', rows: 0, rowNumbers: new Float64Array(0), columns: [] };

/** Undefined: all. */
function keptRows(
  work: FragmentWork,
  fragment: Fragment,
  block: { readonly columns: readonly Column[]; readonly rows: number },
): Uint32Array | undefined {
  if (fragment.filter === undefined) return undefined;
  if (work.filterRows === undefined) {
    throw new MusterError('NOT_IMPLEMENTED', 'This worker evaluates no filters of detail rows');
  }
  return work.filterRows(fragment.filter, block.columns);
}

function checkRows(rows: number, rowsMax: number): void {
  if (rows <= rowsMax) return;
  throw new MusterError(
    'TOO_MANY_ROWS',
    `Limit for rows to read exceeded: at least ${rows} rows, maximum ${rowsMax} ` +
      '(setting max_rows_to_read)',
  );
}
