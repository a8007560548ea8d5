// Rows, at the root and in workers: plain columns, and at the root columns of symbolic sets (nodes of
// the query's SetGraph). A constant column holds one row that stands for all. Columns that nobody
// reads are absent.

import { assert } from '../../base/assert.ts';
import { consecutive } from '../../base/consecutive.ts';
import type { Column } from '../../storage-format/column.ts';
import type { RowRange } from '../../storage-format/column-encoder.ts';
import { concatColumns, sliceRows } from '../../storage-format/column-rows.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { repeat, take } from '../library/columns/take.ts';
import { takeOrDefault } from '../library/columns/take-or-default.ts';
import type { SetGraph, SetNodeId } from '../root/set-graph.ts';

export type RelationColumn =
  | { readonly kind: 'plain'; readonly column: Column; readonly constant: boolean }
  | { readonly kind: 'set'; readonly node: SetNodeId; readonly constant: boolean }
  | { readonly kind: 'absent' };

export interface Relation {
  readonly rows: number;
  readonly columns: readonly RelationColumn[];
}

export const absent: RelationColumn = { kind: 'absent' };

export function plain(column: Column): RelationColumn {
  return { kind: 'plain', column, constant: false };
}

/** All rows of a plain column. */
export function fullColumn(column: RelationColumn, rows: number): Column {
  assert(column.kind === 'plain', `a plain column, not ${column.kind}`);
  return column.constant ? repeat(column.column, rows) : column.column;
}

/** All rows of a set column. */
export function fullSet(column: RelationColumn, rows: number, graph: SetGraph): SetNodeId {
  assert(column.kind === 'set', `a set column, not ${column.kind}`);
  return column.constant ? graph.take(column.node, new Int32Array(rows)) : column.node;
}

/** Row i is row index[i]; -1 gives the default value, NULL where asked for, or the empty set. */
export function takeRows(
  relation: Relation,
  index: Int32Array,
  options: {
    readonly graph: SetGraph;
    readonly missingIsNull?: boolean;
    /** The columns' types, where the index may hold -1. */
    readonly missTypes?: readonly DataType[] | undefined;
  },
): Relation {
  const { graph, missingIsNull = false, missTypes } = options;
  const columns = relation.columns.map((column, i): RelationColumn => {
    if (column.kind === 'absent') return column;
    if (column.constant && missTypes === undefined) return column;
    if (column.kind === 'set') {
      const node = column.constant
        ? broadcast(column.node, index, graph)
        : graph.take(column.node, index);
      return { kind: 'set', node, constant: false };
    }
    const full = column.constant
      ? repeat(column.column, Math.max(1, relation.rows))
      : column.column;
    const type = missTypes?.[i];
    return plain(
      type === undefined || missingIsNull
        ? take(full, index, missingIsNull)
        : takeOrDefault(full, index, type),
    );
  });
  return { rows: index.length, columns };
}

function broadcast(node: SetNodeId, index: Int32Array, graph: SetGraph): SetNodeId {
  return graph.take(
    node,
    index.map((row) => Math.min(row, 0)),
  );
}

/** Without the columns that nobody reads from here on: they are not moved. */
export function narrowed(relation: Relation, needed: readonly boolean[]): Relation {
  const columns = relation.columns.map((column, i) => (needed[i] === true ? column : absent));
  return { rows: relation.rows, columns };
}

/** The rows of the range, as far as there are any. */
export function sliceRelation(
  relation: Relation,
  { start, end }: RowRange,
  graph: SetGraph,
): Relation {
  if (start === 0 && end >= relation.rows) return relation;
  const last = Math.min(end, relation.rows);
  const first = Math.min(start, last);
  const columns = relation.columns.map((column): RelationColumn => {
    if (column.kind === 'absent' || column.constant) return column;
    if (column.kind === 'plain') return plain(sliceRows(column.column, first, last));
    const node = graph.take(column.node, consecutive(first, last));
    return { kind: 'set', node, constant: false };
  });
  return { rows: last - first, columns };
}

/** Relations of the same columns, one after another; at least one. */
export function concatRelations(relations: readonly Relation[], graph: SetGraph): Relation {
  const [first] = relations;
  assert(first !== undefined, 'a relation to concatenate');
  const filled = relations.filter((relation) => relation.rows > 0);
  if (filled.length === 0) return first;
  if (filled.length === 1) return filled[0]!;
  const rows = filled.reduce((sum, relation) => sum + relation.rows, 0);
  const columns = first.columns.map((_, i) => concatOne(filled, i, graph));
  return { rows, columns };
}

function concatOne(relations: readonly Relation[], i: number, graph: SetGraph): RelationColumn {
  const parts = relations.map((relation) => relation.columns[i]!);
  if (parts.some((part) => part.kind === 'absent')) return absent;
  if (parts[0]!.kind === 'set') {
    const nodes = parts.map((part, p) => fullSet(part, relations[p]!.rows, graph));
    return { kind: 'set', node: graph.concat(nodes), constant: false };
  }
  return plain(concatColumns(parts.map((part, p) => fullColumn(part, relations[p]!.rows))));
}
