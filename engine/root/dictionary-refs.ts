// Dictionaries as a snapshot pins them, in the form that batches carry. Kept per snapshot.

import { defined } from '../../base/assert.ts';
import type { ColumnSchema, DictionaryId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { DictionaryRef } from '../batch/batch.ts';
import { dictionaryRef } from '../dictionary/dictionary-ref.ts';
import type { SetGraph } from './set-graph.ts';

const refs = new WeakMap<object, Map<DictionaryId, Promise<DictionaryRef>>>();

/** The place in the graph of the dictionary of a bitmap column. */
export async function dictionaryOf(
  column: ColumnSchema,
  snapshot: Snapshot,
  graph: SetGraph,
): Promise<number> {
  const id = defined(column.dictionary, `dictionary of column ${column.name}`);
  const schema = defined(snapshot.dictionaries.get(id), `dictionary ${id}`);
  const ref = await pinnedRef(snapshot, id);
  const { namespace } = snapshot;
  return graph.addDictionary({ key: `${namespace}/${id}`, name: schema.name, namespace, ref });
}

export function pinnedRef(snapshot: Snapshot, id: DictionaryId): Promise<DictionaryRef> {
  let known = refs.get(snapshot.identity);
  if (known === undefined) refs.set(snapshot.identity, (known = new Map()));
  let ref = known.get(id);
  if (ref === undefined) known.set(id, (ref = dictionaryRef(snapshot, id)));
  return ref;
}
