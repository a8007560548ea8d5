// The contract of the object store port, one suite for every implementation.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { objectKey } from '../../object-store/object-key.ts';
import type { ObjectKey, ObjectStore } from '../../object-store/port.ts';
import { probeStore } from '../../object-store/store-probe.ts';

interface ContractStore {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

/** `open` gives an empty root; called once. `mebibytes` is the size of the large upload. */
export function describeObjectStore(
  name: string,
  open: () => Promise<ContractStore>,
  mebibytes = 20,
): void {
  describe(`object store contract: ${name}`, () => {
    let opened: ContractStore;
    let store: ObjectStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());
    creates(() => store);
    reads(() => store);
    uploads(() => store, mebibytes);
    lists(() => store);
    removals(() => store);
    cancellations(() => store);
    it('passes the start-up probe', async () => {
      await probeStore(store, { clock: systemClock });
      expect((await store.list({ prefix: 'probe/', max: 1 })).objects).toEqual([]);
    });
  });
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Deterministic bytes in which no two places look alike. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0, x = 1; i < length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
}

async function readText(store: ObjectStore, key: ObjectKey): Promise<string | undefined> {
  const reply = await store.read(key);
  return reply === undefined ? undefined : new TextDecoder().decode(reply.bytes);
}

function expectRecent(date: number): void {
  expect(Math.abs(Date.now() - date)).toBeLessThan(60_000);
}

async function keysOf(store: ObjectStore, prefix: string, after = ''): Promise<readonly string[]> {
  const page = await store.list({ prefix, after, max: 100 });
  return page.objects.map((object) => object.key);
}

type Current = () => ObjectStore;

function creates(current: Current): void {
  it('creates once, and never overwrites', async () => {
    const key = objectKey('create/one');
    const first = await current().create(key, bytesOf('first'));
    const second = await current().create(key, bytesOf('second'));
    expect([first.outcome, second.outcome]).toEqual(['created', 'exists']);
    expect(await readText(current(), key)).toBe('first');
    for (const reply of [first, second]) if ('date' in reply) expectRecent(reply.date);
  });

  it('lets exactly one of 16 racing creates win, and the winner is what is read', async () => {
    for (let round = 0; round < 3; round++) {
      const key = objectKey(`create/race-${round}`);
      const bodies = Array.from({ length: 16 }, (_, i) => bytesOf(`body ${i} `.repeat(500)));
      const replies = await Promise.all(bodies.map((body) => current().create(key, body)));
      const won = replies.flatMap(({ outcome }, i) => (outcome === 'created' ? [i] : []));
      expect(won).toHaveLength(1);
      expect(replies.filter(({ outcome }) => outcome === 'exists')).toHaveLength(15);
      expect(await readText(current(), key)).toBe(`body ${won[0]} `.repeat(500));
    }
  });

  it('creates an empty object', async () => {
    const key = objectKey('create/empty');
    expect((await current().create(key, new Uint8Array(0))).outcome).toBe('created');
    const reply = await current().read(key);
    expect([reply?.bytes.length, reply?.objectBytes]).toEqual([0, 0]);
  });

  // A Buffer's `slice` is a view of the same bytes.
  it.each([bytesOf('before'), Buffer.from('before')])(
    'keeps its own copy of a body',
    async (body) => {
      const key = objectKey(`create/copy-${body.constructor.name}`);
      await current().create(key, body);
      body.fill(0x78);
      expect(await readText(current(), key)).toBe('before');
      const read = await current().read(key);
      read?.bytes.fill(0x79);
      expect(await readText(current(), key)).toBe('before');
    },
  );
}

