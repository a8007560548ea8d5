// Dispatches through real workers in this process: by tree, hedged, admitted, cancelled; what they count
// and what they hand to the invoker. The policies themselves are tested in fan-out/.

import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { Batch } from '../../../engine/batch/batch.ts';
import { decodeBatch, decodeRequest } from '../../../engine/batch/batch-codec.ts';
import { dispatch, fanOutLimits } from '../../../engine/batch/dispatch.ts';
import { runBranch } from '../../../engine/batch/fan-out/branch.ts';
import { evenPlan } from '../../../engine/batch/fan-out/fan-out-plan.ts';
import type { InvokeOptions, Invoker } from '../../../engine/batch/invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { serveInvocation } from '../../../engine/worker/invocation-service.ts';
import {
  createWorkerEnvironment,
  type WorkerEnvironment,
} from '../../../engine/worker/worker-environment.ts';
import { evaluateNaively, naiveAnswer, plainAnswer } from '../worker/naive-sets.ts';
import type { World } from '../worker/world.ts';
import { contractWorld, questionOf } from './invoker-contract.ts';

let world: World;
let batch: Batch;
let worker: WorkerEnvironment;

beforeAll(async () => {
  world = await contractWorld();
  worker = createWorkerEnvironment(world.store);
  const asks = (['card', 'any', 'digest'] as const).map((ask) => ({ ask, of: 2 }));
  batch = questionOf(world, [...asks, { ask: 'ids', of: 2, idsMax: 1e6 }]);
});

type Serve = (
  bytes: Uint8Array,
  options: InvokeOptions,
  work: () => Promise<Uint8Array>,
) => Promise<Uint8Array>;

/** A worker behind `serve`, which may delay, fail or look. */
function invokerOf(serve: Serve, given: Partial<Invoker> = {}): Invoker {
  return {
    parallelism: 16,
    invoke: (bytes, options = {}) =>
      serve(bytes, options, () => serveInvocation(bytes, worker, { signal: options.signal })),
    close: async () => {},
    ...given,
  };
}

const direct: Serve = async (_bytes, _options, work) => await work();

/** Until it is aborted. */
async function hang({ signal }: InvokeOptions): Promise<never> {
  await systemClock.sleep(60_000, signal);
  throw new Error('nobody aborted it');
}

function expectRight(answers: Awaited<ReturnType<typeof dispatch>>['answers']): void {
  const done = evaluateNaively(batch.sets, world.naive);
  expect(answers.map(plainAnswer)).toEqual(batch.asks.map((ask) => naiveAnswer(ask, done)));
}

describe('a tree', () => {
  const branches = [
    { start: 0, end: 4 },
    { start: 4, end: 5 },
    { start: 5, end: 9 },
  ];

  function tree(serve: Serve): Invoker {
    const leaves = invokerOf(serve);
    const branch = invokerOf(async (bytes, { signal }) =>
      serveInvocation(bytes, worker, {
        signal,
        branch: (request, of, inner) =>
          runBranch(request, of, { invoker: leaves, clock: systemClock, signal: inner }),
      }),
    );
    return { ...leaves, branch };
  }

  it('answers what its workers answer, and counts all levels', async () => {
    const requests: string[] = [];
    const invoker = tree(async (bytes, _options, work) => {
      requests.push(decodeRequest(bytes).message);
      return await work();
    });
    const plan = { ...evenPlan(slicesOf(batch, 3), 9), branches };
    const found = await dispatch(batch, plan, invoker);
    expectRight(found.answers);
    expect(requests).toEqual(Array.from({ length: 9 }, () => 'invocation'));
    expect(found).toMatchObject({ invocations: 12, hedged: 0, retried: 0 });
    expect(found.usages).toHaveLength(12);
    expect(fanOutLimits(invoker)).toMatchObject({ hasBranches: true, invocationsMax: 16 });
  });

  it('fails as a worker below it failed, and ends the others', async () => {
    let aborted = 0;
    const invoker = tree(async (bytes, options, work) => {
      const request = decodeRequest(bytes);
      const [first] = request.message === 'invocation' ? request.slices : [];
      if (first?.group === 2 && first.codes.start === 0) return await work();
      options.signal?.addEventListener('abort', () => aborted++);
      return await hang(options);
    });
    const failing = questionOf(world, [{ ask: 'ids', of: 2, idsMax: 1 }]);
    const plan = { ...evenPlan(slicesOf(failing, 3), 9), branches };
    await expect(dispatch(failing, plan, invoker)).rejects.toMatchObject({
      errorName: 'TOO_MANY_ROWS_OR_BYTES',
    });
    expect(aborted).toBe(8);
  });

  it('is not used where there are no inner nodes', async () => {
    const plan = { ...evenPlan(slicesOf(batch, 3), 9), branches };
    const found = await dispatch(batch, plan, invokerOf(direct));
    expectRight(found.answers);
    expect(found.invocations).toBe(9);
  });
});

