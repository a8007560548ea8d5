// Which worker an invocation would rather go to: a key made of what it reads, never of who asks, so that
// other questions about the same data find it in that worker's caches. Adapters that know their
// workers use it; nothing depends on it.

import type { Batch, Slice } from '../batch.ts';
import { shareOf, stripesOf } from '../share.ts';

/** Slices of one invocation; of a batch about rows alone, `batch.slices` must be there. */
export function affinityOf(batch: Batch, slices: readonly Slice[]): string {
  const { namespace, dictionaries, sources } = batch;
  const [first] = slices;
  if (first === undefined) return `${namespace}`;
  const dictionary = dictionaries[0]?.dictionary;
  if (dictionary !== undefined) {
    return `${namespace}/${dictionary}/${first.group}/${first.codes.start}`;
  }
  const stripes = sources[0]?.stripes ?? [];
  const share = batch.slices === undefined ? stripes : sharedStripes(batch, first);
  const place = share[0]?.parts[0];
  return place === undefined ? `${namespace}` : `${namespace}/${place.object}/${place.offset}`;
}

function sharedStripes(batch: Batch, slice: Slice) {
  const shared = stripesOf(batch.sources[0]?.stripes ?? [], shareOf(batch, slice));
  return shared.map(({ stripe }) => stripe);
}
