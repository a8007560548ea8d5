import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { decodeReply } from '../../../engine/batch/batch-codec.ts';
import { runBranch } from '../../../engine/batch/fan-out/branch.ts';
import type { Invoker } from '../../../engine/batch/invoker.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { type OpenWorker, workerHandler } from '../../../functions/lambda/worker-handler.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { fill, inlined, setUp, usagePatterns } from '../../engine/queries/usage-patterns.ts';
import { Session } from '../../engine/queries/session.ts';
import { functionContext } from './lambda-calls.ts';

type Reply = { readonly reply: string };

function makeWorker(store = new MemoryStore({ id: 'memory:lambda' })) {
  const worker = createWorkerEnvironment(store, { identity: { name: 'w/1', memoryMb: 1769 } });
  const options = { clock: systemClock, log: () => {} };
  const handler = workerHandler({ ...options, open: async () => ({ worker }) });
  return { store, worker, handler };
}

type Handler = ReturnType<typeof workerHandler>;

/** Calls as Lambda carries them: JSON there and back. */
class HandlerInvoker implements Invoker {
  readonly parallelism = 128;
  readonly slots = 128;
  readonly branch?: Invoker;
  calls = 0;
  readonly #handler: Handler;

  constructor(handler: Handler, branch?: Invoker) {
    this.#handler = handler;
    if (branch !== undefined) this.branch = branch;
  }

  async invoke(request: Uint8Array): Promise<Uint8Array> {
    this.calls++;
    const payload = JSON.stringify({ muster: 1, request: Buffer.from(request).toString('base64') });
    const reply = await this.#handler(JSON.parse(payload) as unknown, functionContext());
    const { reply: text } = JSON.parse(JSON.stringify(reply)) as Reply;
    return new Uint8Array(Buffer.from(text, 'base64'));
  }

  async close(): Promise<void> {}
}

describe('the worker function', () => {
  async function filled(store: MemoryStore): Promise<Session> {
    const session = await Session.open({ store });
    for (const statement of [...setUp, ...fill(6_000)]) await session.run(statement);
    return session;
  }

  it('answers as a worker in process does', async () => {
    const { store, handler } = makeWorker();
    const session = await filled(store);
    const invoker = new HandlerInvoker(handler);
    const through = await session.reopen({ invoker });
    for (const pattern of usagePatterns.slice(0, 12)) {
      const sql = inlined(pattern);
      expect((await through.ask(sql)).text).toBe((await session.ask(sql)).text);
    }
    expect(invoker.calls).toBeGreaterThan(0);
  });

  it('is asked by the branch function where a question is spread wide', async () => {
    const { store, handler, worker } = makeWorker();
    const session = await filled(store);
    const workers = new HandlerInvoker(handler);
    const branch: OpenWorker['branch'] = async (request, batch, signal) =>
      await runBranch(request, batch, { invoker: workers, clock: systemClock, store, signal });
    const open = async () => ({ worker, branch });
    const inner = new HandlerInvoker(workerHandler({ open, clock: systemClock, log: () => {} }));
    const invoker = new HandlerInvoker(handler, inner);
    const through = await session.reopen({ invoker, rangesPerGroup: 20 });
    for (const pattern of usagePatterns.slice(0, 4)) {
      const sql = inlined(pattern);
      expect((await through.ask(sql)).text).toBe((await session.ask(sql)).text);
    }
    expect(inner.calls).toBeGreaterThan(0);
    expect(workers.calls).toBeGreaterThan(8 * inner.calls);
    expect(invoker.calls).toBe(0);
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
