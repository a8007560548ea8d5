// The files in a zip, unpacked while they arrive: nothing is kept but what one chunk unpacks to.
// Each entry must be read before the next is asked for; what is left of it is skipped.

import { Unzip, UnzipInflate } from 'fflate';
import { MusterError } from '../../../base/errors.ts';

interface ZipEntry {
  readonly name: string;
  readonly chunks: AsyncGenerator<Uint8Array>;
}

interface Unpacking {
  readonly name: string;
  readonly chunks: Uint8Array[];
  ended: boolean;
}

export async function* zipEntries(
  packed: AsyncIterable<Uint8Array>,
  zip: string,
): AsyncGenerator<ZipEntry> {
  const found: Unpacking[] = [];
  const pump = pumpInto(packed, zip, found);
  do {
    for (let entry = found.shift(); entry !== undefined; entry = found.shift()) {
      const chunks = chunksOf(entry, pump, zip);
      if (isData(entry.name)) yield { name: entry.name, chunks };
      for await (const _ of chunks);
    }
  } while (await pump());
}

/** False: the zip has ended. */
type Pump = () => Promise<boolean>;

function pumpInto(packed: AsyncIterable<Uint8Array>, zip: string, found: Unpacking[]): Pump {
  const input = packed[Symbol.asyncIterator]();
  const unzip = new Unzip((file) => {
    const entry: Unpacking = { name: file.name, chunks: [], ended: false };
    found.push(entry);
    file.ondata = (error, chunk, final) => {
      if (error !== null) throw error;
      if (chunk.length > 0) entry.chunks.push(chunk);
      entry.ended = final;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  let ended = false;
  return async () => {
    if (ended) return false;
    const next = await input.next();
    ended = next.done === true;
    try {
      unzip.push(next.done === true ? new Uint8Array(0) : next.value, ended);
    } catch (cause) {
      throw damaged(zip, cause);
    }
    return true;
  };
}

async function* chunksOf(entry: Unpacking, pump: Pump, zip: string): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield* entry.chunks.splice(0);
    if (entry.ended && entry.chunks.length === 0) return;
    if (entry.chunks.length === 0 && !(await pump())) throw damaged(zip);
  }
}

/** Folders, and what macOS adds, hold no rows. */
function isData(name: string): boolean {
  return !name.endsWith('/') && !/(^|\/)(__MACOSX\/|\.DS_Store$)/.test(name);
}

function damaged(zip: string, cause?: unknown): MusterError {
  const why = cause instanceof Error ? ` (${cause.message})` : '';
  return new MusterError('INCORRECT_DATA', `The zip data of ${zip} are damaged or cut off${why}`, {
    cause,
  });
}
