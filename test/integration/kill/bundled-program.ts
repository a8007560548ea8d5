// Programs of tests in one file each, as what is built is: of hundreds of processes each starts in a third
// of the time.

import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { requireBanner } from '../../../functions/bundle-banner.mjs';
import { repository } from '../places.ts';

/** Path of the bundle of this folder's `name`, made now. Others may run the one before it. */
export function bundledProgram(name: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['roaring'],
    banner: { js: requireBanner },
    logLevel: 'error',
  });
  const place = `${repository}dist/${name}`;
  const begun = `${place}.${process.pid}`;
  writeFileSync(begun, outputFiles[0]?.contents ?? '');
  renameSync(begun, place);
  return place;
}
