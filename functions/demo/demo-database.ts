// The database `demo`: four tables of people, and `about`, written last, which says that all of them
// are whole. A load that was killed is thrown away and done again; what isn't ours is left alone.

import { systemClock } from '../../base/clock.ts';
import { type Connection, textOf } from '../cli/connection/connection.ts';
import { UsageError } from '../cli/exit-codes.ts';
import { generatePeople, type PeopleTable } from './people/people.ts';
import { createTableSql, rowBinary } from './people/row-binary.ts';

export const demoDatabase = 'demo';

/** Marks our tables: only these are ever dropped. */
const mark = 'made by muster demo';
const seed = 1;

interface LoadOptions {
  readonly people: number;
  readonly signal: AbortSignal;
  /** Hears how much is loaded, from 0 to 1. */
  readonly progress: (share: number) => void;
}

type DemoState =
  | { readonly kind: 'none' }
  /** A load was cut off. */
  | { readonly kind: 'partial' }
  | { readonly kind: 'whole'; readonly people: number };

export async function demoState(connection: Connection, signal: AbortSignal): Promise<DemoState> {
  const comments = await tablesOf(connection, signal);
  if (comments.get('about') === mark) {
    const people = await ask(connection, `SELECT people FROM ${demoDatabase}.about`, signal);
    if (people !== '') return { kind: 'whole', people: Number(people) };
  }
  return { kind: [...comments.values()].includes(mark) ? 'partial' : 'none' };
}

/** Throws UsageError when somebody else's tables are in the way. */
export async function loadDemo(connection: Connection, options: LoadOptions): Promise<void> {
  const { people, signal, progress } = options;
  const run = (text: string): Promise<string> => ask(connection, text, signal);
  const made = generatePeople({ people, seed });
  const ours = ['about', ...made.tables.map(({ name }) => name)];
  await run(`CREATE DATABASE IF NOT EXISTS ${demoDatabase}`);
  for (const [name, comment] of await tablesOf(connection, signal)) {
    if (!ours.includes(name)) continue;
    if (comment !== mark) {
      throw new UsageError(
        `The table ${demoDatabase}.${name} is not the demo's: the demo needs the database ` +
          `${demoDatabase} for itself, or another --data.`,
      );
    }
    await run(`DROP TABLE ${demoDatabase}.${name}`);
  }
  let done = 0;
  for (const table of made.tables) {
    await run(`${createTableSql(table, demoDatabase)} COMMENT '${mark}'`);
    const share = (rows: number): void => progress(done + weightOf(table) * rows);
    const body = chunksOf(rowBinary(made, table), rowsOf(table), { share, signal });
    const text = `INSERT INTO ${demoDatabase}.${table.name} FORMAT RowBinary`;
    const question = { text, body, signal, format: 'TabSeparated', database: demoDatabase };
    await textOf(await connection.execute(question));
    done += weightOf(table);
    progress(done);
  }
  await run(
    `CREATE TABLE ${demoDatabase}.about (people UInt64, seed UInt64) ` +
      `ENGINE = MergeTree ORDER BY people COMMENT '${mark}'`,
  );
  await run(`INSERT INTO ${demoDatabase}.about VALUES (${people}, ${seed})`);
}

/** Shares of all members, and rows: known of the generator, for the progress alone. */
const sizes: Readonly<Record<string, readonly [weight: number, rows: number]>> = {
  tags: [0.32, 93],
  daily: [0.52, 120],
  expo: [0.08, 28],
  reddot: [0.08, 30],
};

function weightOf(table: PeopleTable): number {
  return sizes[table.name]?.[0] ?? 0;
}

function rowsOf(table: PeopleTable): number {
  return sizes[table.name]?.[1] ?? 1;
}

interface Chunking {
  readonly share: (rows: number) => void;
  readonly signal: AbortSignal;
}

async function* chunksOf(
  rows: Iterable<Uint8Array>,
  count: number,
  { share, signal }: Chunking,
): AsyncGenerator<Uint8Array> {
  let row = 0;
  for (const chunk of rows) {
    // Ctrl-C is heard in between.
    await systemClock.sleep(0);
    signal.throwIfAborted();
    yield chunk;
    share(Math.min(1, ++row / count));
  }
}

/** Names of the tables in `demo`, with their comments. */
async function tablesOf(
  connection: Connection,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const text = `SELECT name, comment FROM system.tables WHERE database = '${demoDatabase}'`;
  const rows = await ask(connection, text, signal);
  const lines = rows.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split('\t') as [string, string]));
}

async function ask(connection: Connection, text: string, signal: AbortSignal): Promise<string> {
  const question = { text, format: 'TabSeparated', database: 'default', signal };
  return (await textOf(await connection.execute(question))).trimEnd();
}