function reads(current: Current): void {
  it('tells the Date of every read, of what is not there too', async () => {
    const key = objectKey('read/dated');
    const dates: number[] = [];
    const onDate = (date: number) => {
      dates.push(date);
    };
    await current().read(key, undefined, { onDate });
    await current().create(key, bytesOf('x'));
    const reply = await current().read(key, { start: 0, end: 1 }, { onDate });
    expect(dates).toHaveLength(2);
    expect(dates[1]).toBe(reply?.date);
    for (const date of dates) expectRecent(date);
  });

  it('answers undefined for what is not there', async () => {
    expect(await current().read(objectKey('read/absent'))).toBeUndefined();
    expect(await current().read(objectKey('read/absent'), { start: 0, end: 4 })).toBeUndefined();
    await current().create(objectKey('read/deep/er'), bytesOf('x'));
    expect(await current().read(objectKey('read/deep'))).toBeUndefined();
    expect(await current().read(objectKey('read/deep/er/still'))).toBeUndefined();
  });

  it('reads whole objects and exact ranges', async () => {
    const key = objectKey('read/ranges');
    const body = noise(300_000);
    await current().create(key, body);
    const whole = await current().read(key);
    expect(whole?.objectBytes).toBe(body.length);
    expect(Buffer.compare(whole?.bytes ?? new Uint8Array(), body)).toBe(0);
    expectRecent(whole?.date ?? 0);
    const edges = [0, 1, 65_535, 65_536, 65_537, 299_999, 300_000];
    for (const start of edges) {
      for (const end of edges.filter((edge) => edge > start)) {
        const reply = await current().read(key, { start, end });
        expect(reply?.objectBytes).toBe(body.length);
        expect(Buffer.compare(reply?.bytes ?? noise(3), body.subarray(start, end))).toBe(0);
      }
    }
  });

  it('refuses a range that reaches past the end', async () => {
    const key = objectKey('read/short');
    await current().create(key, bytesOf('0123456789'));
    for (const range of [
      { start: 5, end: 11 },
      { start: 10, end: 12 },
      { start: 50, end: 60 },
    ]) {
      const refusal = expect(current().read(key, range)).rejects;
      await refusal.toThrow(/^corrupt part read\/short: /);
    }
  });
}

function uploads(current: Current, mebibytes: number): void {
  it('puts, again with the same size without complaint, with another size not', async () => {
    const key = objectKey('put/one');
    expectRecent((await current().put(key, bytesOf('four'))).date);
    expectRecent((await current().put(key, bytesOf('four'))).date);
    expect(await readText(current(), key)).toBe('four');
    await expect(current().put(key, bytesOf('another size'))).rejects.toThrow('another object');
    expect(await readText(current(), key)).toBe('four');
  });

  it('dates an upload no later than its listing', async () => {
    const { date } = await current().put(objectKey('put/dated'), bytesOf('x'));
    const listed = await current().list({ prefix: 'put/dated', max: 1 });
    // S3 tells whole seconds.
    expect(Math.floor(date / 1000) * 1000).toBeLessThanOrEqual(listed.objects[0]?.modified ?? 0);
  });

  it('streams a small and a large object; nothing is visible before the end', async () => {
    const body = noise(mebibytes * 1024 * 1024 + 17);
    for (const [name, length] of [
      ['empty', 0],
      ['small', 1000],
      ['large', body.length],
    ] as const) {
      const key = objectKey(`write/${name}`);
      const writer = await current().writer(key);
      for (let start = 0; start < length; start += 700_001) {
        await writer.write(body.slice(start, Math.min(start + 700_001, length)));
      }
      expect(await current().read(key)).toBeUndefined();
      const finished = await writer.finish();
      expect(finished.bytes).toBe(length);
      expectRecent(finished.date);
      const reply = await current().read(key);
      expect(Buffer.compare(reply?.bytes ?? noise(3), body.subarray(0, length))).toBe(0);
      await writer.abort();
      expect(await current().read(key, undefined)).toBeDefined();
    }
  });

  it('leaves nothing of an aborted upload', async () => {
    const key = objectKey('abort/one');
    for (const length of [0, 10, 9 * 1024 * 1024]) {
      const writer = await current().writer(key);
      await writer.write(noise(length));
      await writer.abort();
      await writer.abort();
    }
    expect(await current().read(key)).toBeUndefined();
    expect((await current().list({ prefix: 'abort/', max: 10 })).objects).toEqual([]);
  });
}

