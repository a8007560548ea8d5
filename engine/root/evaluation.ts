// What expressions and operators may read beside their relation: a graph of sets and limits; at the
// root the running statement too.

import type { QueryContext } from '../query-context.ts';
import type { RowScope } from '../rows/evaluate.ts';
import type { SetGraph } from './set-graph.ts';

/** Settings of the statement that bound what its operators hold; 0 is no limit. */
export interface RowLimits {
  readonly maxMemoryUsage: number;
  readonly maxRowsToGroupBy: number;
  readonly maxIdsInResult: number;
}

/** At the root, and in a worker over rows that lie whole in one group. */
export interface SetEvaluation extends RowScope {
  readonly graph: SetGraph;
  readonly limits: RowLimits;
  /** Sets that are made of plain rows are stored, most likely: their ids may stay as they come. */
  readonly takenByInsert?: boolean;
  /** Of rows that hold codes: the dictionary in the graph, and the next code of their group. */
  readonly codes?: { readonly dictionary: number; readonly end: number };
}

export interface Evaluation extends SetEvaluation {
  readonly context: QueryContext;
}
