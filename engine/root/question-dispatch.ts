// Sends the questions of one stage: literals are answered here, all others go to the workers in one
// batch per namespace, side by side. That is one dispatch, or none where no worker is needed.

import type { Answer } from '../batch/batch.ts';
import { dispatch } from '../batch/dispatch.ts';
import { slicesOf } from '../batch/slices.ts';
import type { QueryContext } from '../query-context.ts';
import { localAnswer, type Question } from './set-answers.ts';
import { buildBatch } from './set-batch.ts';
import type { SetGraph } from './set-graph.ts';

export async function answerQuestions(
  questions: readonly Question[],
  graph: SetGraph,
  context: QueryContext,
): Promise<ReadonlyMap<Question, Answer>> {
  const answers = new Map<Question, Answer>();
  const byNamespace = new Map<number, Question[]>();
  for (const question of questions) {
    const local = localAnswer(question, graph);
    if (local !== undefined) {
      answers.set(question, local);
      continue;
    }
    const namespace = namespaceOf(question, graph);
    const list = byNamespace.get(namespace) ?? [];
    byNamespace.set(namespace, list);
    list.push(question);
  }
  if (byNamespace.size > 0) context.progress.dispatches++;
  await Promise.all(
    [...byNamespace].map(async ([namespace, list]) => {
      const replies = await dispatchQuestions(list, graph, { context, namespace });
      list.forEach((question, i) => answers.set(question, replies[i]!));
    }),
  );
  return answers;
}

/** Sets of literals alone belong nowhere: namespace 0, which holds no data. */
function namespaceOf(question: Question, graph: SetGraph): number {
  const { dictionary } = graph.node(question.ask.of);
  return dictionary === undefined ? 0 : graph.dictionary(dictionary).namespace;
}

async function dispatchQuestions(
  questions: readonly Question[],
  graph: SetGraph,
  options: { readonly context: QueryContext; readonly namespace: number },
): Promise<readonly Answer[]> {
  const { context, namespace } = options;
  const batch = buildBatch(
    graph,
    questions.map((question) => question.ask),
    { namespace, queryId: context.request.queryId, deadline: context.deadline },
  );
  const slices = slicesOf(batch, context.layout.rangesPerGroup);
  return await dispatch(batch, slices, context.invoker, { signal: context.signal });
}