function lists(current: Current): void {
  const names = ['a_', 'a-b', 'a.b', 'a/b', 'a/b-c', 'a0', 'aa', 'b/x', 'b/y/z', 'c'];
  const keys = names.map((name) => `list/${name}`);
  const sorted = [...keys].sort();

  it('lists in the order of key bytes, in pages, after any key', async () => {
    for (const key of keys) await current().create(objectKey(key), bytesOf(key));
    const all = await current().list({ prefix: 'list/', max: 100 });
    expect(all.objects.map((object) => object.key)).toEqual(sorted);
    expect(all.more).toBe(false);
    expectRecent(all.date);
    for (const object of all.objects) {
      expect(object.bytes).toBe(object.key.length);
      expectRecent(object.modified);
    }
    for (const [place, after] of sorted.entries()) {
      for (const max of [1, 3, 100]) {
        const page = await current().list({ prefix: 'list/', after, max });
        const right = sorted.slice(place + 1);
        expect(page.objects.map((object) => object.key)).toEqual(right.slice(0, max));
        expect(page.more).toBe(right.length > max);
      }
    }
  });

  it('takes prefixes that end within a segment, and `after` outside of them', async () => {
    for (const prefix of ['list/a', 'list/a/b', 'list/b/', 'list/b/y', 'list/none', 'none/']) {
      expect(await keysOf(current(), prefix)).toEqual(
        sorted.filter((key) => key.startsWith(prefix)),
      );
    }
    expect(await keysOf(current(), 'list/b/', 'list/a')).toEqual(['list/b/x', 'list/b/y/z']);
    expect(await keysOf(current(), 'list/b/', 'list/b/y')).toEqual(['list/b/y/z']);
    expect(await keysOf(current(), 'list/b/', 'list/c')).toEqual([]);
  });

  it('finds the first of many at once', async () => {
    const many = Array.from({ length: 60 }, (_, i) => String((i * 37) % 60).padStart(4, '0'));
    await Promise.all(
      many.map((name) => current().create(objectKey(`many/${name}`), bytesOf(name))),
    );
    const first = await current().list({ prefix: 'many/', max: 1 });
    expect(first.objects.map((object) => object.key)).toEqual(['many/0000']);
    expect(first.more).toBe(true);
    const next = await current().list({ prefix: 'many/', after: 'many/0040', max: 2 });
    expect(next.objects.map((object) => object.key)).toEqual(['many/0041', 'many/0042']);
  });
}

function removals(current: Current): void {
  it('removes, absent keys too, and the name can be created again', async () => {
    const [x, y, z] = [objectKey('remove/x'), objectKey('remove/y'), objectKey('remove/z')];
    for (const key of [x, z]) await current().create(key, bytesOf(key));
    await current().remove([x, y]);
    await current().remove([]);
    expect(await current().read(x)).toBeUndefined();
    expect(await readText(current(), z)).toBe('remove/z');
    const left = await current().list({ prefix: 'remove/', max: 9 });
    expect(left.objects.map((object) => object.key)).toEqual([z]);
    expect((await current().create(x, bytesOf('again'))).outcome).toBe('created');
  });
}

function cancellations(current: Current): void {
  it('does nothing for a caller that is gone', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const key = objectKey('cancel/one');
    await expect(current().read(key, undefined, { signal })).rejects.toThrow('gone');
    await expect(current().create(key, bytesOf('x'), { signal })).rejects.toThrow('gone');
    await expect(current().put(key, bytesOf('x'), { signal })).rejects.toThrow('gone');
    await expect(current().list({ prefix: '', max: 1, signal })).rejects.toThrow('gone');
    await expect(current().writer(key, { signal })).rejects.toThrow('gone');
    expect(await current().read(key)).toBeUndefined();
  });
}
