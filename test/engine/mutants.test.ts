// Workers that make the known mistakes of distributing queries, one at a time: the corpus catches
// each by the queries that are there for it, with a wrong answer and not only an error. What may
// vary (the order of replies, how slices are put together in invocations) changes nothing.

import { beforeAll, describe, expect, it } from 'vitest';
import { InProcessInvoker } from '../../engine/batch/in-process-invoker.ts';
import { createWorkerEnvironment } from '../../engine/worker/worker-environment.ts';
import { mergeMutants } from './mutants/merge-mutants.ts';
import { bySlice, type Invoke, MutantInvoker } from './mutants/mutant.ts';
import { placedMutants } from './mutants/placed-mutants.ts';
import { rowMutants } from './mutants/row-mutants.ts';
import { setMutants } from './mutants/set-mutants.ts';
import { sliceMutants } from './mutants/slice-mutants.ts';
import {
  answersOf,
  corpus,
  type DataName,
  data,
  differences,
  fillSession,
} from './queries/corpus.ts';
import { type Mistake, mistakeQueries } from './queries/mistake-queries.ts';
import { Session } from './queries/session.ts';

const mutants = [...sliceMutants, ...mergeMutants, ...setMutants, ...rowMutants, ...placedMutants];
const mistaken = corpus.filter(({ mistake }) => mistake !== undefined);
const rangesPerGroup = 3;

/** Mistakes that no worker can make, because what they are about is done at the root alone. */
const rootAlone: ReadonlyMap<Mistake, string> = new Map([
  ['scalar subqueries without rows', 'subqueries are rows at the root'],
  ['floats in order of arrival', 'sums of floats are made at the root, in order of rows'],
]);

interface Filled {
  readonly session: Session;
  readonly expected: ReadonlyMap<string, string>;
}

const filled = new Map<DataName, Filled>();

beforeAll(async () => {
  for (const name of Object.keys(data) as DataName[]) {
    const session = await Session.open({ rangesPerGroup });
    await fillSession(session, 7, name);
    filled.set(name, { session, expected: await answersOf(session, mistaken) });
  }
}, 60_000);

/** Answers that a worker behind `invoke` changes. */
async function changedBy(invoke: Invoke, { session, expected }: Filled, queries = mistaken) {
  const real = new InProcessInvoker(createWorkerEnvironment(session.store));
  const invoker = new MutantInvoker(real, invoke);
  const found = await answersOf(await session.reopen({ rangesPerGroup, invoker }), queries);
  return differences(new Map([...expected].filter(([sql]) => found.has(sql))), found);
}

it.each(mutants)('caught: $name ($mistake)', { timeout: 60_000 }, async ({ invoke, mistake }) => {
  const queries = mistaken.filter((query) => query.mistake === mistake);
  const caught: string[] = [];
  for (const one of filled.values()) {
    const changed = await changedBy(invoke, one, queries);
    caught.push(...changed.flatMap(({ sql, found }) => (found.startsWith('error') ? [] : [sql])));
  }
  expect(caught).not.toEqual([]);
});

it('every mistake has a mutant, or cannot be made by a worker', () => {
  const made = new Set<string>(mutants.map(({ mistake }) => mistake));
  const missing = Object.keys(mistakeQueries).filter((mistake) => !made.has(mistake));
  expect(missing).toEqual([...rootAlone.keys()]);
});

describe('what may vary changes no answer', () => {
  const variations: readonly (readonly [string, Invoke])[] = [
    ['nothing at all', async (asked, run) => await run(asked)],
    ['replies in another order', async (asked, run) => (await run(asked)).toReversed()],
    ['each slice by itself', bySlice((one) => one)],
    [
      'everything asked twice',
      async (asked, run) => {
        await run(asked);
        return await run(asked);
      },
    ],
  ];

  it.each(variations)('%s', { timeout: 60_000 }, async (_, invoke) => {
    for (const one of filled.values()) expect(await changedBy(invoke, one)).toEqual([]);
  });
});
