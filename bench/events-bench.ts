// Questions over raw events (day, sparse 64-bit id, kind): Muster over HTTP, with rows that lie with their
// ids and with rows that lie anywhere, beside ClickHouse in this process with as many threads. Every line
// prints both times, their ratio, what was read and the server's peak memory. See README.md.
//
// Usage: node dist/bench/events-bench.js [--full] [--rows 1000000] [--rounds 9] [--tables events,anywhere]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ClickHouseOracle } from './clickhouse-oracle.ts';
import { MusterProcess } from './muster-process.ts';
import { compare, printHeader, type SideBySide } from './sets/side-by-side.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    rows: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    tables: { type: 'string', default: 'events,anywhere' },
  },
});

const days = 30;
const firstDay = 20_454;
const threads = 2;
const structure = 'day Date, uid UInt64, kind UInt8';

/** `T` is the table. */
const questions: readonly (readonly [string, string])[] = [
  ['different ids of each day', 'SELECT day, groupBitmap(uid) FROM T GROUP BY day ORDER BY day'],
  [
    'who of the first day came back, over events',
    `WITH (SELECT groupBitmapState(uid) FROM T WHERE day = toDate(${firstDay})) AS first SELECT day, bitmapAndCardinality(first, groupBitmapState(uid)) FROM T GROUP BY day ORDER BY day`,
  ],
  [
    'retention of each pair of days, by states of events',
    'SELECT a.day, b.day, bitmapAndCardinality(a.u, b.u) FROM (SELECT day, groupBitmapState(uid) AS u FROM T GROUP BY day) AS a CROSS JOIN (SELECT day, groupBitmapState(uid) AS u FROM T GROUP BY day) AS b WHERE a.day < b.day ORDER BY a.day, b.day',
  ],
  [
    'events of a stored audience',
    'WITH (SELECT users FROM audience WHERE tag = 1) AS a SELECT day, count() FROM T WHERE bitmapContains(a, uid) GROUP BY day ORDER BY day',
  ],
];

const rowsDefault = values.full ? 10_000_000 : 1_000_000;

await main(Number(values.rows ?? rowsDefault), Number(values.rounds));

async function main(rows: number, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const oracle = ClickHouseOracle.open(join(repository, 'test', 'package.json'));
  const muster = await MusterProcess.start(join(repository, 'dist/functions/main.js'), [
    '--data',
    join(folder, 'data'),
    '--no-demo',
    '--workers',
    `${threads}`,
  ]);
  try {
    await load(rows, { muster, oracle, rounds });
    printHeader();
    for (const [name, sql] of questions) {
      for (const table of values.tables.split(',')) {
        const clickHouse = `${sql.replaceAll(/\bT\b/g, 'events')} SETTINGS max_threads = ${threads}`;
        const asked = { clickHouse, muster: sql.replaceAll(/\bT\b/g, table) };
        await compare({ name: `${name} (${table})`, ...asked }, { muster, oracle, rounds });
      }
    }
  } finally {
    await muster.stop();
    oracle.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function load(rows: number, { muster, oracle }: SideBySide): Promise<void> {
  const chunks = eventRows(rows);
  const audience =
    'CREATE TABLE audience (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY tag';
  const fill =
    'INSERT INTO audience SELECT toUInt32(1), groupBitmapState(uid) FROM events WHERE kind = 0';
  for (const table of values.tables.split(',')) {
    const settings = table === 'events' ? " SETTINGS muster_id_column = 'uid'" : '';
    await muster.query(
      `CREATE TABLE ${table} (${structure}) ENGINE = MergeTree ORDER BY day${settings}`,
    );
    const began = performance.now();
    await muster.query(`INSERT INTO ${table} FORMAT RowBinary`, chunks);
    const seconds = (performance.now() - began) / 1000;
    console.log(`# ${table}: ${rows} rows into Muster in ${seconds.toFixed(1)} s`);
  }
  oracle.query(`CREATE TABLE events (${structure}) ENGINE = MergeTree ORDER BY day`);
  oracle.insertRowBinary('events', structure, chunks);
  for (const sql of [audience, fill]) {
    await muster.query(sql);
    oracle.query(sql);
  }
}

/** Five events a person, about; ids uniform over 64 bits. */
function eventRows(rows: number): readonly Uint8Array[] {
  const people = Math.round(rows / 5);
  const chunkRows = 65_536;
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return Array.from({ length: Math.ceil(rows / chunkRows) }, (_, chunk) => {
    const count = Math.min(chunkRows, rows - chunk * chunkRows);
    const bytes = Buffer.alloc(11 * count);
    for (let row = 0; row < count; row++) {
      const person = 1 + Math.floor((next() / 2 ** 32) * people);
      bytes.writeUInt16LE(firstDay + ((next() >>> 8) % days), 11 * row);
      bytes.writeUInt32LE(Math.imul(person, 2_654_435_761) >>> 0, 11 * row + 2);
      bytes.writeUInt32LE(Math.imul(person, 0x85eb_ca6b) >>> 0, 11 * row + 6);
      bytes[11 * row + 10] = (next() >>> 16) % 8;
    }
    return bytes;
  });
}
