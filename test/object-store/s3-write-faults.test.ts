// What the S3 store makes of faults that puts, lists, removals and uploads in parts meet.

import { afterEach, describe, expect, it } from 'vitest';
import { objectKey } from '../../object-store/object-key.ts';
import type { ObjectKey } from '../../object-store/port.ts';
import type { SeenRequest } from './fault.ts';
import { body, newStore, on, seen, server, store, stored } from './s3-under-faults.ts';

describe('puts, lists, removals', () => {
  it('a put whose reply was lost finds its own object', async () => {
    const key = objectKey('put/lost-reply');
    on('PUT', { do: 'store-then-kill' });
    await store.put(key, body);
    expect(seen('PUT')).toHaveLength(2);
    expect(seen('GET')).toHaveLength(1);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('a put is sent again after 409', async () => {
    const key = objectKey('put/conflict');
    on('PUT', { do: 'status', status: 409, code: 'ConditionalRequestConflict' }, 2);
    await store.put(key, body);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('a damaged upload is not taken for done', async () => {
    const key = objectKey('put/incomplete');
    on('PUT', { do: 'status', status: 400, code: 'IncompleteBody' });
    await store.put(key, body);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('a put tells a date from before its first request', async () => {
    const fresh = newStore();
    await fresh.put(objectKey('put/first'), body);
    expect(server.seen.map((request) => request.method)).toEqual(['GET', 'PUT']);
    await fresh.put(objectKey('put/second'), body);
    expect(server.seen.map((request) => request.method)).toEqual(['GET', 'PUT', 'PUT']);
  });

  it('lists are retried, and removals where single keys failed', async () => {
    const key = await stored('list/one');
    on('GET', { do: 'status', status: 503, code: 'SlowDown' }, 2);
    expect((await store.list({ prefix: 'list/', max: 5 })).objects).toHaveLength(1);
    on('POST', { do: 'status', status: 503, code: 'SlowDown' }, 2);
    await store.remove([key]);
    expect(await store.read(key)).toBeUndefined();
  });

  it('lists page by page beyond 1000 keys', async () => {
    for (let i = 0; i < 2100; i++) {
      server.model.put(`pages/${String(i).padStart(5, '0')}`, Buffer.alloc(1), undefined);
    }
    const all = await store.list({ prefix: 'pages/', max: 5_000 });
    expect([all.objects.length, all.more]).toEqual([2100, false]);
    const some = await store.list({ prefix: 'pages/', max: 1_500 });
    expect([some.objects.length, some.more]).toEqual([1500, true]);
    await store.remove(all.objects.map((object) => object.key));
    expect((await store.list({ prefix: 'pages/', max: 1 })).objects).toEqual([]);
  });
});

describe('uploads in parts', () => {
  afterEach(() => server.model.uploads.clear());

  const large = Buffer.alloc(20 * 1024 * 1024, 'part ');

  async function upload(key: ObjectKey): Promise<void> {
    const writer = await store.writer(key);
    await writer.write(large);
    await writer.finish();
  }

  it('lost replies to parts and to the completion are resolved', async () => {
    const key = objectKey('parts/lost-replies');
    on('PUT', { do: 'store-then-kill' }, 2);
    server.inject({
      when: ({ method, query }) => method === 'POST' && query.has('uploadId'),
      action: { do: 'store-then-kill' },
    });
    await upload(key);
    expect((await store.read(key))?.objectBytes).toBe(large.length);
    expect(server.model.uploads.size).toBe(0);
  });

  it('an error inside a 200 to the completion is retried', async () => {
    const key = objectKey('parts/error-in-200');
    server.inject({
      when: ({ method, query }) => method === 'POST' && query.has('uploadId'),
      action: { do: 'error-in-200', code: 'InternalError' },
    });
    await upload(key);
    expect((await store.read(key))?.objectBytes).toBe(large.length);
  });

  it('an error inside a 200 that was done is settled by a look at the object', async () => {
    const isCompletion = ({ method, query }: SeenRequest) =>
      method === 'POST' && query.has('uploadId');
    const done = objectKey('parts/done-but-error');
    const doneAction = { do: 'store-then-error-in-200', code: 'InternalError' } as const;
    server.inject({ when: isCompletion, action: doneAction });
    await upload(done);
    expect((await store.read(done))?.objectBytes).toBe(large.length);
    server.reset();
    // Done, and nothing but errors ever after.
    const key = objectKey('parts/done-but-errors');
    server.inject({ when: isCompletion, action: doneAction });
    const error = { do: 'error-in-200', code: 'InternalError' } as const;
    server.inject({ when: isCompletion, times: 10_000, action: error });
    await upload(key);
    expect((await store.read(key))?.objectBytes).toBe(large.length);
    // Never done.
    server.reset();
    server.inject({ when: isCompletion, times: 10_000, action: error });
    const failed = {
      errorName: 'NETWORK_ERROR',
      message: expect.stringContaining('InternalError'),
    };
    await expect(upload(objectKey('parts/never-done'))).rejects.toMatchObject(failed);
    expect(server.model.uploads.size).toBe(0);
  });

  it('a part that fails for good aborts the upload; so does giving up', async () => {
    const key = objectKey('parts/failed');
    server.inject({
      when: ({ query }) => query.get('partNumber') === '2',
      action: { do: 'status', status: 403, code: 'AccessDenied' },
    });
    await expect(upload(key)).rejects.toMatchObject({ errorName: 'S3_ERROR' });
    expect(server.model.uploads.size).toBe(0);
    const writer = await store.writer(key);
    await writer.write(large);
    expect(server.model.uploads.size).toBe(1);
    on('DELETE', { do: 'status', status: 503, code: 'SlowDown' }, 2);
    await writer.abort();
    expect(server.model.uploads.size).toBe(0);
    expect(await store.read(key)).toBeUndefined();
  });

  it('an abort that fails too is not an error of its own', async () => {
    const writer = await store.writer(objectKey('parts/abort-fails'));
    await writer.write(large);
    on('DELETE', { do: 'status', status: 403, code: 'AccessDenied' }, 10_000);
    await writer.abort();
    expect(server.model.uploads.size).toBe(1);
  });
});
