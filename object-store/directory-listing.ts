// Keys of a directory tree in the order of their bytes, from a given key on.
//
// A directory sorts as its name with '/' appended, which is where its keys belong between its
// siblings. Only directories that can hold wanted keys are read, and of a large one that holds files
// alone (heads, say) the few wanted names are picked in one pass, without sorting it.

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './store-errors.ts';

interface KeyQuery {
  readonly prefix: string;
  /** Only keys greater than this; '' for all. */
  readonly after: string;
  readonly max: number;
}

interface Walk extends KeyQuery {
  readonly root: string;
  readonly found: string[];
}

/** Below this many names it is not worth avoiding a sort. */
const pickMax = 16;

/** At most `max` keys, ascending. Names that begin with '.' are never keys. */
export async function keysInOrder(root: string, query: KeyQuery): Promise<readonly string[]> {
  const walk: Walk = { ...query, root, found: [] };
  await collect(query.prefix.slice(0, query.prefix.lastIndexOf('/') + 1), walk);
  return walk.found;
}

async function collect(directory: string, walk: Walk): Promise<void> {
  for (const name of await wantedNames(directory, walk)) {
    if (walk.found.length >= walk.max) return;
    if (name.endsWith('/')) await collect(directory + name, walk);
    else walk.found.push(directory + name);
  }
}

async function wantedNames(directory: string, walk: Walk): Promise<readonly string[]> {
  const names: string[] = [];
  let filesOnly = true;
  for (const entry of await entriesOf(path.join(walk.root, directory))) {
    if (entry.name.startsWith('.')) continue;
    const isDirectory = entry.isDirectory();
    const name = isDirectory ? `${entry.name}/` : entry.name;
    const wanted = isDirectory
      ? mayHoldKeys(directory + name, walk)
      : isKey(directory + name, walk);
    if (!wanted) continue;
    names.push(name);
    filesOnly &&= !isDirectory;
  }
  const missing = walk.max - walk.found.length;
  return filesOnly && missing <= pickMax ? smallest(names, missing) : names.sort();
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

function isKey(key: string, query: KeyQuery): boolean {
  return key.startsWith(query.prefix) && key > query.after;
}

/** `directory` ends in '/': every key in it begins with it. */
function mayHoldKeys(directory: string, query: KeyQuery): boolean {
  const inPrefix = directory.startsWith(query.prefix) || query.prefix.startsWith(directory);
  return inPrefix && (directory > query.after || query.after.startsWith(directory));
}

/** The `count` smallest, ascending: one pass with an insertion into a short sorted list. */
function smallest(names: readonly string[], count: number): readonly string[] {
  const best: string[] = [];
  for (const name of names) {
    const last = best[best.length - 1];
    if (best.length >= count && last !== undefined && name > last) continue;
    const place = best.findIndex((other) => other > name);
    best.splice(place === -1 ? best.length : place, 0, name);
    if (best.length > count) best.pop();
  }
  return best;
}
