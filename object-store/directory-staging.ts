// Files of the directory store that nobody may see yet. They lie in `<root>/.tmp`, on the same file
// system as the keys, so that link(2) can publish them whole or not at all.
//
// A name is `<host>.<pid>.<random>`: what a dead process of this host left is removed when the store
// is opened, what another host left after a day. Removing a living file too early is harmless:
// its link fails and nothing was published.

import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { errorCode } from './store-errors.ts';

const otherHostAgeMsMax = 24 * 3600 * 1000;
const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '_');

export class StagingArea {
  readonly #directory: string;
  readonly #clock: Clock;

  private constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Removes what dead processes left in the area; makes it when the first file is created. */
  static async open(root: string, clock: Clock): Promise<StagingArea> {
    const directory = path.join(root, '.tmp');
    const area = new StagingArea(directory, clock);
    for (const name of await namesIn(directory)) await area.#removeIfStale(name);
    return area;
  }

  async create(): Promise<StagedFile> {
    const name = `${host}.${process.pid}.${this.#clock.randomId()}`;
    const file = path.join(this.#directory, name);
    return new StagedFile(file, await this.#open(file));
  }

  async #open(file: string): Promise<FileHandle> {
    try {
      return await open(file, 'wx', 0o644);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      await mkdir(this.#directory, { recursive: true });
      return await open(file, 'wx', 0o644);
    }
  }

  async #removeIfStale(name: string): Promise<void> {
    const file = path.join(this.#directory, name);
    const [owner, pid] = name.split('.');
    try {
      const stale = owner === host ? !isAlive(Number(pid)) : await isOld(file, this.#clock.now());
      if (stale) await unlink(file);
    } catch {
      // Somebody else cleans as well, or the file isn't ours to remove; it does no harm.
    }
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** One unpublished file; `discard` must be called in every case. */
export class StagedFile {
  readonly path: string;
  readonly #handle: FileHandle;
  #bytes = 0;
  #open = true;

  constructor(file: string, handle: FileHandle) {
    this.path = file;
    this.#handle = handle;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The file system's own time of the last write. */
  async date(): Promise<number> {
    return Math.floor((await this.#handle.stat()).mtimeMs);
  }

  async write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const result = await this.#handle.write(bytes, written, bytes.length - written);
      written += result.bytesWritten;
    }
    this.#bytes += bytes.length;
  }

  /** After this the bytes survive a power cut; they are still invisible. */
  async seal(): Promise<void> {
    await this.#handle.sync();
    await this.#close();
  }

  /** Removes the staging name; a published link stays. Never throws. */
  async discard(): Promise<void> {
    try {
      await this.#close();
      await unlink(this.path);
    } catch {
      // Removed as stale when the store is opened next.
    }
  }

  async #close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#handle.close();
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

async function isOld(file: string, now: number): Promise<boolean> {
  return now - (await stat(file)).mtimeMs > otherHostAgeMsMax;
}
