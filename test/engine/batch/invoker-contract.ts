// What every Invoker promises (engine/batch/invoker.ts), checked against any of them. Faults that some
// adapter cannot have are named there with the reason, and show as skipped with it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { type Ask, type Batch, batchFormat, type SetColumn } from '../../../engine/batch/batch.ts';
import {
  decodeReply,
  encodeBatch,
  encodeInvocation,
  type InvocationRequest,
} from '../../../engine/batch/batch-codec.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { decodeEnvelope, encodeEnvelope } from '../../../engine/batch/envelope.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import { evaluateNaively, naiveAnswer, plainAnswer } from '../worker/naive-sets.ts';
import { batchOver, columnId, makeWorld, type World } from '../worker/world.ts';

interface InvokerCase {
  readonly invoker: Invoker;
  readonly world: World;
  /** Of the root, and of workers that share it; by default the system's. */
  readonly clock?: Clock;
}

/** `strike` makes it happen, where it isn't there from the start. */
export interface FaultyCase extends InvokerCase {
  readonly strike?: () => Promise<void> | void;
}

interface InvokerSuite {
  open(): Promise<InvokerCase>;
  /** Spent where the work is done; by default in this process. */
  readonly cpuMs?: (invoker: Invoker) => number;
  /** Or why work that was cancelled goes on. */
  readonly stops: true | string;
  readonly faults: Readonly<Record<FaultName, (() => Promise<FaultyCase>) | string>>;
}

const ids = Array.from({ length: 500 }, (_, i) => BigInt(i * i));

/** The world that contract suites ask about; `store` as makeWorld takes it. */
export async function contractWorld(store?: World['store']): Promise<World> {
  const rows = [2, 3, 5].map((step) => new Set(ids.filter((_, i) => i % step === 0)));
  return await makeWorld(
    { domain: 'integer', groups: 3, commits: [ids], sources: [[rows]] },
    store,
  );
}

const sets: readonly SetColumn[] = [
  { op: 'stored', dictionary: 0, source: 0, columnId, rows: Int32Array.of(0, 1, 2) },
  { op: 'take', of: 0, index: Int32Array.of(1, 2, 0) },
  { op: 'pair', how: 'and', a: 0, b: 1 },
];

export function questionOf(
  world: World,
  asks: readonly Ask[] = [{ ask: 'ids', of: 2, idsMax: 1e6 }],
) {
  return batchOver(world, sets, asks);
}

/** Seconds of work: many folds, in a request of a few MB. */
export function longQuestionOf(world: World, rows = 250_000): Batch {
  const fold: SetColumn = {
    op: 'fold',
    how: 'xor',
    of: 0,
    offsets: Uint32Array.from({ length: rows + 1 }, (_, i) => i * 3),
    index: Int32Array.from({ length: rows * 3 }, (_, i) => i % 3),
  };
  return batchOver(world, [sets[0]!, fold], [{ ask: 'card', of: 1 }]);
}

export async function expectRight(batch: Batch, one: InvokerCase) {
  const { invoker, world, clock = systemClock } = one;
  const done = evaluateNaively(sets, world.naive);
  const { store } = world;
  const dispatched = await dispatch(batch, slicesOf(batch, 2), invoker, { store, clock });
  const expected = batch.asks.map((ask) => naiveAnswer(ask, done));
  expect(dispatched.answers.map(plainAnswer)).toEqual(expected);
  return dispatched;
}

async function put({ invoker, world }: InvokerCase, batch = questionOf(world)) {
  return await dispatch(batch, slicesOf(batch), invoker, { store: world.store });
}

const soon = (batch: Batch, ms = 300): Batch => ({ ...batch, deadline: Date.now() + ms });

type FaultName = keyof typeof faultChecks;