describe('hedging', () => {
  const slices = () => slicesOf(batch, 4);

  it('an invocation that hangs is sent again, elsewhere, with a name of its own', async () => {
    const seen: { affinity: string | undefined; attempt: number | undefined; id: string }[] = [];
    const [slow] = [`${batch.namespace}/1/1/0`];
    const serve: Serve = async (bytes, options, work) => {
      const { affinity, attempt } = options;
      seen.push({ affinity, attempt, id: decodeRequest(bytes).id });
      if (affinity === slow && attempt === 0) return await hang(options);
      return await work();
    };
    const invoker = invokerOf(serve, { isRemote: true });
    const found = await dispatch(batch, slices(), invoker);
    expectRight(found.answers);
    expect(found).toMatchObject({ invocations: 12, hedged: 1 });
    expect(seen).toHaveLength(13);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(13);
    expect(new Set(seen.map(({ affinity }) => affinity)).size).toBe(12);
    expect(seen.at(-1)).toMatchObject({ affinity: slow, attempt: 1 });
  });

  it('of one machine by itself makes no sense', async () => {
    let slow = true;
    const serve: Serve = async (_bytes, _options, work) => {
      if (slow) {
        slow = false;
        await systemClock.sleep(200);
      }
      return await work();
    };
    expect(await dispatch(batch, slices(), invokerOf(serve))).toMatchObject({ hedged: 0 });
  });

  it('a second attempt that fails does not fail the question', async () => {
    const serve: Serve = async (_bytes, { affinity, attempt }, work) => {
      if (attempt === 1) throw new Error('no worker is left');
      if (affinity?.endsWith('/2/0') === true) await systemClock.sleep(150);
      return await work();
    };
    const found = await dispatch(batch, slices(), invokerOf(serve, { isRemote: true }));
    expectRight(found.answers);
    expect(found.hedged).toBe(1);
  });
});

describe('slots', () => {
  it('are never exceeded, whatever is asked at once', async () => {
    let running = 0;
    let most = 0;
    const serve: Serve = async (_bytes, _options, work) => {
      most = Math.max(most, ++running);
      await systemClock.sleep(1);
      const reply = await work();
      running--;
      return reply;
    };
    const invoker = invokerOf(serve, { slots: 4, isRemote: true });
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        dispatch(batch, evenPlan(slicesOf(batch, 2), 1 + (i % 4)), invoker),
      ),
    );
    for (const { answers } of all) expectRight(answers);
    expect(most).toBe(4);
    expect(fanOutLimits(invoker).invocationsMax).toBe(4);
  });

  it('come back when a question fails, and when it is cancelled', async () => {
    const invoker = invokerOf(direct, { slots: 3 });
    const failing = questionOf(world, [{ ask: 'ids', of: 2, idsMax: 1 }]);
    for (let i = 0; i < 5; i++) {
      await expect(dispatch(failing, slicesOf(failing), invoker)).rejects.toThrow();
      const controller = new AbortController();
      const { signal } = controller;
      const cancelled = dispatch(batch, slicesOf(batch), invoker, { signal });
      controller.abort();
      await expect(cancelled).rejects.toThrow();
    }
    expectRight((await dispatch(batch, slicesOf(batch), invoker)).answers);
  });

  it('that do not come free before the deadline are a clear error', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const invoker = invokerOf((_bytes, options) => hang(options), { slots: 2 });
    const first = dispatch(batch, evenPlan(slicesOf(batch), 2), invoker, { signal });
    const hurried = { ...batch, deadline: Date.now() + 20 };
    await expect(dispatch(hurried, slicesOf(hurried), invoker)).rejects.toMatchObject({
      code: 202,
    });
    controller.abort();
    await expect(first).rejects.toThrow();
  });
});

it('the first failure cancels the rest', async () => {
  let aborted = 0;
  const serve: Serve = async (_bytes, options) => {
    if (options.affinity?.endsWith('/1/0') === true) throw new Error('gone');
    options.signal?.addEventListener('abort', () => aborted++);
    return await hang(options);
  };
  await expect(dispatch(batch, slicesOf(batch), invokerOf(serve))).rejects.toThrow('gone');
  expect(aborted).toBe(2);
});

it('what adapters send again is counted', async () => {
  const serve: Serve = async (_bytes, { onRetry }, work) => {
    onRetry?.();
    return await work();
  };
  const found = await dispatch(batch, slicesOf(batch), invokerOf(serve));
  expect(found).toMatchObject({ invocations: 3, retried: 3 });
});

it('weights of stripes stay at the root', async () => {
  const weighed = {
    ...batch,
    sources: batch.sources.map((source) => ({
      ...source,
      stripes: source.stripes.map((stripe) => ({
        ...stripe,
        groupBytes: [1, 2, 3],
        groupCardinality: [1, 2, 3],
      })),
    })),
  };
  const serve: Serve = async (bytes, _options, work) => {
    const sent = decodeRequest(bytes).batch;
    if (!(sent instanceof Uint8Array)) throw new Error('spilled');
    expect(Object.keys(decodeBatch(sent).sources[0]!.stripes[0]!).sort()).toEqual([
      'parts',
      'rows',
      'shape',
    ]);
    return await work();
  };
  expectRight((await dispatch(weighed, slicesOf(batch), invokerOf(serve))).answers);
});
