import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { StagedFile } from '../../object-store/directory-staging.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import { objectKey } from '../../object-store/object-key.ts';
import { describeObjectStore } from './contract.ts';

const roots: string[] = [];
async function newRoot(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'muster-directory-'));
  roots.push(root);
  return root;
}
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true, force: true }))));

describeObjectStore('directory', async () => ({
  store: await DirectoryStore.open(await newRoot(), systemClock),
  close: async () => {},
}));

it('is made with what is above it; what is in the way is said', async () => {
  const root = await newRoot();
  await DirectoryStore.open(path.join(root, 'a/b/c'), systemClock);
  expect((await stat(path.join(root, 'a/b/c'))).isDirectory()).toBe(true);
  await writeFile(path.join(root, 'file'), '');
  for (const below of ['file', 'file/sub', 'file/sub/sub']) {
    await expect(DirectoryStore.open(path.join(root, below), systemClock)).rejects.toThrow(
      "can't be opened: a file is in the way",
    );
  }
});

it.runIf(process.platform === 'linux')('a place where nothing can be made', async () => {
  const open = DirectoryStore.open('/proc/muster/data', systemClock);
  await expect(open).rejects.toThrow('no directory can be made there (ENOENT)');
});

it('leaves no staging files behind, whatever the outcome', async () => {
  const root = await newRoot();
  const store = await DirectoryStore.open(root, systemClock);
  const key = objectKey('a/b');
  await store.create(key, new Uint8Array(10));
  await store.create(key, new Uint8Array(10));
  await store.put(key, new Uint8Array(10));
  await expect(store.put(key, new Uint8Array(11))).rejects.toThrow('another object');
  const writer = await store.writer(objectKey('a/c'));
  await writer.write(new Uint8Array(10));
  await writer.abort();
  expect(await readdir(path.join(root, '.tmp'))).toEqual([]);
  expect((await store.list({ prefix: '', max: 9 })).objects.map((one) => one.key)).toEqual(['a/b']);
});

it('removes staging files of dead processes and old ones of other hosts, at open', async () => {
  const root = await newRoot();
  await DirectoryStore.open(root, systemClock);
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '_');
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  const files = [`${host}.${dead}.1`, `${host}.${process.pid}.2`, 'else.1.3', 'else.1.4'];
  await mkdir(path.join(root, '.tmp'));
  for (const file of files) await writeFile(path.join(root, '.tmp', file), 'x');
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600;
  await utimes(path.join(root, '.tmp', 'else.1.4'), twoDaysAgo, twoDaysAgo);
  await DirectoryStore.open(root, systemClock);
  expect((await readdir(path.join(root, '.tmp'))).sort()).toEqual(
    [`${host}.${process.pid}.2`, 'else.1.3'].sort(),
  );
});

it('answers a create whose staging file was taken away with conflict, and writes nothing', async () => {
  const root = await newRoot();
  const store = await DirectoryStore.open(root, systemClock);
  const writer = await store.writer(objectKey('a'));
  await writer.write(new Uint8Array(3));
  for (const file of await readdir(path.join(root, '.tmp')))
    await rm(path.join(root, '.tmp', file));
  await expect(writer.finish()).rejects.toMatchObject({ errorName: 'S3_ERROR' });
  expect(await store.read(objectKey('a'))).toBeUndefined();
});

it('says that the disk is full, and nothing is visible', async () => {
  // A really full disk needs a mount of its own; the failing call is the one that would tell of it.
  const root = await newRoot();
  const store = await DirectoryStore.open(root, systemClock);
  const noSpace = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const failing = vi.spyOn(StagedFile.prototype, 'write').mockRejectedValue(noSpace);
  try {
    const full = { errorName: 'NOT_ENOUGH_SPACE' };
    const key = objectKey('full/a');
    await expect(store.create(key, new Uint8Array(9))).rejects.toMatchObject(full);
    await expect(store.put(key, new Uint8Array(9))).rejects.toMatchObject(full);
    const writer = await store.writer(key);
    await expect(writer.write(new Uint8Array(9))).rejects.toMatchObject(full);
    await writer.abort();
  } finally {
    failing.mockRestore();
  }
  expect((await store.list({ prefix: '', max: 9 })).objects).toEqual([]);
  expect(await readdir(path.join(root, '.tmp'))).toEqual([]);
});

it("dates a write by the file system's own time", async () => {
  const root = await newRoot();
  const store = await DirectoryStore.open(root, systemClock);
  const reply = await store.create(objectKey('dated'), new Uint8Array(5));
  const { mtimeMs } = await stat(path.join(root, 'dated'));
  expect(reply).toEqual({ outcome: 'created', date: Math.floor(mtimeMs) });
});

it('ignores foreign names', async () => {
  const root = await newRoot();
  const store = await DirectoryStore.open(root, systemClock);
  await writeFile(path.join(root, '.hidden'), 'x');
  await writeFile(path.join(root, 'with space'), 'x');
  await store.create(objectKey('z'), new Uint8Array(1));
  const page = await store.list({ prefix: '', max: 1 });
  expect(page.objects.map((one) => one.key)).toEqual(['z']);
  expect(page.more).toBe(false);
});
