// A backfill that is killed (SIGKILL) before and after each of its store calls in turn, and run again:
// the table then has exactly what one undisturbed run makes, over a directory and over S3.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { BackfillJob } from '../../engine/backfill/backfill-job.ts';
import { directorySource } from '../../engine/backfill/directory-source.ts';
import { runBackfill } from '../../engine/backfill/run-backfill.ts';
import { bundledProgram } from './kill/bundled-program.ts';
import { checkDictionaries, openEngine, type StorePlace } from './kill/inserting.ts';
import { ensureTestBucket, s3Endpoint, testBucket } from './places.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-backfill-kills-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(ensureTestBucket);

const program = bundledProgram('backfill-child.mjs');

const job: BackfillJob = {
  name: 'once',
  database: 'kill',
  table: 's',
  sets: {},
  onError: 'stop',
  settings: {},
};

/** A MergeTree keeps a row that is loaded twice. */
const createTable =
  'CREATE TABLE kill.s (name String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY name SETTINGS muster_groups = 2';
const rowsQuery = 'SELECT name, bitmapToArray(ids) FROM kill.s ORDER BY name';

const idOf = (n: number) => (BigInt(n) * 0x9e3779b97f4a7c15n) & 0x7fff_ffff_ffff_ffffn;

/** Files share half of their ids with the next one; each row is told by its name. */
function writeFiles(files: number): { readonly folder: string; readonly rows: string } {
  const folder = join(root, `files-${files}`);
  mkdirSync(folder);
  const rows: string[] = [];
  for (let file = 0; file < files; file++) {
    const lines = ['a', 'b', 'c'].map((row, r) => {
      const ids = Array.from({ length: 20 }, (_, i) => idOf(30 * file + 20 * r + i));
      const sorted = [...ids].sort((x, y) => (x < y ? -1 : 1));
      rows.push(`${file}-${row}\t[${sorted.join(',')}]`);
      return `${file}-${row},"[${ids.join(',')}]"\n`;
    });
    writeFileSync(join(folder, `part-${file}.csv`), `name,ids\n${lines.join('')}`);
  }
  return { folder, rows: `${rows.join('\n')}\n` };
}

interface Kill {
  readonly killAt: number;
  readonly moment: 'before' | 'after';
}

/** Undefined where it was killed, else how many store calls it made. */
async function runOnce(
  store: StorePlace,
  folder: string,
  kill?: Kill,
): Promise<number | undefined> {
  const task = JSON.stringify({ store, folder, job, ...kill });
  const child = spawn(process.execPath, [program, task], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code, signal] = await once(child, 'close');
  if (kill !== undefined && signal === 'SIGKILL') return undefined;
  expect(code).toBe(0);
  return Number(/calls (\d+)/.exec(printed)?.[1]);
}

interface Finished {
  /** Files that were there already. */
  readonly known: number;
  readonly loaded: number;
}

async function runToTheEnd(place: StorePlace, folder: string): Promise<Finished> {
  const { engine } = await openEngine(place);
  const files = { known: 0, loaded: 0 };
  await runBackfill({
    engine,
    source: directorySource(folder),
    job,
    clock: systemClock,
    signal: new AbortController().signal,
    share: { index: 0, of: 1 },
    onEvent: (event) => {
      if (event.kind === 'known' || event.kind === 'loaded') files[event.kind] += event.files;
    },
  });
  await engine.idle();
  return files;
}

async function expectAll(place: StorePlace, rows: string): Promise<void> {
  const { query, store, catalog } = await openEngine(place);
  expect(await query(rowsQuery)).toBe(rows);
  const ids = new Set(rows.match(/\d+(?=[,\]])/g));
  // Codes are dense, and each id has one.
  expect(await checkDictionaries(store, await catalog.snapshot('kill'))).toBe(ids.size);
}

async function createEmptyTable(store: StorePlace): Promise<StorePlace> {
  const { query } = await openEngine(store);
  await query('CREATE DATABASE kill');
  await query(createTable);
  return store;
}

/** Copies of one directory with an empty table. */
async function directories(): Promise<() => Promise<StorePlace>> {
  const empty = await createEmptyTable({ url: join(root, 'empty') });
  let stores = 0;
  return async () => {
    const url = join(root, `store-${stores++}`);
    cpSync(empty.url, url, { recursive: true });
    return { url };
  };
}

async function prefixes(): Promise<() => Promise<StorePlace>> {
  return async () =>
    await createEmptyTable({
      url: `s3://${testBucket}/backfill-kills-${randomBytes(6).toString('hex')}`,
      endpoint: s3Endpoint(),
    });
}

it.each([
  { name: 'a directory', places: directories, files: 3 },
  { name: 'S3 on LocalStack', places: prefixes, files: 2 },
])(
  'over $name, at every store call',
  async ({ name, places, files }) => {
    const { folder, rows } = writeFiles(files);
    const fresh = await places();
    const whole = await fresh();
    expect(await runOnce(whole, folder)).toBeGreaterThan(8);
    await expectAll(whole, rows);
    let kills = 0;
    const partly = new Set<number>();
    for (const moment of ['before', 'after'] as const) {
      for (let killAt = 1; ; killAt++) {
        const store = await fresh();
        // How many calls there are differs by a few: which file is first is chance.
        const calls = await runOnce(store, folder, { killAt, moment });
        const { known, loaded } = await runToTheEnd(store, folder);
        expect(known + loaded).toBe(files);
        await expectAll(store, rows);
        if (calls !== undefined) break;
        kills++;
        partly.add(known);
      }
    }
    // Kills found each number of finished files, from none to all.
    expect([...partly].sort((a, b) => a - b)).toEqual(
      Array.from({ length: files + 1 }, (_, i) => i),
    );
    console.log(`${name}: killed ${kills} times`);
  },
  900_000,
);
