// What every Invoker promises (engine/batch/invoker.ts), checked against any of them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ask, Batch, SetColumn } from '../../../engine/batch/batch.ts';
import { decodeReply, encodeBatch, encodeInvocation } from '../../../engine/batch/batch-codec.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { evaluateNaively, naiveAnswer, plainAnswer } from '../worker/naive-sets.ts';
import { batchOver, columnId, makeWorld, type World } from '../worker/world.ts';

export interface InvokerCase {
  readonly invoker: Invoker;
  readonly world: World;
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

export async function expectRight(batch: Batch, { invoker, world }: InvokerCase): Promise<void> {
  const done = evaluateNaively(sets, world.naive);
  const { answers } = await dispatch(batch, slicesOf(batch, 2), invoker);
  expect(answers.map(plainAnswer)).toEqual(batch.asks.map((ask) => naiveAnswer(ask, done)));
}

export function invokerContract(name: string, open: () => Promise<InvokerCase>): void {
  describe(name, () => {
    let here: InvokerCase;
    beforeAll(async () => {
      here = await open();
    });
    afterAll(async () => {
      await here.invoker.close();
    });

    test('answers what the naive twin answers', async () => {
      await expectRight(questionOf(here.world), here);
    });

    test('keeps questions on the way at once apart', async () => {
      const asks = (['card', 'any', 'digest'] as const).map((ask) => ({ ask, of: 2 }));
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          expectRight(questionOf(here.world, asks.slice(i % 3)), here),
        ),
      );
    });

    test('a request is not changed, and may be sent again', async () => {
      const batch = questionOf(here.world);
      const expected = { id: 'one', queryId: batch.queryId };
      const request = encodeInvocation({
        ...expected,
        sentAt: Date.now(),
        slices: slicesOf(batch),
        batch: encodeBatch(batch),
      });
      const before = Uint8Array.from(request);
      const first = await here.invoker.invoke(request);
      const second = await here.invoker.invoke(request);
      expect(request).toEqual(before);
      expect(decodeReply(second, expected).replies).toEqual(decodeReply(first, expected).replies);
    });

    test('an error of a worker is raised as it was', async () => {
      const batch = questionOf(here.world, [{ ask: 'ids', of: 2, idsMax: 1 }]);
      await expect(dispatch(batch, slicesOf(batch), here.invoker)).rejects.toMatchObject({
        errorName: 'TOO_MANY_ROWS_OR_BYTES',
        message: expect.stringContaining('muster_max_ids_in_result'),
      });
      const reply = await here.invoker.invoke(new Uint8Array(64));
      expect(() => decodeReply(reply, { id: 'one', queryId: 'test' })).toThrow(
        expect.objectContaining({ code: 117 }),
      );
    });

    test('aborting ends the work, and what follows is not disturbed', async () => {
      const batch = questionOf(here.world);
      const controller = new AbortController();
      const { signal } = controller;
      const running = dispatch(batch, slicesOf(batch), here.invoker, { signal });
      controller.abort();
      await expect(running).rejects.toThrow();
      await expectRight(batch, here);
    });
  });
}
