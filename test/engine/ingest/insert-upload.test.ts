import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { dataKey } from '../../../catalog/keys.ts';
import type { NamespaceId } from '../../../catalog/schema.ts';
import { InsertUpload, packedObjectBytesMax } from '../../../engine/ingest/insert-upload.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';

const namespace = 3 as NamespaceId;
const rest = { checksum: 0, index: { start: 0, end: 1 }, groupFirst: 0, groupCount: 1 };

describe('uploads of an insert', () => {
  it('packs small parts into one object, aligned, and says that it is shared', async () => {
    const store = new MemoryStore();
    const upload = new InsertUpload({ store, namespace, clock: systemClock });
    const first = await upload.pack(Uint8Array.of(1, 2, 3));
    const second = await upload.pack(Uint8Array.of(4, 5));
    expect(second).toEqual({ object: first.object, offset: 64 });
    await upload.finish();
    const place = upload.place({ ...second, ...rest, bytes: 2 });
    expect(place).toMatchObject({ objectBytes: 66, shared: true });
    const read = await store.read(dataKey(namespace, first.object), { start: 64, end: 66 });
    expect([...(read?.bytes ?? [])]).toEqual([4, 5]);
  });

  it('begins a new object when the shared one is full', async () => {
    const store = new MemoryStore();
    const upload = new InsertUpload({ store, namespace, clock: systemClock });
    const first = await upload.pack(new Uint8Array(packedObjectBytesMax - 10));
    const second = await upload.pack(new Uint8Array(20));
    await upload.finish();
    expect(second.object).not.toBe(first.object);
    expect(upload.place({ ...first, ...rest, bytes: 1 }).shared).toBe(false);
    expect(upload.uploadedAfter).toBeDefined();
  });

  it('writes a large part in pieces as an object of its own, and packs a small one', async () => {
    const store = new MemoryStore();
    const upload = new InsertUpload({ store, namespace, clock: systemClock });
    const pieces = [Uint8Array.of(1, 2), new Uint8Array(packedObjectBytesMax).fill(3)];
    const length = packedObjectBytesMax + 2;
    const large = await upload.packPieces(pieces, length);
    const more = await upload.packPieces(pieces, length);
    const small = await upload.packPieces([Uint8Array.of(4), Uint8Array.of(5)], 2);
    await upload.finish();
    expect(new Set([large.object, more.object, small.object]).size).toBe(3);
    const place = upload.place({ ...large, ...rest, bytes: length });
    expect(place).toMatchObject({ offset: 0, objectBytes: length, shared: false });
    const read = await store.read(dataKey(namespace, large.object));
    expect(Buffer.compare(read?.bytes ?? Buffer.of(), Buffer.concat(pieces))).toBe(0);
    const packed = await store.read(dataKey(namespace, small.object));
    expect([...(packed?.bytes ?? [])]).toEqual([4, 5]);
  });

  it.each([2, packedObjectBytesMax + 1])(
    'keeps pieces of %i bytes until it has them',
    async (length) => {
      const store = new MemoryStore();
      const upload = new InsertUpload({ store, namespace, clock: systemClock });
      const pieces = [new Uint8Array(length).fill(3)];
      let freed = 0;
      const { object } = await upload.packPieces(pieces, length, () => {
        pieces[0]!.fill(9);
        freed++;
      });
      await upload.finish();
      expect(freed).toBe(1);
      const read = await store.read(dataKey(namespace, object));
      expect(read?.bytes.every((byte) => byte === 3)).toBe(true);
    },
  );

  it('fails where a large part could not be written', async () => {
    const store = new MemoryStore();
    const gone = new AbortController();
    const upload = new InsertUpload({ store, namespace, clock: systemClock, signal: gone.signal });
    gone.abort(new Error('the client left'));
    await upload.packPieces([new Uint8Array(packedObjectBytesMax + 1)], packedObjectBytesMax + 1);
    await expect(upload.finish()).rejects.toThrow('the client left');
  });
});
