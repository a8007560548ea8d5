import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { FunctionCalls } from '../../../functions/lambda/function-call.ts';
import { functionContext } from './lambda-calls.ts';

function watched() {
  const lines: string[] = [];
  const calls = new FunctionCalls({ clock: systemClock, log: (line) => lines.push(line) });
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { calls, logged };
}

describe('a call', () => {
  it('leaves one line in the log, which tells the first of its environment', async () => {
    const { calls, logged } = watched();
    for (const event of ['a', 'b']) {
      await calls.run(functionContext(), async (_, notes) => {
        notes['event'] = event;
      });
    }
    expect(logged()).toMatchObject([
      { requestId: 'request-1', event: 'a', cold: true, idleMs: 0 },
      { requestId: 'request-1', event: 'b', cold: false },
    ]);
  });

  it('leaves one also when it fails', async () => {
    const { calls, logged } = watched();
    const failing = calls.run(functionContext(), async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(logged()).toMatchObject([{ error: 'broken' }]);
  });

  it('is told to end before Lambda ends it', async () => {
    const { calls } = watched();
    const reason = await calls.run(functionContext(100), async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return signal.reason as { readonly errorName: string; readonly message: string };
    });
    expect(reason.errorName).toBe('TIMEOUT_EXCEEDED');
    expect(reason.message).toMatch(/function muster-test may run for 0 s.*longer timeout/);
  });

  it('is left alone when it ends in time', async () => {
    const { calls } = watched();
    const signal = await calls.run(functionContext(50), async (given) => given);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(signal.aborted).toBe(false);
  });
});
