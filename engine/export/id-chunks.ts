// The ids of sets, piece by piece: slices of a few code ranges at a time are asked of the workers, so
// that what is held at once is a million ids or so of each, whatever the sets are. The next piece is
// evaluated while the last one is written.

import type { Answer, Ask, Slice } from '../batch/batch.ts';
import { dispatch } from '../batch/dispatch.ts';
import { nextCodesOf, slicesOfGroup } from '../batch/slices.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { checkRunning, type QueryContext } from '../query-context.ts';
import { localAnswer } from '../root/set-answers.ts';
import { buildBatch } from '../root/set-batch.ts';
import type { SetGraph, SetNodeId } from '../root/set-graph.ts';

/** Row r has the ids keys[offsets[r], offsets[r + 1]), ascending unless asked otherwise: those of some codes, not all. */
export interface IdChunk {
  readonly offsets: Uint32Array;
  readonly keys: KeyList;
}

/** Of the same codes, in the order that they were asked in. */
export interface IdSource {
  readonly graph: SetGraph;
  readonly node: SetNodeId;
  readonly context: QueryContext;
}

const codesPerSlice = 2 ** 20;

/**
 * Every id of every row is in one chunk. Several sources are cut alike, so that an id that two have is
 * in the same chunk of both; their dictionaries must be one and the same. By `order` ids of a row are in
 * order of codes: sorting them costs more than all else.
 */
export async function* idChunks(
  sources: readonly IdSource[],
  order?: 'codes',
): AsyncGenerator<readonly IdChunk[]> {
  const [first] = sources;
  if (first === undefined) return;
  const batches = sources.map((source) => batchOf(source, order));
  const rounds = roundsOf(
    batches.map(({ batch }) => batch),
    first.context,
  );
  const ask = (slices: readonly Slice[], isFirst: boolean) =>
    Promise.all(batches.map((one) => answer(one, slices, isFirst)));
  let next = ask(rounds[0] ?? [], true);
  for (let round = 0; round < rounds.length; round++) {
    const chunk = await next;
    const following = rounds[round + 1];
    if (following !== undefined) {
      next = ask(following, false);
      // Whoever stops reading doesn't wait for it.
      next.catch(() => {});
    }
    for (const { context } of sources) checkRunning(context);
    yield chunk;
  }
}

type Asking = ReturnType<typeof batchOf>;

function batchOf(source: IdSource, order: 'codes' | undefined) {
  const { graph, node, context } = source;
  const idsMax = Number.MAX_SAFE_INTEGER;
  const ask: Ask = { ask: 'ids', of: node, idsMax, ...(order === undefined ? {} : { order }) };
  const local = localAnswer({ ask, constant: false }, graph);
  const { dictionary } = graph.node(node);
  const namespace = dictionary === undefined ? 0 : graph.dictionary(dictionary).namespace;
  const header = { namespace, queryId: context.request.queryId, deadline: context.deadline };
  return { context, local, batch: buildBatch(graph, local === undefined ? [ask] : [], header) };
}

/** Slices of every group; as many side by side as there are workers. */
function roundsOf(
  batches: readonly Asking['batch'][],
  { invoker }: QueryContext,
): readonly (readonly Slice[])[] {
  const nextCodes = nextCodesOf({ dictionaries: batches.flatMap((batch) => batch.dictionaries) });
  const slices = nextCodes.flatMap((next, group) =>
    slicesOfGroup(group, next, Math.max(1, Math.ceil(next / codesPerSlice))),
  );
  const width = Math.max(1, invoker.parallelism);
  const rounds: (readonly Slice[])[] = [];
  for (let start = 0; start < slices.length; start += width) {
    rounds.push(slices.slice(start, start + width));
  }
  return rounds;
}

/** Literals belong to no code: they are all in the first chunk. */
async function answer(
  { batch, local, context }: Asking,
  slices: readonly Slice[],
  isFirst: boolean,
): Promise<IdChunk> {
  if (local !== undefined) return isFirst ? chunkOf(local) : emptied(chunkOf(local));
  const { invoker, signal, store, clock } = context;
  context.progress.dispatches++;
  const began = clock.monotonic();
  const { answers, usages, ...sent } = await dispatch(batch, slices, invoker, {
    signal,
    store,
    clock,
  });
  const elapsedMs = clock.monotonic() - began;
  context.cost.add(usages, { ...sent, slices: slices.length, elapsedMs });
  return chunkOf(answers[0]);
}

function chunkOf(found: Answer | undefined): IdChunk {
  if (found?.ask !== 'ids') throw new Error('ids are answered with ids');
  return found;
}

export function keysBetween(
  keys: KeyList,
  { start, end }: { readonly start: number; readonly end: number },
): KeyList {
  return keys.domain === 'integer'
    ? { domain: keys.domain, values: keys.values.subarray(start, end) }
    : { domain: keys.domain, values: keys.values.slice(start, end) };
}

function emptied({ offsets, keys }: IdChunk): IdChunk {
  const none: KeyList =
    keys.domain === 'integer'
      ? { domain: 'integer', values: new BigUint64Array(0) }
      : { domain: keys.domain, values: [] };
  return { offsets: new Uint32Array(offsets.length), keys: none };
}
