// A body that comes as a stream, where a format must read it anywhere (Parquet's footer is at its
// end): kept in memory while it is small, else written to a file that has no name any more, so that
// it is gone when the process is. Without a folder for such files memory is the limit.

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { type RandomAccess } from './random-access.ts';

export interface Spool {
  readonly folder: string;
  readonly bytesMax: number;
}

interface SpoolOptions {
  readonly clock: Clock;
  readonly spool: Spool | undefined;
  readonly signal: AbortSignal;
}

export const spoolMemoryBytesMax = 32 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** MEMORY_LIMIT_EXCEEDED or NOT_ENOUGH_SPACE where it is too long. */
export async function spoolBody(
  body: AsyncIterable<Uint8Array>,
  options: SpoolOptions,
): Promise<RandomAccess> {
  const spooled = new SpooledBody(options);
  try {
    for await (const chunk of body) {
      options.signal.throwIfAborted();
      await spooled.append(chunk);
    }
  } catch (error) {
    await spooled.close();
    throw error;
  }
  return spooled;
}

class SpooledBody implements RandomAccess {
  readonly #options: SpoolOptions;
  #memory: Uint8Array[] = [];
  #file: FileHandle | undefined;
  bytes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  async append(chunk: Uint8Array): Promise<void> {
    const { spool } = this.#options;
    this.bytes += chunk.length;
    if (this.#file === undefined && this.bytes <= spoolMemoryBytesMax) {
      this.#memory.push(chunk);
      return;
    }
    if (spool === undefined) throw tooLong(spoolMemoryBytesMax);
    if (this.bytes > spool.bytesMax) throw tooLong(spool.bytesMax);
    this.#file ??= await this.#spill(spool);
    await this.#write(this.#file, chunk);
  }

  async read({ start, end }: { readonly start: number; readonly end: number }) {
    const file = this.#file;
    if (file === undefined) {
      if (this.#memory.length > 1) this.#memory = [Buffer.concat(this.#memory)];
      return (this.#memory[0] ?? new Uint8Array(0)).slice(start, end);
    }
    return await readFully(file, start, end);
  }

  async close(): Promise<void> {
    this.#memory = [];
    await this.#file?.close();
    this.#file = undefined;
  }

  async #spill(spool: Spool): Promise<FileHandle> {
    const path = join(spool.folder, `muster-${this.#options.clock.randomId()}.body`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    for (const chunk of this.#memory) await this.#write(file, chunk);
    this.#memory = [];
    return file;
  }

  async #write(file: FileHandle, chunk: Uint8Array): Promise<void> {
    let written = 0;
    while (written < chunk.length) {
      const { bytesWritten } = await file.write(chunk, written);
      written += bytesWritten;
    }
  }
}

/** The range of an open file, all of it or CANNOT_READ_ALL_DATA. */
export async function readFully(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) {
      throw new MusterError(
        'CANNOT_READ_ALL_DATA',
        `The file ended at byte ${start + filled}, before byte ${end}: it changed while it was read`,
      );
    }
    filled += bytesRead;
  }
  return bytes;
}

function tooLong(bytesMax: number): MusterError {
  return new MusterError(
    'MEMORY_LIMIT_EXCEEDED',
    `Parquet is read from its end, so that the data of an INSERT must be kept meanwhile, and here at most ${Math.floor(bytesMax / mebibyte)} MiB can be: insert it in smaller files, or let the server read it with file(), s3() or url()`,
  );
}
