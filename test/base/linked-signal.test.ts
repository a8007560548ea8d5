// A linked controller aborts with its signal, before and after linking, and not once unlinked.

import { expect, it } from 'vitest';
import { linkSignal } from '../../base/linked-signal.ts';

it('aborts with the reason of the signal', () => {
  const [outer, inner] = [new AbortController(), new AbortController()];
  linkSignal(inner, outer.signal);
  expect(inner.signal.aborted).toBe(false);
  outer.abort('enough');
  expect(inner.signal.reason).toBe('enough');
});

it('aborts at once where the signal was aborted before', () => {
  const inner = new AbortController();
  linkSignal(inner, AbortSignal.abort('too late'));
  expect(inner.signal.reason).toBe('too late');
});

it('does not abort once unlinked, nor without a signal', () => {
  const [outer, inner] = [new AbortController(), new AbortController()];
  linkSignal(inner, outer.signal)();
  outer.abort();
  linkSignal(inner, undefined)();
  expect(inner.signal.aborted).toBe(false);
});
