import { describe, expect, it } from 'vitest';
import {
  parseFunctionEvent,
  pingReply,
  requestReply,
} from '../../../functions/lambda/function-event.ts';
import { urlEvent } from './lambda-calls.ts';

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

describe('events', () => {
  it('of our own are told by `muster: 1`', () => {
    expect(parseFunctionEvent({ muster: 1, ping: true })).toEqual({ kind: 'ping' });
    expect(parseFunctionEvent({ muster: 1, request: base64('abc') })).toEqual({
      kind: 'request',
      bytes: Uint8Array.from([97, 98, 99]),
    });
    expect(parseFunctionEvent({ muster: 1, insert: { query: 'q', body: base64('1') } })).toEqual({
      kind: 'insert',
      insert: { query: 'q', data: { in: 'body', bytes: Buffer.from('1') } },
    });
    expect(parseFunctionEvent({ muster: 1, insert: { query: 'q', key: 'inbox/a' } })).toEqual({
      kind: 'insert',
      insert: { query: 'q', data: { in: 'store', key: 'inbox/a' } },
    });
  });

  it('of a Function URL are told by their version', () => {
    const event = urlEvent({ body: 'SELECT 1' });
    expect(parseFunctionEvent(event)).toEqual({ kind: 'url', request: event });
  });

  it.each([
    [{}, /not understood.*expected/],
    [null, /not understood/],
    [{ Records: [] }, /not understood/],
    [{ ...urlEvent(), version: '1.0' }, /not understood/],
    [{ ...urlEvent(), rawPath: undefined }, /not understood/],
    [{ ...urlEvent(), body: 5 }, /not understood/],
    [{ ...urlEvent(), headers: { host: 5 } }, /not understood/],
    [{ muster: 2, ping: true }, /protocol 2 are not spoken/],
    [{ muster: 1 }, /not understood/],
    [{ muster: 1, insert: {} }, /no "query"/],
    [{ muster: 1, insert: { query: 'q' } }, /neither "body" nor "key"/],
  ])('%j is refused', (event, message) => {
    expect(() => parseFunctionEvent(event)).toThrow(message);
  });
});

describe('replies', () => {
  it('hold bytes as base64, also those of a view', () => {
    const reply = requestReply(Buffer.from('--abc--').subarray(2, 5));
    expect(reply).toEqual({ muster: 1, reply: base64('abc') });
  });

  it('to a ping say which version this is', () => {
    expect(pingReply()).toEqual({
      muster: 1,
      version: expect.stringContaining('muster'),
      batchFormat: expect.any(Number),
    });
  });
});
