// Questions about rows, as parts of a batch: their sources, dictionaries and sets find their places among
// those of the batch.

import { defined } from '../../base/assert.ts';
import type { Ask, Batch, DictionaryRef, Fragment, StripeSource } from '../batch/batch.ts';
import type { SetNodeId } from './set-graph.ts';

/** Rows of a fragment, and the stripes that hold them. */
export interface RowsRequest {
  readonly source: StripeSource;
  readonly fragment: Omit<Fragment, 'source'>;
  /** Those that the fragment's placed work indexes. */
  readonly dictionaries?: readonly DictionaryRef[];
  /** Nodes of the graph, in the order of the placed work's sets. */
  readonly sets?: readonly SetNodeId[];
}

/** `place`: of a node of the graph in the batch. */
export function withPlaces(request: RowsRequest, place: (id: SetNodeId) => number): RowsRequest {
  const { fragment, sets } = request;
  const { placed } = fragment;
  if (sets === undefined || placed?.sets === undefined) return request;
  const found = placed.sets.map((one, i) => ({ ...one, set: place(defined(sets[i], 'a set')) }));
  return { ...request, fragment: { ...fragment, placed: { ...placed, sets: found } } };
}

/** The same batch, and after its asks one about the rows of each request. */
export function withRows(batch: Batch, requests: readonly RowsRequest[]): Batch {
  const first = batch.sources.length;
  const { length } = batch.fragments;
  const rows = requests.map((_, i): Ask => ({ ask: 'rows', fragment: length + i }));
  const dictionaries = [...batch.dictionaries];
  const fragments = requests.map(({ fragment, dictionaries: own = [] }, i) => {
    const base = dictionaries.length;
    dictionaries.push(...own);
    return { ...shifted(fragment, base), source: first + i };
  });
  return {
    ...batch,
    dictionaries,
    sources: [...batch.sources, ...requests.map(({ source }) => source)],
    fragments: [...batch.fragments, ...fragments],
    asks: [...batch.asks, ...rows],
  };
}

/** Dictionaries of the fragment's work begin at `base` of the batch's. */
export function shifted(
  fragment: Omit<Fragment, 'source'>,
  base: number,
): Omit<Fragment, 'source'> {
  const { placed } = fragment;
  if (placed === undefined) return fragment;
  const dictionaries = placed.dictionaries.map(([id, at]) => [id, base + at] as const);
  return { ...fragment, placed: { ...placed, dictionaries } };
}
