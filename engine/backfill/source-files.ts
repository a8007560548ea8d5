// The files of a backfill, wherever they are: a small port, and what their names say. A file's name
// is relative to the place that was given, so that the same files are the same files from another
// machine; parts of it such as `dt=2026-01-01/` are columns of all its rows.

import type { RandomAccess } from '../files/random-access.ts';

export interface SourceFile {
  /** Within its source, with '/' between parts. */
  readonly name: string;
  readonly bytes: number;
  /** From the first byte on. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Anywhere; to be closed. */
  open(signal: AbortSignal): Promise<RandomAccess>;
}

export interface FileSource {
  /** For people. */
  readonly place: string;
  /** All files, in byte order of their names. Hidden ones and folders' markers are left out. */
  list(signal: AbortSignal): Promise<readonly SourceFile[]>;
  close(): Promise<void>;
}

export interface PathColumn {
  readonly name: string;
  /** A byte string. */
  readonly value: string;
}

/** `year=2026/dt=2026-01-01/part-0.csv`: year and dt. Values may be percent-encoded, as Hive's are. */
export function pathColumns(name: string): readonly PathColumn[] {
  const folders = name.split('/').slice(0, -1);
  return folders.flatMap((folder) => {
    const equals = folder.indexOf('=');
    if (equals < 1) return [];
    return [
      { name: folder.slice(0, equals), value: byteString(unescaped(folder.slice(equals + 1))) },
    ];
  });
}

/** Files that people and programs leave beside data: `_SUCCESS`, `.part-0.crc`, folders' markers. */
export function isData(name: string): boolean {
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  const isHidden = parts.some((part) => part.startsWith('.'));
  return last !== '' && !isHidden && !last.startsWith('_') && !last.endsWith('_$folder$');
}

/** In byte order, each once. */
export function inNameOrder<T extends { readonly name: string }>(
  files: readonly T[],
): readonly T[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function byteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
