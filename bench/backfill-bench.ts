// A backfill of sets that ClickHouse holds: files of base64 states of sparse ids, loaded by one thread,
// by two of one process and by two processes, beside ClickHouse reading the same files into states of
// its own. Processor time of all is told too: others may use the machine. A tenth of the files by default.
// See bench/README.md.
//
// Usage: node dist/bench/backfill-bench.js [--full] [--type UInt64] [--files 100] [--rows 50] [--ids 1000] [--known 500000]

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { encodeState } from '../storage-format/clickhouse-state.ts';
import { ClickHouseOracle } from './clickhouse-oracle.ts';
import { seededRandom } from './fan-out/seeded-random.ts';

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    type: { type: 'string', default: 'UInt64' },
    files: { type: 'string' },
    rows: { type: 'string', default: '50' },
    ids: { type: 'string', default: '1000' },
    known: { type: 'string' },
  },
});
const files = Number(values.files ?? (values.full ? 1000 : 100));
const people = Number(values.known ?? (values.full ? 5_000_000 : 500_000));
const [rows, ids] = [Number(values.rows), Number(values.ids)];
const memberships = files * rows * ids;
const main = fileURLToPath(new URL('../functions/main.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'muster-backfill-bench-'));
const type = values.type === 'UInt32' ? 'UInt32' : 'UInt64';
const columns = `name String, ids AggregateFunction(groupBitmap, ${type})`;

interface Loaded {
  readonly ms: number;
  /** Processor time of all processes. */
  readonly cpuMs: number;
  /** Of all processes, resident at most. */
  readonly peakMb: number;
}

/** Ids are spread over all bits; rows hold neighbours in order of arrival, as histories do. */
function writeFiles(folder: string): number {
  const random = seededRandom(1);
  const idOf = (person: number): bigint =>
    type === 'UInt32'
      ? BigInt(Math.imul(person + 1, 0x9e3779b1) >>> 0)
      : BigInt.asUintN(64, BigInt(person + 1) * 0x9e37_79b9_7f4a_7c15n);
  let bytes = 0;
  for (let file = 0; file < files; file++) {
    const lines = Array.from({ length: rows }, (_, row) => {
      const first = Math.floor(random() * (people - 2 * ids));
      const chosen = new Set<bigint>();
      while (chosen.size < ids) chosen.add(idOf(first + Math.floor(random() * 2 * ids)));
      const state = encodeState(BigUint64Array.from(chosen).sort(), type);
      return `${file}-${row}\t${Buffer.from(state).toString('base64')}\n`;
    });
    const path = join(folder, `part-${String(file).padStart(5, '0')}.tsv`);
    writeFileSync(path, lines.join(''));
    bytes += statSync(path).size;
  }
  return bytes;
}

function muster(words: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, [main, ...words], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`muster ended with code ${code}`);
}

async function load(processes: number, threads: number, folder: string): Promise<Loaded> {
  const cwd = join(root, `${processes}-${threads}`);
  mkdirSync(join(cwd, 'store'), { recursive: true });
  const create = `CREATE TABLE s (${columns}) ENGINE = MergeTree ORDER BY name`;
  await ended(muster(['sql', '--data', 'store', create], cwd));
  const began = performance.now();
  const words = ['backfill', 's', folder, '--data', 'store', '--workers', String(threads)];
  const running = Array.from({ length: processes }, () => muster(words, cwd));
  let peakMb = 0;
  const cpuMs = new Map<number, number>();
  const watch = setInterval(() => {
    const now = running.reduce((sum, { pid }) => sum + residentMb(pid ?? 0), 0);
    peakMb = Math.max(peakMb, now);
    for (const { pid = 0 } of running) {
      cpuMs.set(pid, Math.max(cpuMs.get(pid) ?? 0, processorMs(pid)));
    }
  }, 50);
  await Promise.all(running.map(ended));
  clearInterval(watch);
  const ms = performance.now() - began;
  return { ms, peakMb, cpuMs: [...cpuMs.values()].reduce((sum, one) => sum + one, 0) };
}

/** Of a process so far; its ticks are hundredths of a second. */
function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
}

function seconds({ ms, cpuMs }: Omit<Loaded, 'peakMb'>): string {
  return `${(ms / 1000).toFixed(1)} s (${(cpuMs / 1000).toFixed(1)} s of processor)`;
}

function residentMb(pid: number): number {
  try {
    const [, kilobytes = '0'] =
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}

function clickHouse(folder: string): Omit<Loaded, 'peakMb'> {
  const oracle = ClickHouseOracle.open(
    fileURLToPath(new URL('../../test/package.json', import.meta.url)),
  );
  try {
    oracle.query('CREATE DATABASE b');
    oracle.query(`CREATE TABLE b.s (${columns}) ENGINE = MergeTree ORDER BY name`);
    const began = performance.now();
    const before = process.cpuUsage();
    oracle.query(
      `INSERT INTO b.s SELECT name, CAST(base64Decode(ids), 'AggregateFunction(groupBitmap, ${type})') FROM file('${folder}/*.tsv', TabSeparated, 'name String, ids String') SETTINGS max_threads = 2`,
    );
    const { user, system } = process.cpuUsage(before);
    return { ms: performance.now() - began, cpuMs: (user + system) / 1000 };
  } finally {
    oracle.close();
  }
}

try {
  const folder = join(root, 'files');
  mkdirSync(folder);
  const bytes = writeFiles(folder);
  console.log(
    `${files} files, ${files * rows} sets, ${memberships / 1e6} M memberships of ${people / 1e6} M ids, ${(bytes / 1e6).toFixed(0)} MB`,
  );
  const theirs = clickHouse(folder);
  console.log(`ClickHouse, 2 threads\t${seconds(theirs)}`);
  for (const [processes, threads] of [
    [1, 1],
    [1, 2],
    [2, 1],
  ] as const) {
    const ours = await load(processes, threads, folder);
    const perSecond = (memberships / ours.ms / 1000).toFixed(2);
    const ratios = `${(theirs.ms / ours.ms).toFixed(2)} (${(theirs.cpuMs / ours.cpuMs).toFixed(2)})`;
    console.log(
      `${processes} process(es) of ${threads} thread(s)\t${seconds(ours)}\t${perSecond} M memberships/s\tpeak ${ours.peakMb.toFixed(0)} MB\tratio to ClickHouse ${ratios}`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
