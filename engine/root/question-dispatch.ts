// Sends the questions of one stage, about sets and about detail rows: literals are answered here, and so
// are counts of stored sets where nothing else is asked; all others go to the workers in one batch per
// namespace, side by side. That is one dispatch, or none where no worker is needed.

import type { Answer } from '../batch/batch.ts';
import { dispatch, fanOutLimits } from '../batch/dispatch.ts';
import { isTinyBatch, planBatch } from '../batch/fan-out/batch-plan.ts';
import { slicesOfPlan } from '../batch/fan-out/fan-out-plan.ts';
import type { QueryContext } from '../query-context.ts';
import { localAnswer, type Question } from './set-answers.ts';
import type { RowsRequest } from './rows-request.ts';
import { buildRowsBatch } from './set-batch.ts';
import type { SetGraph } from './set-graph.ts';
import { StoredCounts } from './stored-counts.ts';

export interface RowsQuestion extends RowsRequest {
  readonly namespace: number;
}

type AnyQuestion = Question | RowsQuestion;

export async function answerQuestions(
  questions: readonly AnyQuestion[],
  graph: SetGraph,
  context: QueryContext,
): Promise<ReadonlyMap<AnyQuestion, Answer>> {
  const answers = new Map<AnyQuestion, Answer>();
  const asked: AnyQuestion[] = [];
  for (const question of questions) {
    const local = isAboutRows(question) ? undefined : localAnswer(question, graph);
    if (local === undefined) asked.push(question);
    else answers.set(question, local);
  }
  const counted = await countedAnswers(asked, graph, context);
  if (counted !== undefined) {
    asked.forEach((question, i) => answers.set(question, counted[i]!));
    return answers;
  }
  const byNamespace = new Map<number, AnyQuestion[]>();
  for (const question of asked) {
    const namespace = namespaceOf(question, graph);
    const list = byNamespace.get(namespace) ?? [];
    byNamespace.set(namespace, list);
    list.push(question);
  }
  if (byNamespace.size > 0) context.progress.dispatches++;
  await Promise.all(
    [...byNamespace].map(async ([namespace, list]) => {
      const inOrder = [...list.filter(isAboutSets), ...list.filter(isAboutRows)];
      const replies = await dispatchQuestions(inOrder, graph, { context, namespace });
      inOrder.forEach((question, i) => answers.set(question, replies[i]!));
    }),
  );
  return answers;
}

/** All of them, by what indexes tell; undefined where one needs a worker: it reads the same indexes. */
async function countedAnswers(
  questions: readonly AnyQuestion[],
  graph: SetGraph,
  context: QueryContext,
): Promise<readonly Answer[] | undefined> {
  const counts = new StoredCounts(graph, context);
  const asks: Question['ask'][] = [];
  for (const question of questions) {
    if (isAboutRows(question)) return undefined;
    const { ask } = question;
    if ((ask.ask !== 'card' && ask.ask !== 'any') || !counts.wants(ask.of)) return undefined;
    asks.push(ask);
  }
  if (!counts.fits) return undefined;
  await counts.read();
  return asks.map(({ ask, of }): Answer => {
    const found = counts.of(of);
    if (ask === 'card') return { ask, counts: found };
    return { ask: 'any', flags: Uint8Array.from(found, (count) => (count > 0 ? 1 : 0)) };
  });
}

function isAboutRows(question: AnyQuestion): question is RowsQuestion {
  return 'fragment' in question;
}

function isAboutSets(question: AnyQuestion): question is Question {
  return !isAboutRows(question);
}

/** Sets of literals alone belong nowhere: namespace 0, which holds no data. */
function namespaceOf(question: AnyQuestion, graph: SetGraph): number {
  if (isAboutRows(question)) return question.namespace;
  const { dictionary } = graph.node(question.ask.of);
  return dictionary === undefined ? 0 : graph.dictionary(dictionary).namespace;
}

async function dispatchQuestions(
  questions: readonly AnyQuestion[],
  graph: SetGraph,
  options: { readonly context: QueryContext; readonly namespace: number },
): Promise<readonly Answer[]> {
  const { context, namespace } = options;
  const { invoker, layout, signal, deadline, store, clock } = context;
  const asks = questions.filter(isAboutSets).map((question) => question.ask);
  const header = { namespace, queryId: context.request.queryId, deadline };
  const requests = questions.filter(isAboutRows);
  const bare = buildRowsBatch(graph, { asks, requests }, header);
  const limits = fanOutLimits(invoker, layout.rangesPerGroup, clock);
  const isHere = context.here !== undefined && isTinyBatch(bare, limits.others ?? 0);
  // Who works here has the root's caches.
  const carried = isHere ? undefined : context.opened.carried(bare.sources);
  const batch = carried === undefined ? bare : { ...bare, carried };
  const plan = planBatch(batch, isHere ? { ...limits, invocationsMax: 1 } : limits);
  const began = clock.monotonic();
  const sending = { signal, store, clock };
  const worker = isHere ? context.here : invoker;
  const { answers, usages, ...sent } = await dispatch(batch, plan, worker, sending);
  const elapsedMs = clock.monotonic() - began;
  context.cost.add(usages, { ...sent, slices: slicesOfPlan(plan).length, elapsedMs });
  return answers;
}
