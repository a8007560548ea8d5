// Makes the zips that run on AWS Lambda: dist/lambda/<runtime>/<function>.zip, for Lambda's nodejs22.x and
// for the Node that runs this (`local`, for MiniStack). `npm run bundle`, or
// `node infra/bundle.mjs [--runtime node22|local]`.
//
// A zip holds index.mjs, in which everything is but roaring's compiled part, which lies beside it as
// the root's page for browsers does (built by `npm run build`).

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { requireBanner } from '../functions/bundle-banner.mjs';
import { node22Folder, roaringForNode22, runsNode22 } from './node22.mjs';
import { sha256, zipOf } from './zip.mjs';

const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

export const functionNames = ['root', 'worker', 'branch', 'ingest', 'backfill'];
/** Those that can be made here. */
export const runtimes = runsNode22 ? ['node22', 'local'] : ['local'];

const pageFile = path.join(repository, 'dist', 'console', 'page.html');

/** Lambda takes 50 MB; a small zip starts soon. */
const zipBytesMax = 1024 * 1024;

/** roaring looks beside itself. */
const banner = [
  requireBanner,
  "import { fileURLToPath as musterFileUrlToPath } from 'node:url';",
  'const __filename = musterFileUrlToPath(import.meta.url);',
  "const __dirname = musterFileUrlToPath(new URL('.', import.meta.url));",
].join('\n');

/**
 * The zip of one function.
 * @param {string} name One of `functionNames`.
 * @param {object} options
 * @param {string} options.runtime One of `runtimes`.
 * @param {import('esbuild').Plugin[]} [options.plugins] Before our own.
 * @returns {Promise<Uint8Array>}
 */
export async function bundleFunction(name, { runtime, plugins = [] }) {
  const output = await build({
    entryPoints: { index: path.join(repository, 'functions', 'lambda', `${name}-function.ts`) },
    outdir: path.join(repository, 'dist', 'lambda', runtime, name),
    write: false,
    bundle: true,
    minify: true,
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: runtime === 'node22' ? 'node22' : `node${process.versions.node}`,
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    loader: { '.node': 'copy' },
    assetNames: '[name]',
    banner: { js: banner },
    logLevel: 'error',
    plugins: [...plugins, compiledRoaring(runtime)],
  });
  const files = output.outputFiles.map(({ path: file, contents }) => [
    path.basename(file),
    contents,
  ]);
  if (name === 'root') files.push(['page.html', readFileSync(pageFile)]);
  const zip = zipOf(Object.fromEntries(files));
  if (zip.length > zipBytesMax) {
    throw new Error(`${name}.zip has ${zip.length} bytes, of at most ${zipBytesMax}`);
  }
  return zip;
}

/** Node's own build of roaring or that for Node 22, and no search for one at run time. */
function compiledRoaring(runtime) {
  return {
    name: 'compiled-roaring',
    setup(builder) {
      builder.onResolve({ filter: /^@mapbox\/node-pre-gyp/ }, (found) => ({
        path: found.path,
        namespace: 'no-search',
      }));
      builder.onLoad({ filter: /.*/, namespace: 'no-search' }, () => ({
        contents: `exports.find = () => {
          throw Object.assign(new Error('not searched for'), { code: 'MODULE_NOT_FOUND' });
        };`,
      }));
      if (runtime !== 'node22') return;
      const file = roaringForNode22();
      builder.onLoad({ filter: /roaring\.node$/ }, () => ({
        contents: readFileSync(file),
        loader: 'copy',
      }));
    },
  };
}

/** Where `npm run bundle` puts a zip. */
export function zipPath(name, runtime) {
  return path.join(repository, 'dist', 'lambda', runtime, `${name}.zip`);
}

async function main(programArguments) {
  const at = programArguments.indexOf('--runtime');
  const wanted = at === -1 ? runtimes : [programArguments[at + 1]];
  for (const runtime of wanted) {
    if (runtime === 'node22') node22Folder();
    if (!runtimes.includes(runtime)) throw new Error(`--runtime is one of: ${runtimes.join(', ')}`);
    mkdirSync(path.dirname(zipPath('root', runtime)), { recursive: true });
    for (const name of functionNames) {
      const zip = await bundleFunction(name, { runtime });
      writeFileSync(zipPath(name, runtime), zip);
      const size = `${(zip.length / 1024).toFixed(0)} KB`;
      console.log(`${zipPath(name, runtime)}  ${size}  sha256 ${sha256(zip).slice(0, 12)}`);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
