// The worker's work: a batch and some slices in, answers of each slice out. It needs the store and
// nothing else of the root. What goes around it on the way is invocation-service.ts.

import { defined } from '../../base/assert.ts';
import { emptySet, setToCodes, unionSets } from '../../storage-format/bitmap.ts';
import { lowerBound } from '../../storage-format/code-arrays.ts';
import type { CodeSets } from '../../storage-format/set-column.ts';
import type { SetVector } from '../../storage-format/set-vector.ts';
import type {
  Answer,
  Ask,
  Batch,
  Fragment,
  Invocation,
  Slice,
  SliceReply,
} from '../batch/batch.ts';
import { isWholeGroup } from '../batch/slices.ts';
import { DataObjects } from '../dictionary/data-objects.ts';
import { DictionaryReader } from '../dictionary/dictionary-reader.ts';
import { concatKeys } from '../dictionary/key-selection.ts';
import { DecodedSets } from './decoded-sets.ts';
import { fragmentRows } from './fragment-rows.ts';
import { checkIds, digestsOf, idsByCode, type KeyPick, orderedIds } from './id-answers.ts';
import { LiteralSets } from './literal-sets.ts';
import { Pacer } from './pacer.ts';
import type { GroupedRows } from './grouped-rows.ts';
import { placedGroups, placedRows } from './placed-rows.ts';
import { GroupedSets } from './grouped-sets.ts';
import { PartObjects } from './part-objects.ts';
import { type LeafSets, SetEvaluator } from './set-evaluator.ts';
import { demandOf, type SetGraph, setGraph } from './set-graph.ts';
import { StoredSets } from './stored-sets.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

/** Slices run side by side; aborting ends them soon. */
export async function evaluate(
  invocation: Pick<Invocation, 'batch' | 'slices'>,
  worker: WorkerEnvironment,
  signal?: AbortSignal,
): Promise<readonly SliceReply[]> {
  const scope = openScope(invocation.batch, worker, signal);
  scope.pacer.check();
  const replies = await Promise.all(invocation.slices.map((slice) => evaluateSlice(scope, slice)));
  scope.pacer.check();
  return replies;
}

/** What the slices of one invocation share. */
interface Scope {
  readonly batch: Invocation['batch'];
  readonly graph: SetGraph;
  readonly parts: PartObjects;
  readonly stored: StoredSets;
  readonly literals: LiteralSets;
  readonly dictionaries: DictionaryReader;
  readonly pacer: Pacer;
  /** Of another batch, by this worker. */
  answer(batch: Batch, slice: Slice): Promise<readonly Answer[]>;
  /** A node of this batch or of another one, in a slice. */
  sets(batch: Batch, node: number, slice: Slice): Promise<SetVector>;
  readonly grouped: GroupedSets;
  groups(fragment: Fragment, group: number): Promise<GroupedRows>;
}

function openScope(batch: Batch, worker: WorkerEnvironment, signal?: AbortSignal): Scope {
  const data = new DataObjects(worker.store, batch.namespace, signal);
  const parts = new PartObjects(data, worker.caches, { carried: batch.carried });
  const dictionaries = new DictionaryReader(data, worker.caches.dictionaries);
  const scope: Scope = {
    batch,
    graph: setGraph(batch),
    parts,
    stored: new StoredSets(batch, parts),
    literals: new LiteralSets(batch, dictionaries),
    dictionaries,
    pacer: new Pacer(worker.clock, batch.deadline, signal),
    answer: async (inner, slice) => {
      const [reply] = await evaluate({ batch: inner, slices: [slice] }, worker, signal);
      return defined(reply, 'a reply').answers;
    },
    grouped: new GroupedSets(
      batch,
      worker.caches.groups,
      async (fragment, group) => await placedGroups(scope, fragment, group),
    ),
    groups: async (fragment, group) => await scope.grouped.groups(fragment, group),
    sets: async (of, node, slice) =>
      await nodeSets(of === batch ? scope : openScope(of, worker, signal), node, slice),
  };
  return scope;
}

async function nodeSets(scope: Scope, node: number, slice: Slice): Promise<SetVector> {
  const { graph, pacer } = scope;
  const wanted = [{ ask: 'ids', of: node, idsMax: 0 }] as const;
  const demand = demandOf(graph, wanted, isWholeGroup(slice));
  const leaves = leavesOf(scope, slice);
  return await new SetEvaluator({ graph, asks: wanted, demand, leaves, pacer }).vector(node);
}

