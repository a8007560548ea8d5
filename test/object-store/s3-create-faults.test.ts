// What the S3 store makes of faults that its creates meet, each injected into the requests of the real
// SDK, which lets several of them pass in silence.

import { describe, expect, it } from 'vitest';
import { objectKey } from '../../object-store/object-key.ts';
import { body, hasty, newStore, on, seen, server, store } from './s3-under-faults.ts';

describe('creates', () => {
  it('a reply that is lost leaves the outcome unknown, after one request', async () => {
    const key = objectKey('create/lost-reply');
    on('PUT', { do: 'store-then-kill' });
    expect((await store.create(key, body)).outcome).toBe('unknown');
    expect(seen('PUT')).toHaveLength(1);
    expect((await store.create(key, body)).outcome).toBe('exists');
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('a request that never arrived is unknown as well', async () => {
    const key = objectKey('create/never-arrived');
    on('PUT', { do: 'kill' });
    expect((await store.create(key, body)).outcome).toBe('unknown');
    expect((await store.create(key, body)).outcome).toBe('created');
  });

  it('409 is conflict, never exists', async () => {
    const key = objectKey('create/conflict');
    for (const code of ['ConditionalRequestConflict', 'OperationAborted']) {
      on('PUT', { do: 'status', status: 409, code });
      expect((await store.create(key, body)).outcome).toBe('conflict');
    }
    expect((await store.create(key, body)).outcome).toBe('created');
  });

  it('503, 429 and 500 are unknown, after one request', async () => {
    const key = objectKey('create/unknown');
    const faults = [
      [503, 'SlowDown'],
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
    ] as const;
    for (const [status, code] of faults) {
      on('PUT', { do: 'status', status, code });
      expect((await store.create(key, body)).outcome).toBe('unknown');
    }
    expect(seen('PUT')).toHaveLength(faults.length);
  });

  it('a signature refused for the clock or an expired token is made anew, once', async () => {
    for (const code of ['ExpiredToken', 'RequestTimeTooSkewed']) {
      const key = objectKey(`create/unsigned-${code}`);
      on('PUT', { do: 'status', status: 403, code });
      expect((await store.create(key, body)).outcome).toBe('created');
      on('PUT', { do: 'status', status: 403, code }, 2);
      await expect(store.create(key, body)).rejects.toMatchObject({ errorName: 'S3_ERROR' });
      expect(seen('PUT')).toHaveLength(4);
      server.reset();
    }
  });

  it('a stall ends at the deadline as unknown', async () => {
    on('PUT', { do: 'stall' });
    expect((await hasty.create(objectKey('create/stall'), body)).outcome).toBe('unknown');
  });

  it('a caller that leaves during the request gets unknown', async () => {
    on('PUT', { do: 'stall' });
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 30);
    const { signal } = caller;
    expect((await store.create(objectKey('create/left'), body, { signal })).outcome).toBe(
      'unknown',
    );
  });

  it('definite refusals are thrown', async () => {
    on('PUT', { do: 'status', status: 403, code: 'AccessDenied' });
    const refused = { errorName: 'S3_ERROR' };
    await expect(store.create(objectKey('create/no'), body)).rejects.toMatchObject(refused);
    const elsewhere = newStore({ bucket: 'no-such-bucket' });
    await expect(elsewhere.create(objectKey('create/no'), body)).rejects.toThrow('NoSuchBucket');
  });
});
