import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { decodeReply } from '../../../engine/batch/batch-codec.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { workerHandler } from '../../../functions/lambda/worker-handler.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { fill, inlined, setUp, usagePatterns } from '../../engine/queries/usage-patterns.ts';
import { Session } from '../../engine/queries/session.ts';
import { functionContext } from './lambda-calls.ts';

type Reply = { readonly reply: string };

function makeWorker(store = new MemoryStore({ id: 'memory:lambda' })) {
  const worker = createWorkerEnvironment(store, { identity: { name: 'w/1', memoryMb: 1769 } });
  const options = { clock: systemClock, log: () => {} };
  return { store, handler: workerHandler({ ...options, open: async () => ({ worker }) }) };
}

describe('the worker function', () => {
  it('answers as a worker in process does', async () => {
    const { store, handler } = makeWorker();
    let calls = 0;
    const invoker: Invoker = {
      parallelism: 4,
      invoke: async (request) => {
        calls++;
        const event = JSON.parse(
          JSON.stringify({ muster: 1, request: Buffer.from(request).toString('base64') }),
        ) as unknown;
        const { reply } = (await handler(event, functionContext())) as Reply;
        return Buffer.from(reply, 'base64');
      },
      close: async () => {},
    };
    const session = await Session.open({ store });
    for (const statement of [...setUp, ...fill()]) await session.run(statement);
    const through = await session.reopen({ invoker });
    for (const pattern of usagePatterns.slice(0, 12)) {
      const sql = inlined(pattern);
      expect((await through.ask(sql)).text).toBe((await session.ask(sql)).text);
    }
    expect(calls).toBeGreaterThan(0);
  });

  it('says its version, and refuses what is not for it', async () => {
    const { handler } = makeWorker();
    const ping = await handler({ muster: 1, ping: true }, functionContext());
    expect(ping).toMatchObject({ muster: 1, batchFormat: expect.any(Number) });
    const insert = { muster: 1, insert: { query: 'q', body: '' } };
    await expect(handler(insert, functionContext())).rejects.toThrow(/no insert/);
    await expect(handler({}, functionContext())).rejects.toThrow(/not understood/);
  });

  it('replies with the kind of what goes wrong', async () => {
    const open = async () => {
      throw new MusterError('BAD_ARGUMENTS', 'This function has no MUSTER_STORE');
    };
    const handler = workerHandler({ open, clock: systemClock, log: () => {} });
    const { reply } = (await handler({ muster: 1, request: '' }, functionContext())) as Reply;
    const decode = () => decodeReply(Buffer.from(reply, 'base64'), { id: 'a', queryId: 'q' });
    expect(decode).toThrow(expect.objectContaining({ errorName: 'BAD_ARGUMENTS' }));
  });
});