function leavesOf(scope: Scope, slice: Slice): LeafSets {
  const whole = isWholeGroup(slice);
  return {
    stored: (column, wanted) => scope.stored.sets(column, wanted, slice),
    raw: (column, rows) => scope.literals.sets(column, rows, slice),
    grouped: (column) => scope.grouped.sets(column, slice),
    storedCounts: (column) => (whole ? scope.stored.counts(column, slice.group) : undefined),
    nextCode: (dictionary) => scope.batch.dictionaries[dictionary]?.nextCodes[slice.group] ?? 0,
    decode: (dictionary, sets) => decodeSets(scope, { dictionary, group: slice.group }, sets),
  };
}

async function evaluateSlice(scope: Scope, slice: Slice): Promise<SliceReply> {
  const whole = isWholeGroup(slice);
  const leaves = leavesOf(scope, slice);
  const demand = demandOf(scope.graph, scope.batch.asks, whole);
  const { graph, pacer } = scope;
  const { asks } = scope.batch;
  const evaluator = new SetEvaluator({ graph, asks, demand, leaves, pacer });
  const answers = await Promise.all(
    scope.batch.asks.map((ask) => answer(scope, { slice, evaluator, leaves }, ask)),
  );
  return { slices: [slice], answers };
}

interface SliceScope {
  readonly slice: Slice;
  readonly evaluator: SetEvaluator;
  readonly leaves: LeafSets;
}

async function answer(scope: Scope, here: SliceScope, ask: Ask): Promise<Answer> {
  switch (ask.ask) {
    case 'card':
      return { ask: 'card', counts: await here.evaluator.counts(ask.of) };
    case 'any':
      return { ask: 'any', flags: await here.evaluator.flags(ask.of) };
    case 'rows': {
      const fragment = defined(scope.batch.fragments[ask.fragment], 'a fragment');
      const { placed } = fragment;
      if (placed !== undefined) {
        return await placedRows(scope, { ...fragment, placed }, here.slice);
      }
      return await fragmentRows(scope, fragment, here.slice);
    }
    case 'digest': {
      const sets = await here.evaluator.sets(ask.of);
      return { ask: 'digest', words: digestsOf(sets, await decodeNode(scope, here, ask.of)) };
    }
    case 'ids':
      checkIds(await here.evaluator.sets(ask.of), ask.idsMax);
      if (ask.order === 'codes') return await codeAnswer(scope, here, ask.of);
      return await keyAnswer(scope, here, { ask, pick: { descending: false } });
    case 'least':
      return await keyAnswer(scope, here, {
        ask,
        pick: { descending: false, keep: ask.n, from: ask.from },
      });
    case 'greatest':
      return await keyAnswer(scope, here, { ask, pick: { descending: true, keep: ask.n } });
  }
}

async function keyAnswer(
  scope: Scope,
  here: SliceScope,
  asked: {
    readonly ask: { readonly ask: 'ids' | 'least' | 'greatest'; readonly of: number };
    readonly pick: KeyPick;
  },
): Promise<Answer> {
  const sets = await here.evaluator.sets(asked.ask.of);
  const decoded = await decodeNode(scope, here, asked.ask.of);
  const rows = await orderedIds(sets, decoded, { ...asked.pick, pacer: scope.pacer });
  return { ask: asked.ask.ask, ...rows };
}

/** Ids in order of codes. */
async function codeAnswer(scope: Scope, { slice, evaluator }: SliceScope, of: number) {
  const sets = await evaluator.sets(of);
  const dictionary = scope.graph.dictionaries[of] ?? 0;
  const place = { dictionary, group: slice.group, once: true };
  const rows = idsByCode(sets, await decodeSets(scope, place, sets));
  return { ask: 'ids', ...rows } as const;
}

async function decodeNode(scope: Scope, here: SliceScope, node: number): Promise<DecodedSets> {
  const dictionary = scope.graph.dictionaries[node] ?? 0;
  return await here.leaves.decode(dictionary, await here.evaluator.sets(node));
}

/** The distinct codes of all the sets, decoded: known ones by the dictionary, others by literals. */
async function decodeSets(
  scope: Scope,
  place: { readonly dictionary: number; readonly group: number; readonly once?: boolean },
  sets: CodeSets,
): Promise<DecodedSets> {
  const { dictionary, group, once = false } = place;
  const ref = defined(scope.batch.dictionaries[dictionary], `dictionary ${dictionary}`);
  const codes = setToCodes(sets.length === 0 ? emptySet : unionSets([...new Set(sets)]));
  const next = ref.nextCodes[group] ?? 0;
  const split = lowerBound(codes, next);
  const known = await scope.dictionaries.decode(group, codes.subarray(0, split), ref, { once });
  if (split === codes.length) return new DecodedSets(codes, known);
  const unknown = scope.literals.decode(dictionary, group, codes.subarray(split));
  return new DecodedSets(codes, concatKeys(known.domain, [known, unknown]));
}
