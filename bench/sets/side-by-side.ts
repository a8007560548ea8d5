// One question to ClickHouse and to Muster, and the line that tells how they compare: times, ratio and
// the floor that it is held against, what Muster read, peak memory of its process.

import type { ClickHouseOracle } from '../clickhouse-oracle.ts';
import { median } from '../median.ts';
import type { MusterProcess } from '../muster-process.ts';

export interface SideBySide {
  readonly muster: MusterProcess;
  readonly oracle: ClickHouseOracle;
  readonly rounds: number;
}

export interface Comparison {
  readonly name: string;
  /** What ClickHouse runs; absent: not run, `expected` is the answer. */
  readonly clickHouse?: string;
  readonly muster: string;
  readonly expected?: string;
  /** Ratio that is to be reached. */
  readonly atLeast?: number;
  /** A question of the same shape over sets that nobody read yet: empty caches, warm code. */
  readonly cold?: string;
}

export function printHeader(): void {
  console.log(
    'question\tClickHouse ms\tMuster ms\tratio\tfloor\tequal\tread MB\trequests\tpeak MB',
  );
}

export async function compare(question: Comparison, sides: SideBySide): Promise<void> {
  const theirs = clickHouseTimes(question, sides);
  if (question.cold !== undefined) {
    await sides.muster.query(question.muster);
    await printOne({ ...question, name: `${question.name}, empty caches` }, theirs, {
      ...sides,
      sql: question.cold,
      rounds: 1,
    });
  }
  const { name } = question;
  await printOne({ ...question, name: `${name}, warm` }, theirs, {
    ...sides,
    sql: question.muster,
  });
}

interface Theirs {
  readonly ms: number;
  readonly answer: string;
}

function clickHouseTimes(question: Comparison, { oracle }: SideBySide): Theirs {
  const { clickHouse, expected = '' } = question;
  if (clickHouse === undefined) return { ms: Number.NaN, answer: expected };
  const times: number[] = [];
  let answer = '';
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    answer = oracle.query(clickHouse);
    times.push(performance.now() - began);
    if (times[0] !== undefined && times[0] > 3000) break;
  }
  return { ms: median(times), answer };
}

async function printOne(
  question: Comparison,
  theirs: Theirs,
  ours: SideBySide & { readonly sql: string },
): Promise<void> {
  const { muster, sql, rounds } = ours;
  const times: number[] = [];
  let answer = await muster.ask(sql);
  if (rounds > 1) for (let i = 0; i < 2; i++) answer = await muster.ask(sql);
  for (let round = 0; round < rounds; round++) {
    if (rounds > 1) answer = await muster.ask(sql);
    times.push(answer.ms);
  }
  const ms = median(times);
  const { atLeast } = question;
  console.log(
    [
      question.name,
      Number.isNaN(theirs.ms) ? '' : theirs.ms.toFixed(1),
      ms.toFixed(2),
      Number.isNaN(theirs.ms) ? '' : `${(theirs.ms / ms).toFixed(1)}x`,
      atLeast === undefined ? '' : `>= ${atLeast}x`,
      answer.text === theirs.answer ? 'equal' : `DIFFERS: ${answer.text} / ${theirs.answer}`,
      (answer.bytesRead / 1e6).toFixed(2),
      answer.requests,
      muster.peakMemoryMb().toFixed(0),
    ].join('\t'),
  );
}

/** A RowBinary body of rows, loaded into both. */
export async function load(
  rows: {
    readonly table: string;
    readonly structure: string;
    readonly chunks: readonly Uint8Array[];
  },
  to: Partial<Pick<SideBySide, 'muster' | 'oracle'>>,
): Promise<void> {
  const { table, structure, chunks } = rows;
  const create = `CREATE TABLE ${table} (${structure}) ENGINE = MergeTree ORDER BY tag`;
  const megabytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0) / 1e6;
  if (to.muster !== undefined) {
    await to.muster.query(create);
    const began = performance.now();
    await to.muster.query(`INSERT INTO ${table} FORMAT RowBinary`, chunks);
    const seconds = (performance.now() - began) / 1000;
    console.log(`# ${table}: ${megabytes.toFixed(1)} MB into Muster in ${seconds.toFixed(1)} s`);
  }
  if (to.oracle !== undefined) {
    to.oracle.query(create);
    const began = performance.now();
    to.oracle.insertRowBinary(table, structure, chunks);
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `# ${table}: ${megabytes.toFixed(1)} MB into ClickHouse in ${seconds.toFixed(1)} s`,
    );
  }
}

/** A row: UInt32 and the state that follows it. */
export function taggedRow(tag: number, state: Uint8Array): Uint8Array {
  const row = Buffer.alloc(4 + state.length);
  row.writeUInt32LE(tag);
  row.set(state, 4);
  return row;
}
