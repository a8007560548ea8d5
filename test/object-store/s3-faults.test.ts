// What the S3 store makes of faults, each injected into the real SDK's requests. Numbered as in the
// table of what the SDK itself does with them: several are silent there.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { objectKey } from '../../object-store/object-key.ts';
import type { ObjectKey, ObjectStore } from '../../object-store/port.ts';
import { S3Store, type S3StoreOptions } from '../../object-store/s3-store.ts';
import { type FaultAction, FaultServer, type SeenRequest } from './fault-server.ts';

const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) >>> 3));
let server: FaultServer;
let store: ObjectStore;
/** For what ends at the time limit of a request. */
let hasty: ObjectStore;

function newStore(options: Partial<S3StoreOptions> = {}): S3Store {
  return server.store({
    requestTimeoutMs: 5_000,
    retry: { budgetMs: 1_500, throttledBudgetMs: 1_500, firstDelayMs: 5, delayMsMax: 50 },
    ...options,
  });
}

beforeAll(async () => {
  server = await FaultServer.start();
  store = newStore();
  hasty = newStore({ requestTimeoutMs: 250 });
  // The SDK's first requests take longer than that.
  await store.create(objectKey('first'), body);
  server.reset();
});
afterEach(() => server.reset());
afterAll(() => server.close());

function on(method: string, action: FaultAction, times = 1): void {
  server.inject({ when: (request) => request.method === method, times, action });
}

async function stored(name: string): Promise<ObjectKey> {
  const key = objectKey(name);
  await store.create(key, body);
  server.reset();
  return key;
}

function seen(method: string): readonly SeenRequest[] {
  return server.seen.filter((request) => request.method === method);
}

