// The rows of a node that has none: each column that somebody reads is there, with its type.

import { domainOfIds, noKeys } from '../../storage-format/key-list.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { PlanNode } from '../plan/physical-plan.ts';
import { absent, plain, type Relation, type RelationColumn } from '../rows/relation.ts';
import { defaultColumn } from '../values/column-shape.ts';
import type { SetGraph } from './set-graph.ts';

export function emptyRelation({ types, needed }: PlanNode, graph: SetGraph): Relation {
  const columns = types.map((type, i) => (needed[i] === true ? emptyColumn(type, graph) : absent));
  return { rows: 0, columns };
}

function emptyColumn(type: DataType, graph: SetGraph): RelationColumn {
  if (type.kind !== 'Bitmap') return plain(defaultColumn(type, 0));
  const keys = noKeys(domainOfIds(type.id));
  const ids = { keys, offsets: new Uint32Array(1), ordinals: new Uint32Array(0) };
  return { kind: 'set', node: graph.raw(ids), constant: false };
}
