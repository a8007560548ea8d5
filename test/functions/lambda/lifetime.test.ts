import { describe, expect, it } from 'vitest';
import { Lifetime } from '../../../functions/lambda/lifetime.ts';

describe('what lives as long as an environment', () => {
  it('is opened at once, and once', async () => {
    let opened = 0;
    const lifetime = new Lifetime(async () => ++opened);
    expect(opened).toBe(1);
    expect(await Promise.all([lifetime.get(), lifetime.get()])).toEqual([1, 1]);
    expect(opened).toBe(1);
  });

  it('that takes longer than a call has is there for the next call', async () => {
    let open: (opened: string) => void = () => {};
    const lifetime = new Lifetime(() => new Promise<string>((resolve) => (open = resolve)));
    const over = new AbortController();
    const first = lifetime.get(over.signal);
    over.abort(new Error('time is over'));
    await expect(first).rejects.toThrow('time is over');
    open('open');
    expect(await lifetime.get(new AbortController().signal)).toBe('open');
  });

  it('is opened again after a failure, which the call is told', async () => {
    let attempts = 0;
    const lifetime = new Lifetime(async () => {
      if (++attempts < 3) throw new Error(`no store ${attempts}`);
      return 'open';
    });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(lifetime.get()).rejects.toThrow('no store');
    expect(await lifetime.get().catch(() => lifetime.get())).toBe('open');
  });
});
