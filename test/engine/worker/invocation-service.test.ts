import { expect, test } from 'vitest';
import {
  decodeReply,
  encodeBatch,
  encodeBranch,
  encodeInvocation,
} from '../../../engine/batch/batch-codec.ts';
import { wholeReply } from '../../../engine/batch/spill.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { serveInvocation } from '../../../engine/worker/invocation-service.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { contractWorld, questionOf } from '../batch/invoker-contract.ts';

async function open() {
  const world = await contractWorld();
  const identity = { name: 'here', memoryMb: 512 };
  const worker = createWorkerEnvironment(world.store, { identity });
  const batch = questionOf(world);
  const head = { id: 'i', queryId: batch.queryId, sentAt: Date.now(), batch: encodeBatch(batch) };
  return { worker, head, slices: slicesOf(batch) };
}

test('a reply says what it cost and who made it, once cold', async () => {
  const { worker, head, slices } = await open();
  const request = encodeInvocation({ ...head, slices });
  const first = decodeReply(await serveInvocation(request, worker), head);
  expect(first.usages).toMatchObject([
    { worker: 'here', memoryMb: 512, cold: true, writes: 0, lists: 0 },
  ]);
  const [cold] = first.usages;
  expect(cold?.reads).toBeGreaterThan(0);
  expect(cold?.bytesRead).toBeGreaterThan(0);
  const again = decodeReply(await serveInvocation(request, worker), head);
  expect(again.usages[0]).toMatchObject({ cold: false });
  expect(again.usages[0]?.reads).toBeLessThan(cold?.reads ?? 0);
  expect(again.replies).toEqual(first.replies);
});

test('a reply that is spilled says so in what it cost', async () => {
  const { worker, head, slices } = await open();
  const request = encodeInvocation({ ...head, slices, replyBytesMax: 100 });
  const reply = await serveInvocation(request, worker);
  expect(reply.length).toBeLessThan(1000);
  const [usage] = decodeReply(await wholeReply(worker.store, reply), head).usages;
  expect(usage).toMatchObject({ writes: 1, bytesWritten: expect.any(Number) });
  expect(usage?.bytesWritten).toBeGreaterThan(100);
});

test('an inner node merges what its children reply; others say that they are none', async () => {
  const { worker, head, slices } = await open();
  const request = encodeBranch({ ...head, children: slices.map((slice) => [slice]) });
  const refused = await serveInvocation(request, worker);
  expect(() => decodeReply(refused, head)).toThrow(/not set up as an inner node/);
  const usage = decodeReply(
    await serveInvocation(encodeInvocation({ ...head, slices }), worker),
    head,
  ).usages[0]!;
  const bytes = await serveInvocation(request, worker, {
    branch: async ({ children }) => ({
      replies: [{ slices: children.flat(), answers: [] }],
      usages: [usage],
      sent: { invocations: 3, hedged: 0, retried: 0 },
    }),
  });
  const reply = decodeReply(bytes, head);
  expect(reply.replies).toEqual([{ slices, answers: [] }]);
  expect(reply.usages.length).toBe(2);
});

test('what nobody can read is a failure for whoever asked', async () => {
  const { worker, head } = await open();
  for (const bytes of [new Uint8Array(0), new Uint8Array(100)]) {
    const reply = await serveInvocation(bytes, worker);
    expect(() => decodeReply(reply, head)).toThrow(/damaged/);
  }
});