const faultChecks = {
  'a worker that dies over the work is replaced by another': async (one: FaultyCase) => {
    const asked = expectRight(questionOf(one.world), one);
    await one.strike?.();
    expect((await asked).retried).toBeGreaterThan(0);
    await expectRight(questionOf(one.world), one);
  },
  'work that kills two workers is not given to a third': async (one: FaultyCase) => {
    await expect(put(one)).rejects.toMatchObject({ errorName: 'NETWORK_ERROR' });
  },
  'a worker that never answers is waited for until the deadline': async (one: FaultyCase) => {
    await expect(put(one, soon(questionOf(one.world)))).rejects.toMatchObject({ code: 159 });
  },
  'a worker that is too busy is asked again': async (one: FaultyCase) => {
    expect((await expectRight(questionOf(one.world), one)).retried).toBeGreaterThan(0);
  },
  'workers that stay too busy are an error before the deadline': async (one: FaultyCase) => {
    await expect(put(one, soon(questionOf(one.world), 700))).rejects.toMatchObject({
      errorName: 'TOO_MANY_SIMULTANEOUS_QUERIES',
      http: 429,
    });
  },
  'a reply that comes twice counts once': async (one: FaultyCase) => {
    for (let i = 0; i < 3; i++) await expectRight(questionOf(one.world), one);
  },
  'a reply to another question is never taken': async (one: FaultyCase) => {
    await expectRight(questionOf(one.world), one);
    await one.strike?.();
    await expect(put(one)).rejects.toMatchObject({
      errorName: 'LOGICAL_ERROR',
      message: expect.stringContaining('answered for another'),
    });
  },
  'an environment that was frozen goes on': async (one: FaultyCase) => {
    await expectRight(questionOf(one.world), one);
    await one.strike?.();
    await expectRight(questionOf(one.world), one);
    await expectRight(questionOf(one.world), one);
  },
} as const;

export function invokerContract(name: string, suite: InvokerSuite): void {
  describe(name, () => {
    let here: InvokerCase;
    beforeAll(async () => {
      here = await suite.open();
    });
    afterAll(async () => {
      await here.invoker.close();
    });
    const get = () => here;
    answering(get);
    refusing(get);
    spilling(get);
    cancelling(get, suite);
    for (const [fault, check] of Object.entries(faultChecks)) {
      const arrange = suite.faults[fault as FaultName];
      test(fault, async ({ skip }) => {
        if (typeof arrange === 'string') return skip(arrange);
        const one = await arrange();
        try {
          await check(one);
        } finally {
          await one.invoker.close();
        }
      });
    }
  });
}

function answering(here: () => InvokerCase): void {
  test('answers what the naive twin answers', async () => {
    const { usages } = await expectRight(questionOf(here().world), here());
    expect(usages.length).toBeGreaterThan(0);
    for (const usage of usages) expect(usage.worker).not.toBe('');
  });

  test('keeps questions on the way at once apart', async () => {
    const asks = (['card', 'any', 'digest'] as const).map((kind) => ({ ask: kind, of: 2 }));
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        expectRight(questionOf(here().world, asks.slice(i % 3)), here()),
      ),
    );
  });

  test('a request is not changed, and may be sent again', async () => {
    const [request, expected] = requestOf(here().world);
    const before = Uint8Array.from(request);
    const first = await here().invoker.invoke(request);
    const second = await here().invoker.invoke(request, { attempt: 1, affinity: 'x' });
    expect(request).toEqual(before);
    expect(decodeReply(second, expected).replies).toEqual(decodeReply(first, expected).replies);
  });
}

