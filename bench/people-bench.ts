// Twelve questions over people with sparse 64-bit ids: Muster over HTTP, warm, beside ClickHouse in
// this process over groupBitmap, in one run. Prints each question's times, their ratio, and whether
// the answers are equal. See bench/README.md.
//
// Usage: node dist/bench/people-bench.js [--people 1000000] [--seed 1] [--rounds 15]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ClickHouseOracle } from './clickhouse-oracle.ts';
import { median } from './median.ts';
import { MusterProcess } from './muster-process.ts';
import { type Question, questions } from './people-questions.ts';
import { generatePeople, type People } from '../functions/demo/people/people.ts';
import { createTableSql, rowBinary } from '../functions/demo/people/row-binary.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
  },
});

await main(Number(values.people), Number(values.seed), Number(values.rounds));

async function main(count: number, seed: number, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const oracle = ClickHouseOracle.open(join(repository, 'test', 'package.json'));
  const muster = await MusterProcess.start(join(repository, 'dist/functions/main.js'), [
    '--data',
    join(folder, 'data'),
  ]);
  try {
    const people = timed(`${count} people made`, () => generatePeople({ people: count, seed }));
    await load(people, muster, oracle);
    console.log('question\tClickHouse ms\tMuster ms\tratio\tequal');
    for (const question of questions) await ask(question, { muster, oracle, rounds });
  } finally {
    await muster.stop();
    oracle.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function load(
  people: People,
  muster: MusterProcess,
  oracle: ClickHouseOracle,
): Promise<void> {
  await muster.query('CREATE DATABASE ppl');
  oracle.query('CREATE DATABASE ppl');
  for (const table of people.tables) {
    const structure = table.columns.map(([name, type]) => `${name} ${type}`).join(', ');
    const chunks = [...rowBinary(people, table)];
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    await muster.query(createTableSql(table));
    oracle.query(createTableSql(table));
    const began = performance.now();
    await muster.query(`INSERT INTO ppl.${table.name} FORMAT RowBinary`, chunks);
    const between = performance.now();
    oracle.insertRowBinary(`ppl.${table.name}`, structure, chunks);
    const musterMs = between - began;
    const oracleMs = performance.now() - between;
    console.log(
      `loaded ${table.name}: ${chunks.length} rows, ${(bytes / 1e6).toFixed(1)} MB of states; Muster ${musterMs.toFixed(0)} ms, ClickHouse ${oracleMs.toFixed(0)} ms`,
    );
  }
}

interface AskOptions {
  readonly muster: MusterProcess;
  readonly oracle: ClickHouseOracle;
  readonly rounds: number;
}

async function ask(question: Question, options: AskOptions): Promise<void> {
  const { muster, oracle, rounds } = options;
  const answer = await muster.query(question.sql);
  const expected = oracle.query(question.sql);
  const musterTimes: number[] = [];
  const oracleTimes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await muster.query(question.sql);
    musterTimes.push(performance.now() - began);
    if (round >= 3) continue;
    const again = performance.now();
    oracle.query(question.sql);
    oracleTimes.push(performance.now() - again);
  }
  const [slow, fast] = [median(oracleTimes), median(musterTimes)];
  console.log(
    `${question.name}\t${slow.toFixed(1)}\t${fast.toFixed(2)}\t${(slow / fast).toFixed(0)}x\t${sameAnswer(answer, expected)}`,
  );
}

/** Equal text, floats to nine digits. */
function sameAnswer(a: string, b: string): boolean {
  const round = (text: string): string =>
    text.replace(/-?\d+\.\d+(e[+-]?\d+)?/g, (number) => Number(number).toPrecision(9));
  return round(a) === round(b);
}

function timed<T>(what: string, work: () => T): T {
  const began = performance.now();
  const result = work();
  console.log(`${what} in ${(performance.now() - began).toFixed(0)} ms`);
  return result;
}
