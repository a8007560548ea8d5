// Files in memory as the source of a backfill.

import { inMemory } from '../../../engine/files/random-access.ts';
import type { FileSource, SourceFile } from '../../../engine/backfill/source-files.ts';

export function memorySource(files: Readonly<Record<string, Uint8Array | string>>): FileSource {
  const list = Object.entries(files)
    .map(([name, content]) => memoryFile(name, Buffer.from(content)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { place: 'memory', list: async () => list, close: async () => {} };
}

function memoryFile(name: string, content: Buffer): SourceFile {
  return {
    name,
    bytes: content.length,
    async *read() {
      // Small chunks, so that rows lie across them.
      for (let at = 0; at < content.length; at += 1000) yield content.subarray(at, at + 1000);
    },
    open: async () => inMemory(content),
  };
}
