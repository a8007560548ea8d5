// Files of a directory of this machine, with those of the directories below it.

import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MusterError } from '../../base/errors.ts';
import type { RandomAccess } from '../files/random-access.ts';
import { type FileSource, inNameOrder, isData, type SourceFile } from './source-files.ts';

/** `path`: a directory, or one file. */
export function directorySource(path: string): FileSource {
  return {
    place: path,
    list: async () => {
      const found = await existing(path);
      if (found.isFile()) return [fileOf(dirname(path), basename(path), found.size)];
      return inNameOrder(await filesBelow(path, ''));
    },
    close: async () => {},
  };
}

/** The named files of a directory, as a manifest lists them. */
export function listedFiles(folder: string, names: readonly string[]): FileSource {
  return {
    place: folder,
    list: async () => {
      const files: SourceFile[] = [];
      for (const name of names) {
        const { size } = await existing(join(folder, name));
        files.push(fileOf(folder, name, size));
      }
      return inNameOrder(files);
    },
    close: async () => {},
  };
}

async function existing(path: string) {
  try {
    return await stat(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MusterError('CANNOT_OPEN_FILE', `Cannot read ${path}: ${why}`, { cause });
  }
}

async function filesBelow(root: string, folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith('.')) {
      files.push(...(await filesBelow(root, name)));
    } else if (isData(name) && !entry.isDirectory()) {
      files.push(fileOf(root, name, (await existing(join(root, name))).size));
    }
  }
  return files;
}

function fileOf(root: string, name: string, bytes: number): SourceFile {
  const path = join(root, name);
  return {
    name,
    bytes,
    read: (signal) => createReadStream(path, { signal, highWaterMark: 256 * 1024 }),
    open: () => openFile(path),
  };
}

async function openFile(path: string): Promise<RandomAccess> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    bytes: size,
    read: async ({ start, end }) => {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      if (bytesRead === bytes.length) return bytes;
      throw new MusterError('CANNOT_READ_ALL_DATA', `${path} ends at byte ${start + bytesRead}`);
    },
    close: () => file.close(),
  };
}
