// What expressions and operators at the root may read beside their relation: the running statement
// and its graph of sets.

import type { QueryContext } from '../query-context.ts';
import type { RowScope } from '../rows/evaluate.ts';
import type { SetGraph } from './set-graph.ts';

export interface Evaluation extends RowScope {
  readonly context: QueryContext;
  readonly graph: SetGraph;
}
