// What the S3 store makes of faults that its reads meet: replies that break off, lie, stall or belong to
// something else.

import { describe, expect, it } from 'vitest';
import { objectKey } from '../../object-store/object-key.ts';
import { body, hasty, newStore, on, seen, server, store, stored } from './s3-under-faults.ts';

describe('reads', () => {
  it('503 is waited for, within a budget of time', async () => {
    const key = await stored('read/slow-down');
    on('GET', { do: 'status', status: 503, code: 'SlowDown' }, 6);
    expect((await store.read(key))?.bytes.length).toBe(body.length);
    expect(seen('GET')).toHaveLength(7);
    on('GET', { do: 'status', status: 503, code: 'SlowDown' }, 10_000);
    await expect(store.read(key)).rejects.toMatchObject({ errorName: 'NETWORK_ERROR' });
  });

  it('a body that breaks off is resumed on condition that it is the same', async () => {
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

  it('an object that changed meanwhile is an error, never a mixture', async () => {
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

  it('a short range is an error, though it is consistent in itself', async () => {
    const key = await stored('read/short');
    on('GET', { do: 'short-range', bytes: 500 });
    await expect(store.read(key, { start: 0, end: 1000 })).rejects.toThrow('asked for bytes 0-999');
  });

  it('a 200 to a ranged request is refused', async () => {
    const key = await stored('read/ignored');
    on('GET', { do: 'ignore-range' });
    await expect(store.read(key, { start: 0, end: 1000 })).rejects.toThrow('range was ignored');
  });

  it('a stalled body is abandoned and resumed', async () => {
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

  it('a slow large body gets the time that its size needs', async () => {
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

  it('a connection that died is replaced, at once', async () => {
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

  it('a hundred failed reads leave no connection taken', async () => {
    const key = await stored('read/pool');
    const narrow = newStore({ socketsMax: 2, requestTimeoutMs: 10_000 });
    on('GET', { do: 'ignore-range' }, 100);
    const range = { start: 1, end: 2 };
    const reads = Array.from({ length: 100 }, () => narrow.read(key, range).catch(() => 'failed'));
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['failed']));
    expect((await narrow.read(key, range))?.bytes).toEqual(Uint8Array.of(body[1] ?? 0));
  });

  it('a refusal names key, status and request id', async () => {
    const key = await stored('read/refused');
    const stranger = newStore({ credentials: { accessKeyId: 'who', secretAccessKey: 'x' } });
    const text =
      /GET s3:\/\/fault-bucket\/read\/refused failed: 403 InvalidAccessKeyId .*FAULT0SERVER/;
    await expect(stranger.read(key)).rejects.toThrow(text);
    const farAway = newStore({ region: 'eu-west-1' });
    await expect(farAway.read(key)).rejects.toMatchObject({ errorName: 'S3_ERROR' });
  });

  it('a redirect is an error, never data', async () => {
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

  it('a whole object with a wrong CRC is read once more, by another connection', async () => {
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

  it('a body resumed half way is checked as a whole', async () => {
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

  it('a range with a CRC that is not its own is read twice and believed', async () => {
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

  it('a range damaged on the way is not believed', async () => {
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
