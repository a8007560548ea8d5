// Puts what each program imports into a few files in the place of hundreds (dist/functions): to find and
// to read them took a process, and each of its threads, longer than the rest of its start. What is
// imported only when it is needed still lies in files of its own. Behind tsc: programs are replaced.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { requireBanner } from './bundle-banner.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const output = fileURLToPath(new URL('../dist/functions/', import.meta.url));

const programs = ['main', 'worker-main', 'worker-thread-main', 'backfill/backfill-thread'];

for (const name of readdirSync(output)) {
  if (name.startsWith('chunk-')) rmSync(path.join(output, name));
}
await build({
  entryPoints: programs.map((program) => `${here}${program}.ts`),
  outdir: output,
  outbase: here,
  bundle: true,
  splitting: true,
  chunkNames: 'chunk-[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  external: ['roaring'],
  minifyWhitespace: true,
  sourcemap: true,
  legalComments: 'none',
  banner: { js: requireBanner },
  logLevel: 'warning',
  plugins: [placesOfSources()],
});

/** A source that looks beside itself finds what it would find from its own file in dist. */
function placesOfSources() {
  const setup = (esbuild) => {
    esbuild.onLoad({ filter: /functions\/.*\.ts$/ }, ({ path: file }) => {
      const built = path.relative(here, file).replace(/\.ts$/, '.js');
      const place = `new URL(${JSON.stringify(built)}, import.meta.url).href`;
      const contents = readFileSync(file, 'utf8').replaceAll('import.meta.url', place);
      return { contents, loader: 'ts' };
    });
  };
  return { name: 'places-of-sources', setup };
}
