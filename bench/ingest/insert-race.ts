// One file inserted twice: by ClickHouse in this process, which reads it from the disk, and by a Muster
// server that is fed the same bytes over HTTP. Prints both times, their ratio, bytes a processor second
// and the server's peak memory, and checks that a count sees every row once the answer is there.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { ClickHouseOracle } from '../clickhouse-oracle.ts';
import type { MusterProcess } from '../muster-process.ts';

export interface Race {
  readonly oracle: ClickHouseOracle;
  /** A server of its own for each insert: its peak memory is that insert's. */
  readonly start: () => Promise<MusterProcess>;
}

export interface RacedInsert {
  readonly what: string;
  readonly file: string;
  readonly format: string;
  /** Of the file's rows. */
  readonly structure: string;
  /** Empty before the insert; the same statements for both where `theirs` is not given. */
  readonly create: string;
  /** Behind INSERT INTO t; `input` stands for where the rows come from. Undefined: rows as they are. */
  readonly select: ((input: string) => string) | undefined;
  /** What differs in ClickHouse: for sets of dense ids, or a table without Muster's settings. */
  readonly theirs?: Partial<Pick<RacedInsert, 'create' | 'select'>>;
  readonly rows: number;
  /** Its answer must be the same from both, right after the insert. */
  readonly check: string;
  /** Asked of both afterwards; each is timed. */
  readonly questions?: readonly Question[];
}

export interface Question {
  readonly what: string;
  readonly sql: string;
}

const chunkBytes = 256 * 1024;

/** Bytes of a file, piece by piece. */
function* piecesOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const bytes = readSync(file, chunk);
      if (bytes === 0) return;
      yield chunk.subarray(0, bytes);
    }
  } finally {
    closeSync(file);
  }
}

export function printHeader(): void {
  console.log(
    'insert\tMB\tClickHouse s (cpu)\tMuster s (cpu)\tratio of cpu\tMB per cpu s\tM rows per cpu s\tpeak MB',
  );
}

/** Throws where the answers differ. */
export async function race(insert: RacedInsert, { oracle, start }: Race): Promise<void> {
  const theirs = insertTheirs({ ...insert, ...insert.theirs }, oracle);
  const muster = await start();
  try {
    await muster.query(insert.create);
    const cpuBefore = muster.cpuSeconds();
    const began = performance.now();
    await muster.query(statementOf(insert), piecesOf(insert.file));
    const seconds = (performance.now() - began) / 1000;
    const cpu = muster.cpuSeconds() - cpuBefore;
    const peak = muster.peakMemoryMb();
    const [seen, wanted] = [await muster.query(insert.check), oracle.query(insert.check)];
    if (seen.trim() !== wanted.trim()) {
      throw new Error(`${insert.what}: Muster counts ${seen.trim()}, ClickHouse ${wanted.trim()}`);
    }
    const megabytes = statSync(insert.file).size / 1e6;
    console.log(
      [
        insert.what,
        megabytes.toFixed(0),
        `${theirs.seconds.toFixed(1)} (${theirs.cpu.toFixed(1)})`,
        `${seconds.toFixed(1)} (${cpu.toFixed(1)})`,
        (theirs.cpu / cpu).toFixed(2),
        (megabytes / cpu).toFixed(0),
        (insert.rows / cpu / 1e6).toFixed(2),
        peak.toFixed(0),
      ].join('\t'),
    );
    for (const question of insert.questions ?? []) await ask(question, muster, oracle);
    console.log(`\tpeak with its questions ${muster.peakMemoryMb().toFixed(0)} MB`);
  } finally {
    await muster.stop();
    oracle.query('DROP TABLE IF EXISTS t');
  }
}

function statementOf({ format, structure, select }: RacedInsert): string {
  const rows = select === undefined ? '' : ` ${select(`input('${structure}')`)}`;
  return `INSERT INTO t${rows} FORMAT ${format}`;
}

function insertTheirs(insert: RacedInsert, oracle: ClickHouseOracle) {
  oracle.query(insert.create);
  const input = `file('${insert.file}', '${insert.format}', '${insert.structure}')`;
  const select = insert.select?.(input) ?? `SELECT * FROM ${input}`;
  const before = process.cpuUsage();
  const began = performance.now();
  oracle.query(`INSERT INTO t ${select} SETTINGS max_threads = 2`);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpu: (user + system) / 1e6 };
}

const rounds = 5;

async function ask(
  { what, sql }: Question,
  muster: MusterProcess,
  oracle: ClickHouseOracle,
): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const asked = await muster.ask(sql);
    ours.push(asked.ms);
    const began = performance.now();
    const wanted = oracle.query(sql);
    theirs.push(performance.now() - began);
    if (asked.text.trim() !== wanted.trim()) {
      throw new Error(`${what}: Muster says ${asked.text.trim()}, ClickHouse ${wanted.trim()}`);
    }
  }
  const [a, b] = [Math.min(...ours), Math.min(...theirs)];
  console.log(
    `\t${what}: ClickHouse ${b.toFixed(0)} ms, Muster ${a.toFixed(0)} ms, ratio ${(b / a).toFixed(2)}`,
  );
}