describe('creates', () => {
  it('case 1: a reply that is lost leaves the outcome unknown, after one request', async () => {
    const key = objectKey('create/lost-reply');
    on('PUT', { do: 'store-then-kill' });
    expect((await store.create(key, body)).outcome).toBe('unknown');
    expect(seen('PUT')).toHaveLength(1);
    expect((await store.create(key, body)).outcome).toBe('exists');
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('case 1b: a request that never arrived is unknown as well', async () => {
    const key = objectKey('create/never-arrived');
    on('PUT', { do: 'kill' });
    expect((await store.create(key, body)).outcome).toBe('unknown');
    expect((await store.create(key, body)).outcome).toBe('created');
  });

  it('case 2: 409 is conflict, never exists', async () => {
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

describe('reads', () => {
  it('case 3: 503 is waited for, within a budget of time', async () => {
    const key = await stored('read/slow-down');
    on('GET', { do: 'status', status: 503, code: 'SlowDown' }, 6);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
    expect(seen('GET')).toHaveLength(7);
    on('GET', { do: 'status', status: 503, code: 'SlowDown' }, 10_000);
    await expect(store.read(key)).rejects.toMatchObject({ errorName: 'NETWORK_ERROR' });
  });

  it('case 4, F28: a body that breaks off is resumed on condition that it is the same', async () => {
    const key = await stored('read/cut');
    on('GET', { do: 'cut-body', fraction: 0.4 }, 3);
    for (const range of [undefined, { start: 10, end: 90_010 }]) {
      const reply = await store.read(key, range);
      const right = body.subarray(range?.start ?? 0, range?.end);
      expect(Buffer.compare(reply?.bytes ?? Buffer.alloc(0), right)).toBe(0);
    }
    const gets = seen('GET');
    expect(gets[0]?.headers.range).toBeUndefined();
    const resumed = gets.slice(1, 4);
    for (const { headers } of resumed) {
      expect(headers.range).toMatch(/^bytes=\d+-99999$/);
      expect(headers.range).not.toMatch(/^bytes=0-/);
      expect(headers['if-match']).toBeDefined();
    }
  });

  it('F31: an object that changed meanwhile is an error, never a mixture', async () => {
    const key = await stored('read/changed');
    on('GET', { do: 'cut-body', fraction: 0.4 });
    server.inject({
      when: (request) => {
        if (request.headers.range !== undefined)
          server.model.put(key, Buffer.alloc(100_000), undefined);
        return false;
      },
      action: { do: 'kill' },
    });
    await expect(store.read(key)).rejects.toMatchObject({ errorName: 'CORRUPTED_DATA' });
  });

  it('an object that is removed meanwhile is absent', async () => {
    const key = await stored('read/removed');
    on('GET', { do: 'cut-body', fraction: 0.4 });
    server.inject({
      when: (request) => {
        if (request.headers.range !== undefined) server.model.remove([key]);
        return false;
      },
      action: { do: 'kill' },
    });
    expect(await store.read(key)).toBeUndefined();
  });

  it('case 5: a short range is an error, though it is consistent in itself', async () => {
    const key = await stored('read/short');
    on('GET', { do: 'short-range', bytes: 500 });
    await expect(store.read(key, { start: 0, end: 1000 })).rejects.toThrow('asked for bytes 0-999');
  });

  it('case 6, F32: a 200 to a ranged request is refused', async () => {
    const key = await stored('read/ignored');
    on('GET', { do: 'ignore-range' });
    await expect(store.read(key, { start: 0, end: 1000 })).rejects.toThrow('range was ignored');
  });

  it('case 10: a stalled body is abandoned and resumed', async () => {
    const key = await stored('read/stalled');
    on('GET', { do: 'stall-body', fraction: 0.5 });
    expect((await hasty.read(key))?.bytes.length).toBe(body.length);
    expect(seen('GET').map(({ headers }) => headers.range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=[1-9]\d+-99999$/),
    ]);
    on('GET', { do: 'stall' });
    expect((await hasty.read(key))?.bytes.length).toBe(body.length);
  });

  it('case 10: a slow large body gets the time that its size needs', async () => {
    const key = objectKey('read/slow');
    // At the least tolerated speed 4 s more than the 250 ms for an answer.
    const large = Buffer.alloc(4 << 20, 'slow');
    server.model.put(key, large, undefined);
    for (const range of [undefined, { start: 0, end: large.length }]) {
      on('GET', { do: 'slow-body', ms: 600 });
      expect((await hasty.read(key, range))?.bytes.length).toBe(large.length);
    }
    expect(seen('GET')).toHaveLength(2);
  });

  it('F37: a connection that died is replaced, at once', async () => {
    const key = await stored('read/reset');
    on('GET', { do: 'kill' }, 3);
    expect((await store.read(key))?.objectBytes).toBe(body.length);
    const neverWaits = { firstDelayMs: 1e9, delayMsMax: 1e9 };
    const budget = { budgetMs: 1_500, throttledBudgetMs: 1_500 };
    const own = newStore({ retry: { ...budget, ...neverWaits } });
    await own.read(key);
    on('GET', { do: 'kill' });
    expect((await own.read(key))?.objectBytes).toBe(body.length);
  });

  it('F38: a hundred failed reads leave no connection taken', async () => {
    const key = await stored('read/pool');
    const narrow = newStore({ socketsMax: 2, requestTimeoutMs: 10_000 });
    on('GET', { do: 'ignore-range' }, 100);
    const range = { start: 1, end: 2 };
    const reads = Array.from({ length: 100 }, () => narrow.read(key, range).catch(() => 'failed'));
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['failed']));
    expect((await narrow.read(key, range))?.bytes).toEqual(Uint8Array.of(body[1] ?? 0));
  });

  it('F23: a refusal names key, status and request id', async () => {
    const key = await stored('read/refused');
    const stranger = newStore({ credentials: { accessKeyId: 'who', secretAccessKey: 'x' } });
    const text =
      /GET s3:\/\/fault-bucket\/read\/refused failed: 403 InvalidAccessKeyId .*FAULT0SERVER/;
    await expect(stranger.read(key)).rejects.toThrow(text);
    const farAway = newStore({ region: 'eu-west-1' });
    await expect(farAway.read(key)).rejects.toMatchObject({ errorName: 'S3_ERROR' });
  });

  it('F34: a redirect is an error, never data', async () => {
    const key = await stored('read/redirect');
    on('GET', { do: 'status', status: 301, code: 'PermanentRedirect' });
    await expect(store.read(key)).rejects.toThrow('301 PermanentRedirect');
  });

  it('a reply without a Date is refused', async () => {
    const key = await stored('read/dateless');
    on('GET', { do: 'date', date: undefined });
    await expect(store.read(key)).rejects.toThrow('no Date');
  });

  it("the reply's Date is the store's, not ours", async () => {
    const key = await stored('read/dated');
    const own = newStore();
    on('GET', { do: 'date', date: 'Tue, 01 Feb 2000 00:00:00 GMT' });
    expect((await own.read(key))?.date).toBe(Date.UTC(2000, 1, 1));
    // The SDK now signs as of then, is refused, and is right the next time.
    expect((await own.create(objectKey('create/after-dated'), body)).outcome).toBe('created');
    expect(seen('PUT')).toHaveLength(2);
  });

  it('case 7: a whole object with a wrong CRC is read once more, by another connection', async () => {
    const key = await stored('read/checksum');
    for (const profile of ['aws', 'compatible'] as const) {
      const own = newStore({ profile });
      await own.read(key);
      server.reset();
      on('GET', { do: 'damage' });
      expect(Buffer.compare((await own.read(key))?.bytes ?? Buffer.alloc(0), body)).toBe(0);
      expect(seen('GET').map(({ reused }) => reused)).toEqual([true, false]);
      on('GET', { do: 'damage' }, 100);
      const failed = { errorName: 'CHECKSUM_DOESNT_MATCH' };
      await expect(own.read(key)).rejects.toMatchObject(failed);
      expect(seen('GET')).toHaveLength(4);
      server.reset();
    }
  });

  it('case 7: a body resumed half way is checked as a whole', async () => {
    const key = await stored('read/checksum-resumed');
    const own = newStore({ profile: 'aws' });
    on('GET', { do: 'cut-body', fraction: 0.4 });
    expect((await own.read(key))?.bytes.length).toBe(body.length);
    on('GET', { do: 'damaged-and-cut' });
    expect(Buffer.compare((await own.read(key))?.bytes ?? Buffer.alloc(0), body)).toBe(0);
    expect(seen('GET').map(({ headers }) => headers.range !== undefined)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  it('case 8: a range with a CRC that is not its own is read twice and believed', async () => {
    const key = await stored('read/range-checksum');
    const range = { start: 10, end: 90_010 };
    for (const of of ['whole', 'nothing'] as const) {
      const own = newStore();
      on('GET', { do: 'checksum', of }, 100);
      const right = body.subarray(range.start, range.end);
      const read = async () => (await own.read(key, range))?.bytes ?? Buffer.alloc(0);
      expect(Buffer.compare(await read(), right)).toBe(0);
      expect(seen('GET').map(({ reused }) => reused)).toEqual([false, false]);
      // Known by now: this store's checksums of ranges are the whole object's.
      expect(Buffer.compare(await read(), right)).toBe(0);
      expect(seen('GET')).toHaveLength(3);
      server.reset();
    }
  });

  it('case 8: a range damaged on the way is not believed', async () => {
    const key = await stored('read/range-damaged');
    const range = { start: 10, end: 90_010 };
    on('GET', { do: 'damage' });
    const own = newStore();
    const right = body.subarray(range.start, range.end);
    expect(Buffer.compare((await own.read(key, range))?.bytes ?? Buffer.alloc(0), right)).toBe(0);
    on('GET', { do: 'damage' });
    on('GET', { do: 'checksum', of: 'nothing' });
    const failed = { errorName: 'CHECKSUM_DOESNT_MATCH' };
    await expect(own.read(key, range)).rejects.toMatchObject(failed);
  });
});

describe('puts, lists, removals', () => {
  it('F05: a put whose reply was lost finds its own object', async () => {
    const key = objectKey('put/lost-reply');
    on('PUT', { do: 'store-then-kill' });
    await store.put(key, body);
    expect(seen('PUT')).toHaveLength(2);
    expect(seen('GET')).toHaveLength(1);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('F06: a put is sent again after 409', async () => {
    const key = objectKey('put/conflict');
    on('PUT', { do: 'status', status: 409, code: 'ConditionalRequestConflict' }, 2);
    await store.put(key, body);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
  });

  it('F10: a damaged upload is not taken for done', async () => {
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

  it('F35: lists page by page beyond 1000 keys', async () => {
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

  it('case 9: an error inside a 200 to the completion is retried', async () => {
    const key = objectKey('parts/error-in-200');
    server.inject({
      when: ({ method, query }) => method === 'POST' && query.has('uploadId'),
      action: { do: 'error-in-200', code: 'InternalError' },
    });
    await upload(key);
    expect((await store.read(key))?.objectBytes).toBe(large.length);
  });

  it('case 9: an error inside a 200 that was done is settled by a look at the object', async () => {
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

  it('F47: a part that fails for good aborts the upload; so does giving up', async () => {
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

  it('F47: an abort that fails too is not an error of its own', async () => {
    const writer = await store.writer(objectKey('parts/abort-fails'));
    await writer.write(large);
    on('DELETE', { do: 'status', status: 403, code: 'AccessDenied' }, 10_000);
    await writer.abort();
    expect(server.model.uploads.size).toBe(1);
  });
});
