// Sets that stayed where rows lie, at the root: the groups of rows that they are of are known by now, and
// their keys tell each worker which of its sets are meant.

import { assert } from '../../base/assert.ts';
import type { AggregateExpression } from '../plan/bound-expression.ts';
import type { Relation } from '../rows/relation.ts';
import type { GroupBy } from './aggregate.ts';
import type { PlacedScan } from './placed-scan.ts';
import type { SetGraph } from './set-graph.ts';

interface Grouped {
  readonly groups: GroupBy;
  /** What makes the sets, where some stayed. */
  readonly made: PlacedScan | undefined;
  readonly graph: SetGraph;
}

/** The finished groups, with their sets. */
export async function withGroupedSets(
  operator: {
    readonly aggregates: readonly AggregateExpression[];
    readonly needed: readonly boolean[];
  },
  { groups, made: scan, graph }: Grouped,
): Promise<Relation> {
  const relation = groups.finish();
  if (scan === undefined) return relation;
  const { keys } = groups;
  const dictionary = await scan.idDictionary();
  const columns = [...relation.columns];
  operator.aggregates.forEach(({ call }, i) => {
    const at = keys.length + i;
    if (call.what !== 'grouped' || operator.needed[at] !== true) return;
    const [of] = call.arguments;
    assert(of.kind === 'column', 'a column of what is made');
    const { made } = scan;
    const node = graph.grouped({
      made,
      column: of.index,
      keys,
      dictionary,
      length: relation.rows,
    });
    columns[at] = { kind: 'set', node, constant: false };
  });
  return { ...relation, columns };
}
