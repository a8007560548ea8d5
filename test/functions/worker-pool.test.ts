import { expect, test } from 'vitest';
import { openInvoker } from '../../functions/worker-pool.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';

const address = { store: 'unused', endpoint: undefined, region: 'us-east-1' };
const http = { kind: 'http', addresses: ['http://a:1'], secret: 'sixteen letters!' } as const;
const lambda = { kind: 'lambda', functions: ['w'], branchFunction: undefined } as const;

test.each([
  ['in this process nothing is spread', { kind: 'in-process' }, undefined],
  ['a request to another machine has to pay', http, 15],
  ['functions: as it is said', { ...lambda, concurrency: 2, invocationMsMin: 7 }, 7],
] as const)('work of a further invocation: %s', async (_, pool, invocationMsMin) => {
  const invoker = await openInvoker(pool, new MemoryStore(), address);
  expect(invoker.invocationMsMin).toBe(invocationMsMin);
  await invoker.close();
});
