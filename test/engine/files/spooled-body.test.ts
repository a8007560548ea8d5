// A body is read anywhere, whatever chunks it came in, out of memory and out of a file.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { type Spool, spoolBody, spoolMemoryBytesMax } from '../../../engine/files/spooled-body.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-spool-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]) {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

function spooled(bytes: Uint8Array, sizes: readonly number[], spool?: Spool) {
  const { signal } = new AbortController();
  return spoolBody(chunksOf(bytes, sizes), { clock: systemClock, spool, signal });
}

test('every range of a small body, in chunks of any size', async () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => i);
  for (const sizes of [[40], [1], [0, 7, 3], [16, 16, 8]]) {
    const access = await spooled(bytes, sizes);
    expect(access.bytes).toBe(40);
    for (let start = 0; start <= 40; start++) {
      for (let end = start; end <= 40; end++) {
        expect(new Uint8Array(await access.read({ start, end }))).toEqual(bytes.slice(start, end));
      }
    }
    await access.close();
  }
});

test('a large body lies in a file without a name; without a folder it is refused', async () => {
  const bytes = new Uint8Array(spoolMemoryBytesMax + 1000).map((_, i) => i * 31);
  const access = await spooled(bytes, [1 << 20], { folder, bytesMax: 2 * bytes.length });
  expect(readdirSync(folder)).toEqual([]);
  const [start, end] = [spoolMemoryBytesMax - 5, spoolMemoryBytesMax + 500];
  expect(new Uint8Array(await access.read({ start, end }))).toEqual(bytes.slice(start, end));
  await access.close();
  await expect(spooled(bytes, [1 << 20])).rejects.toThrow(/at most 32 MiB/);
});
