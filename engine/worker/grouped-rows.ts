// Groups of a place's rows whose sets stay in the worker: plain columns are answered, sets are kept for
// the questions that follow.

import { assert } from '../../base/assert.ts';
import { setBytes } from '../../storage-format/bitmap.ts';
import type { Column } from '../../storage-format/column.ts';
import { setsOf, type SetVector } from '../../storage-format/set-vector.ts';
import type { SetGraph } from '../root/set-graph.ts';
import { columnBytes } from '../rows/column-bytes.ts';
import { fullColumn, type Relation } from '../rows/relation.ts';

export interface GroupedRows {
  readonly rows: number;
  /** Plain ones; undefined where sets are, and what nobody reads. */
  readonly columns: readonly (Column | undefined)[];
  readonly sets: ReadonlyMap<number, SetVector>;
  readonly bytes: number;
}

export const noGroups: GroupedRows = { rows: 0, columns: [], sets: new Map(), bytes: 0 };

/** Of the columns that are needed; sets are ones that were made here. */
export function groupedRows(
  { rows, columns }: Relation,
  needed: readonly boolean[],
  graph: SetGraph,
): GroupedRows {
  const sets = new Map<number, SetVector>();
  let bytes = 0;
  const answered = columns.map((column, i): Column | undefined => {
    if (needed[i] !== true) return undefined;
    if (column.kind === 'set') {
      const node = graph.node(column.node);
      assert(node.op === 'here', 'sets that were made here');
      sets.set(i, node.sets);
      for (const set of setsOf(node.sets)) bytes += setBytes(set);
      return undefined;
    }
    const full = fullColumn(column, rows);
    bytes += columnBytes(full);
    return full;
  });
  return { rows, columns: answered, sets, bytes };
}
