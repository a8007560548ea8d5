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
});