function refusing(here: () => InvokerCase): void {
  test('an error of a worker is raised as it was', async () => {
    const batch = questionOf(here().world, [{ ask: 'ids', of: 2, idsMax: 1 }]);
    await expect(put(here(), batch)).rejects.toMatchObject({
      errorName: 'TOO_MANY_ROWS_OR_BYTES',
      message: expect.stringContaining('muster_max_ids_in_result'),
    });
    const reply = await here().invoker.invoke(new Uint8Array(64));
    expect(() => decodeReply(reply, { id: 'one', queryId: 'test' })).toThrow(
      expect.objectContaining({ code: 117 }),
    );
  });

  test('a worker that throws says what, and goes on', async () => {
    const batch = questionOf(here().world, [{ ask: 'rows', fragment: 3 }]);
    await expect(put(here(), batch)).rejects.toMatchObject({
      errorName: 'LOGICAL_ERROR',
      message: expect.stringContaining('fragment'),
    });
    await expectRight(questionOf(here().world), here());
  });

  test('a request of another version is refused with what to do', async () => {
    const [request, expected] = requestOf(here().world);
    const newer = { ...(decodeEnvelope(request) as object), format: batchFormat + 1 };
    const reply = await here().invoker.invoke(encodeEnvelope(newer));
    expect(() => decodeReply(reply, expected)).toThrow(
      expect.objectContaining({
        errorName: 'UNKNOWN_FORMAT_VERSION',
        message: expect.stringContaining('Deploy both'),
      }),
    );
  });

  test.each([-20, 20])('a clock that is %i minutes off is told', async (minutes) => {
    const sentAt = Date.now() + minutes * 60_000;
    const [request, expected] = requestOf(here().world, { sentAt });
    const reply = await here().invoker.invoke(request);
    expect(() => decodeReply(reply, expected)).toThrow(/clock of a worker is 20 minutes/);
  });

  test('the deadline is a time of the wall clock', async () => {
    const late = soon(questionOf(here().world), -1);
    await expect(put(here(), late)).rejects.toMatchObject({ code: 159 });
    const long = soon(longQuestionOf(here().world));
    await expect(put(here(), long)).rejects.toMatchObject({ code: 159 });
  });
}

/** Through what the invoker says of its limits: adapters need not know. */
function spilling(here: () => InvokerCase): void {
  const limits = { 'a reply': { replyBytesMax: 100 }, 'a batch': { requestBytesMax: 100 } };
  test.each(Object.entries(limits))('%s that is too long goes by the store', async (_, limit) => {
    const { invoker, world } = here();
    const store = new CountingStore(world.store);
    const { parallelism } = invoker;
    const limited: Invoker = {
      parallelism,
      ...limit,
      invoke: (request, options) => invoker.invoke(request, options),
      close: () => invoker.close(),
    };
    await expectRight(questionOf(world), { invoker: limited, world: { ...world, store } });
    const spilled = store.calls.filter(({ key }) => key.startsWith('spill/'));
    expect(spilled.length).toBeGreaterThan(0);
    const { objects } = await world.store.list({ prefix: 'spill/', max: 10 });
    expect(objects).toEqual([]);
  });
}

function cancelling(here: () => InvokerCase, suite: InvokerSuite): void {
  test('aborting ends the waiting, and what follows is not disturbed', async () => {
    const { invoker, world } = here();
    const controller = new AbortController();
    const batch = questionOf(world);
    const { signal } = controller;
    const running = dispatch(batch, slicesOf(batch), invoker, { signal });
    controller.abort();
    await expect(running).rejects.toMatchObject({ errorName: 'QUERY_WAS_CANCELLED' });
    await expectRight(batch, here());
  });

  test('aborting ends the work, wherever it is done', async ({ skip }) => {
    if (suite.stops !== true) return skip(suite.stops);
    const { invoker, world } = here();
    const spent = () => (suite.cpuMs ?? ownCpuMs)(invoker);
    const controller = new AbortController();
    const batch = longQuestionOf(world);
    const { signal } = controller;
    const { store } = world;
    const before = spent();
    const running = dispatch(batch, slicesOf(batch), invoker, { signal, store });
    while (spent() - before < 400) await pause(20);
    controller.abort();
    await expect(running).rejects.toMatchObject({ errorName: 'QUERY_WAS_CANCELLED' });
    await pause(300);
    const cancelled = spent();
    await pause(400);
    // What is done needs seconds.
    expect(spent() - cancelled).toBeLessThan(100);
  });
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, ms));
}

function requestOf(world: World, head: Partial<InvocationRequest> = {}) {
  const batch = questionOf(world);
  const expected = { id: 'one', queryId: batch.queryId };
  const request = { ...expected, sentAt: Date.now(), slices: slicesOf(batch), ...head };
  return [encodeInvocation({ ...request, batch: encodeBatch(batch) }), expected] as const;
}

/** The system's, until it is set ahead: as seen by all that were frozen for so long. */
export class JumpingClock implements Clock {
  #aheadMs = 0;

  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#aheadMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await systemClock.sleep(ms, signal);
  }

  random(): number {
    return systemClock.random();
  }

  randomId(): string {
    return systemClock.randomId();
  }
}

export const hourMs = 3_600_000;
