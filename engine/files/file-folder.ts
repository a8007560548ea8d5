// file(): files below the one folder that the process was told. A path may not leave it: no `..`, no
// absolute path elsewhere, and no link whose target lies outside (what a name really leads to is
// looked up before it is opened, and the last name is opened without following a link).

import { constants, type Dirent } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  realpath,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { expandBraces, fixedPrefix, globMatcher, hasStars } from './glob.ts';
import { type FileTarget, type FoundFile, lastPart, streamOf } from './open-file.ts';
import type { RandomAccess } from './random-access.ts';
import { readFully } from './spooled-body.ts';

const filesMax = 100_000;

export class FileFolder {
  readonly #root: string;
  readonly #clock: Clock;

  private constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  /** SUPPORT_IS_DISABLED where there is no folder. */
  static async open(folder: string | undefined, clock: Clock): Promise<FileFolder> {
    if (folder === undefined) {
      throw new MusterError(
        'SUPPORT_IS_DISABLED',
        'Table function file() is off, for it would open files of this machine: start the server with --files DIR (MUSTER_FILES) to allow those below DIR',
      );
    }
    try {
      return new FileFolder(await realpath(folder), clock);
    } catch (cause) {
      const message = 'The folder of file(), set with --files, is not there';
      throw new MusterError('BAD_ARGUMENTS', message, { cause });
    }
  }

  /** Files that the pattern names, in order of name. Names without stars are not looked for. */
  async find(pattern: string): Promise<readonly FoundFile[]> {
    const found: string[] = [];
    for (const one of expandBraces(this.#inside(pattern))) {
      if (!hasStars(one)) found.push(one);
      else found.push(...(await this.#matching(one)));
    }
    return found.map((path) => this.#file(path));
  }

  /** A new file; FILE_ALREADY_EXISTS where one is. */
  async target(path: string): Promise<FileTarget> {
    if (hasStars(path) || path.includes('{')) {
      throw new MusterError('BAD_ARGUMENTS', `Can't write to a pattern: '${path}'`);
    }
    const inside = this.#inside(path);
    await this.#makeFolders(dirname(inside));
    const folder = await this.#real(dirname(inside), path);
    const name = lastPart(inside);
    const hidden = join(folder, `.muster-${this.#clock.randomId()}`);
    const file = await open(hidden, 'wx', 0o644);
    return new NewFile(file, { hidden, final: join(folder, name), shown: path });
  }

  /** Below the root, without leading slash. */
  #inside(path: string): string {
    const below = isAbsolute(path) ? relative(this.#root, path) : path;
    const parts = below.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..') || isAbsolute(below) || path.includes('\0') || parts.length === 0) {
      throw outside(path);
    }
    return parts.join('/');
  }

  async #matching(pattern: string): Promise<string[]> {
    const matcher = globMatcher(pattern);
    const start = dirname(`${fixedPrefix(pattern)}x`);
    const folders = [start === '.' ? '' : start];
    const isDeep = pattern.includes('**');
    const depth = pattern.split('/').length;
    const found: string[] = [];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of await this.#entries(folder)) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory() && (isDeep || path.split('/').length < depth)) folders.push(path);
        else if (!entry.isDirectory() && matcher.test(path) && (await this.#isFile(entry, path))) {
          found.push(path);
        }
        if (found.length > filesMax) {
          throw new MusterError('TOO_MANY_ROWS', `'${pattern}' names more than ${filesMax} files`);
        }
      }
    }
    return found.sort();
  }

  async #entries(folder: string) {
    try {
      const real = await this.#real(folder, folder);
      const entries = await readdir(real, { withFileTypes: true });
      return entries.filter((entry) => !entry.name.startsWith('.'));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  /** Of what a pattern finds, links that lead elsewhere and what is no file are left out. */
  async #isFile(entry: Dirent, path: string): Promise<boolean> {
    if (entry.isFile()) return true;
    if (!entry.isSymbolicLink()) return false;
    try {
      return (await stat(await this.#real(path, path))).isFile();
    } catch {
      return false;
    }
  }

  #file(path: string): FoundFile {
    const access = async (): Promise<RandomAccess> => await this.#open(path);
    return {
      path: join(this.#root, path),
      name: lastPart(path),
      access,
      stream: () => streamOf(access),
    };
  }

  async #open(path: string): Promise<RandomAccess> {
    let file: FileHandle;
    try {
      file = await open(await this.#real(path, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      throw new MusterError('FILE_DOESNT_EXIST', `File '${path}' doesn't exist`);
    }
    const status = await file.stat();
    if (!status.isFile()) {
      await file.close();
      throw new MusterError('BAD_ARGUMENTS', `'${path}' is not a file`);
    }
    return {
      bytes: status.size,
      read: ({ start, end }) => readFully(file, start, end),
      close: () => file.close(),
    };
  }

  async #makeFolders(folder: string): Promise<void> {
    if (folder === '.') return;
    let below = '';
    for (const part of folder.split('/')) {
      below = below === '' ? part : `${below}/${part}`;
      try {
        await this.#real(below, below);
      } catch (error) {
        if (!isAbsent(error)) throw error;
        await mkdir(join(this.#root, below));
      }
    }
  }

  /** What the path leads to, links followed; refused where that is outside. */
  async #real(path: string, shown: string): Promise<string> {
    const real = await realpath(join(this.#root, path));
    if (real !== this.#root && !real.startsWith(`${this.#root}/`)) throw outside(shown);
    return real;
  }
}

interface NewFileNames {
  readonly hidden: string;
  readonly final: string;
  readonly shown: string;
}

/** Written under a hidden name, and given its own at the end, if nobody has it. */
class NewFile implements FileTarget {
  readonly #file: FileHandle;
  readonly #names: NewFileNames;

  constructor(file: FileHandle, names: NewFileNames) {
    this.#file = file;
    this.#names = names;
  }

  async write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      written += (await this.#file.write(bytes, written)).bytesWritten;
    }
  }

  async finish(): Promise<void> {
    const { hidden, final, shown } = this.#names;
    await this.#file.sync();
    await this.#file.close();
    try {
      await link(hidden, final);
    } catch (cause) {
      if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EEXIST') throw cause;
      const message = `File '${shown}' exists, and files are never written over: choose another name`;
      throw new MusterError('FILE_ALREADY_EXISTS', message, { cause });
    } finally {
      await unlink(hidden);
    }
  }

  async abort(): Promise<void> {
    await this.#file.close().catch(() => {});
    await unlink(this.#names.hidden).catch(() => {});
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function outside(path: string): MusterError {
  return new MusterError(
    'PATH_ACCESS_DENIED',
    `'${path}' is outside of the folder that file() may use`,
  );
}
