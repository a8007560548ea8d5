// The object store in a local directory: a key is a file path below the root.
//
// A body is written to a staging file, fsynced, published by link(2) (which fails if the name is
// taken, in one atomic step), and the directory is fsynced. So an object is there whole, durable and
// once, or not at all, also when the process or the machine dies at any moment.
//
// Dates: what a write answers is the mtime that the file system gave its file. What reads and lists
// answer is the wall clock of this machine, whose file system it is; the start-up probe refuses a
// directory (a network mount) whose mtimes are off.

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  read as readCallback,
  readSync,
  statSync,
} from 'node:fs';
import { link, mkdir, open, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { assert } from '../base/assert.ts';
import { type ByteRange, rangeLength } from '../base/byte-range.ts';
import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { keysInOrder } from './directory-listing.ts';
import { type StagedFile, StagingArea } from './directory-staging.ts';
import { isObjectKey } from './object-key.ts';
import type {
  CallOptions,
  CreateOutcome,
  ListedObject,
  ListOptions,
  ListReply,
  ObjectKey,
  ObjectStore,
  ObjectWriter,
  ReadReply,
} from './port.ts';
import { errorCode, nameTaken, rangePastEnd } from './store-errors.ts';

const readFile = promisify(readCallback);

// Reads up to this are synchronous: from the page cache 5 us instead of 60 us through the pool.
const syncBytesMax = 64 * 1024;

/** Nothing happened, and trying again changes nothing until somebody acts. */
const definiteCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG', 'EMLINK']);
/** What to look at, in words. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file is in the way',
  ENOTDIR: 'a file is in the way',
  ENOENT: 'no directory can be made there',
};
const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

export class DirectoryStore implements ObjectStore {
  readonly id: string;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #staging: StagingArea;
  /** Directories that this process has made and fsynced. */
  readonly #durable = new Set<string>();

  private constructor(root: string, clock: Clock, staging: StagingArea) {
    this.id = `dir:${root}`;
    this.#root = root;
    this.#clock = clock;
    this.#staging = staging;
  }

  /** Makes the directory if it is missing and removes what dead processes left unpublished. */
  static async open(directory: string, clock: Clock): Promise<DirectoryStore> {
    const root = path.resolve(directory);
    try {
      await makeDirectories(root);
      return new DirectoryStore(root, clock, await StagingArea.open(root, clock));
    } catch (error) {
      throw storageError(`directory ${root} can't be opened`, error);
    }
  }

  async read(
    key: ObjectKey,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<ReadReply | undefined> {
    options.signal?.throwIfAborted();
    assert(range === undefined || rangeLength(range) > 0, `empty range of ${key}`);
    options.onRequest?.('read');
    const file = openFile(this.#path(key));
    const date = this.#clock.now();
    options.onDate?.(date);
    if (file === undefined) return undefined;
    try {
      const info = fstatSync(file);
      if (!info.isFile()) return undefined;
      const wanted = range ?? { start: 0, end: info.size };
      if (wanted.end > info.size) throw rangePastEnd(key, wanted, info.size);
      const bytes = await readExactly(file, key, wanted);
      return { bytes, objectBytes: info.size, date };
    } catch (error) {
      throw storageError(`${key} can't be read`, error);
    } finally {
      closeSync(file);
    }
  }

  async create(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions = {},
  ): Promise<CreateOutcome> {
    options.signal?.throwIfAborted();
    options.onRequest?.('write');
    const staged = await this.#stage(key);
    try {
      await staged.write(body);
      const date = await staged.date();
      await staged.seal();
      return await this.#publish(staged, key, date);
    } catch (error) {
      throw storageError(`${key} can't be written`, error);
    } finally {
      await staged.discard();
    }
  }

  async put(
    key: ObjectKey,
    body: Uint8Array,
    options: CallOptions = {},
  ): Promise<{ readonly date: number }> {
    const writer = await this.writer(key, options);
    try {
      await writer.write(body);
      return { date: (await writer.finish()).date };
    } finally {
      await writer.abort();
    }
  }

  async writer(key: ObjectKey, options: CallOptions = {}): Promise<ObjectWriter> {
    options.signal?.throwIfAborted();
    options.onRequest?.('write');
    const staged = await this.#stage(key);
    const date = await staged.date();
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        options.signal?.throwIfAborted();
        return await work();
      } catch (error) {
        throw storageError(`${key} can't be written`, error);
      }
    };
    return {
      write: (bytes) => guarded(() => staged.write(bytes)),
      finish: () => guarded(() => this.#finish(staged, key, date)),
      abort: () => staged.discard(),
    };
  }

  async list(options: ListOptions): Promise<ListReply> {
    options.signal?.throwIfAborted();
    options.onRequest?.('list');
    const objects: ListedObject[] = [];
    let after = options.after ?? '';
    let more = true;
    while (more && objects.length < options.max) {
      const max = options.max - objects.length;
      const query = { prefix: options.prefix, after, max: max + 1 };
      const keys = await keysInOrder(this.#root, query);
      const page = keys.slice(0, max);
      const found = await Promise.all(page.map((key) => this.#describe(key)));
      objects.push(...found.filter((object) => object !== undefined));
      more = keys.length > max;
      after = page.at(-1) ?? after;
    }
    return { objects, more, date: this.#clock.now() };
  }

  async remove(keys: readonly ObjectKey[], options: CallOptions = {}): Promise<void> {
    options.onRequest?.('remove');
    for (const key of keys) {
      options.signal?.throwIfAborted();
      try {
        await unlink(this.#path(key));
      } catch (error) {
        if (!isAbsent(error)) throw storageError(`${key} can't be removed`, error);
      }
    }
  }

  async close(): Promise<void> {}

  #path(key: string): string {
    return `${this.#root}/${key}`;
  }

  async #stage(key: ObjectKey): Promise<StagedFile> {
    try {
      return await this.#staging.create();
    } catch (error) {
      throw storageError(`${key} can't be written`, error);
    }
  }

  async #publish(staged: StagedFile, key: ObjectKey, date: number): Promise<CreateOutcome> {
    const target = this.#path(key);
    const directory = path.dirname(target);
    await this.#makeDurable(directory);
    try {
      await link(staged.path, target);
      await syncDirectory(directory);
      return { outcome: 'created', date };
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') return { outcome: 'exists', date };
      if (code === 'ENOENT') {
        this.#durable.clear();
        return { outcome: 'conflict', date };
      }
      if (definiteCodes.has(code) || fullCodes.has(code)) throw error;
      return { outcome: 'unknown', cause: error };
    }
  }

  async #finish(staged: StagedFile, key: ObjectKey, date: number) {
    await staged.seal();
    const result = await this.#publish(staged, key, date);
    const { bytes } = staged;
    await staged.discard();
    if (result.outcome === 'created') return { bytes, date };
    const present = await this.#describe(key);
    if (present === undefined) {
      throw new MusterError('S3_ERROR', `${key} can't be written: its staging file is gone`);
    }
    if (present.bytes !== bytes) throw nameTaken(key);
    if (result.outcome === 'unknown') await syncDirectory(path.dirname(this.#path(key)));
    return { bytes, date };
  }

  /** A directory entry is durable when the directory that holds it has been fsynced. */
  async #makeDurable(directory: string): Promise<void> {
    if (this.#durable.has(directory)) return;
    await mkdir(directory, { recursive: true });
    if (directory !== this.#root) {
      await this.#makeDurable(path.dirname(directory));
      await syncDirectory(path.dirname(directory));
    }
    this.#durable.add(directory);
  }

  async #describe(key: string): Promise<ListedObject | undefined> {
    if (!isObjectKey(key)) return undefined;
    try {
      const info = await stat(this.#path(key));
      return { key, bytes: info.size, modified: Math.floor(info.mtimeMs) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw storageError(`${key} can't be listed`, error);
    }
  }
}

function openFile(file: string): number | undefined {
  try {
    // A look for the next version mostly finds none: an error with its stack would cost more than the look.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    return openSync(file, constants.O_RDONLY);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw storageError(`${file} can't be opened`, error);
  }
}

async function readExactly(file: number, key: ObjectKey, range: ByteRange): Promise<Uint8Array> {
  const bytes = new Uint8Array(rangeLength(range));
  let filled = 0;
  while (filled < bytes.length) {
    const left = bytes.length - filled;
    const position = range.start + filled;
    const count =
      left <= syncBytesMax
        ? readSync(file, bytes, filled, left, position)
        : (await readFile(file, bytes, filled, left, position)).bytesRead;
    if (count === 0) throw rangePastEnd(key, range);
    filled += count;
  }
  return bytes;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * One by one from above: Node's own `recursive` never ends where a file system answers ENOENT to every
 * mkdir, as /proc does.
 */
async function makeDirectories(directory: string): Promise<void> {
  if (await isDirectory(directory)) return;
  await makeDirectories(path.dirname(directory));
  try {
    await mkdir(directory);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== 'EEXIST' || !(await isDirectory(directory))) throw error;
  }
}

async function isDirectory(directory: string): Promise<boolean> {
  try {
    return (await stat(directory)).isDirectory();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Errors of ours and cancellations pass; the file system's become ours. */
function storageError(what: string, error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof MusterError || code === '') return error;
  if (fullCodes.has(code)) {
    return new MusterError('NOT_ENOUGH_SPACE', `${what}: the disk is full (${code})`, {
      cause: error,
    });
  }
  const reason = reasons[code];
  const why = reason === undefined ? code : `${reason} (${code})`;
  return new MusterError('S3_ERROR', `${what}: ${why}`, { cause: error });
}
