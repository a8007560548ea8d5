// How work is fanned out never shows in an answer: statements of the corpus through plans, trees and
// second attempts, against one worker.

import { beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../../base/clock.ts';
import { runBranch } from '../../../../engine/batch/fan-out/branch.ts';
import type { Invoker } from '../../../../engine/batch/invoker.ts';
import { serveInvocation } from '../../../../engine/worker/invocation-service.ts';
import { createWorkerEnvironment } from '../../../../engine/worker/worker-environment.ts';
import { answersOf, corpus, differences, fillSession } from '../../queries/corpus.ts';
import { Session } from '../../queries/session.ts';

/** Every so many statements: the whole corpus is for test/engine/queries/layouts.test.ts. */
const every = 7;
const asked = corpus.filter((_, i) => i % every === 0);
let session: Session;
let expected: ReadonlyMap<string, string>;

beforeAll(async () => {
  session = await Session.open();
  await fillSession(session, 7, 'dense');
  expected = await answersOf(session, asked);
}, 60_000);

/** Workers in this process; `seen` counts invocations of them, and of inner nodes. */
function workers(given: Partial<Invoker>) {
  const worker = createWorkerEnvironment(session.store);
  const seen = { workers: 0, branches: 0 };
  const leaves: Invoker = {
    parallelism: 70,
    invoke: async (bytes, { signal } = {}) => {
      seen.workers++;
      return await serveInvocation(bytes, worker, { signal });
    },
    close: async () => {},
    ...given,
  };
  const branch: Invoker = {
    ...leaves,
    invoke: async (bytes, { signal } = {}) => {
      seen.branches++;
      return await serveInvocation(bytes, worker, {
        signal,
        branch: (request, batch, inner) =>
          runBranch(request, batch, { invoker: leaves, clock: systemClock, signal: inner }),
      });
    },
  };
  return { invoker: { ...leaves, branch }, seen };
}

it('over as many workers as there are groups', { timeout: 60_000 }, async () => {
  const { invoker, seen } = workers({ slots: 7, isRemote: true });
  const found = await answersOf(await session.reopen({ invoker }), asked);
  expect(differences(expected, found)).toEqual([]);
  expect(seen.branches).toBe(0);
});

it('through a tree', { timeout: 60_000 }, async () => {
  const { invoker, seen } = workers({});
  const found = await answersOf(await session.reopen({ invoker, rangesPerGroup: 10 }), asked);
  expect(differences(expected, found)).toEqual([]);
  expect(seen.branches).toBeGreaterThan(asked.length);
  expect(seen.workers).toBeGreaterThan(65 * (seen.branches / 9));
});

it('with little work in one invocation', { timeout: 60_000 }, async () => {
  const { invoker, seen } = workers({ invocationMsMin: 40 });
  const reopened = await session.reopen({ invoker });
  const found = await answersOf(reopened, asked);
  expect(differences(expected, found)).toEqual([]);
  expect(seen.workers).toBeLessThan(2 * asked.length);
});
