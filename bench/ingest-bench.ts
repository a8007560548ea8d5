// Bulk inserts into a server as a person starts it, over HTTP: rows of (UInt32, String of 8 bytes,
// UInt64) in each format, as detail rows and gathered into sets; millions of small sets out of a
// Parquet list column, grouped by column and by id; one huge set of random ids. --members: rows
// once more, as members of a dictionary (muster_id_column). Beside each the same
// file inserted by ClickHouse. A tenth unless --full. See README.md.
//
// Usage: node dist/bench/ingest-bench.js [--full] [--rows N] [--sets N] [--ids N]
//   [--only rows,states,small,huge] [--members]
//   [--formats CSV,JSONEachRow,RowBinary,Parquet]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ClickHouseOracle } from './clickhouse-oracle.ts';
import { printHeader, type Race, race } from './ingest/insert-race.ts';
import { MusterProcess } from './muster-process.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    rows: { type: 'string' },
    sets: { type: 'string' },
    ids: { type: 'string' },
    only: { type: 'string', default: 'rows,states,small,huge' },
    members: { type: 'boolean', default: false },
    formats: { type: 'string', default: 'CSV,JSONEachRow,RowBinary,Parquet' },
  },
});
const scale = values.full ? 1 : 0.1;
const rowCount = Number(values.rows ?? 100_000_000 * scale);
const setCount = Number(values.sets ?? 4_000_000 * scale);
const idCount = Number(values.ids ?? 10_000_000 * scale);
const folder = mkdtempSync(join(tmpdir(), 'muster-ingest-'));
const structure = 'at UInt32, tag String, id UInt64';
let servers = 0;

const parts: Readonly<Record<string, (of: Race) => Promise<void>>> = {
  rows: detailRows,
  states: statesOfRows,
  small: smallSets,
  huge: hugeSet,
};

await main(values.only.split(','));

async function main(names: readonly string[]): Promise<void> {
  const oracle = ClickHouseOracle.open(join(repository, 'test', 'package.json'));
  try {
    oracle.query('CREATE DATABASE bench');
    oracle.query('USE bench');
    oracle.query("SET output_format_parquet_compression_method = 'lz4'");
    printHeader();
    for (const name of names) await parts[name]?.({ oracle, start });
  } finally {
    oracle.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(): Promise<MusterProcess> {
  const entry = join(repository, 'dist/functions/main.js');
  const data = join(folder, `data-${servers++}`);
  return await MusterProcess.start(entry, ['--data', data, '--no-demo', '--workers', '2']);
}

/** A thousand tags; a tenth as many distinct ids as rows, sparse over 64 bits. */
function rowsFile(format: string, oracle: ClickHouseOracle): string {
  const file = join(folder, `rows.${format}`);
  oracle.query(`INSERT INTO FUNCTION file('${file}', '${format}') SELECT
    toUInt32(1700000000 + intDiv(number, 100)) AS at,
    concat('tag', leftPad(toString(sipHash64(number) % 1000), 5, '0')) AS tag,
    sipHash64(intHash64(number) % ${Math.max(1, rowCount / 10)}) AS id
    FROM numbers(${rowCount})`);
  return file;
}

async function detailRows(of: Race): Promise<void> {
  const create = `CREATE TABLE t (${structure}) ENGINE = MergeTree ORDER BY (tag, at)`;
  const check = 'SELECT count(), sum(at), uniqExact(tag) FROM t';
  for (const format of values.formats.split(',')) {
    const file = rowsFile(format, of.oracle);
    const insert = { file, format, structure, check, select: undefined, rows: rowCount };
    await race({ ...insert, what: `rows, ${format}`, create }, of);
    if (values.members) {
      const what = `rows with their ids, ${format}`;
      const members = `${create} SETTINGS muster_id_column = 'id'`;
      await race({ ...insert, what, create: members, theirs: { create } }, of);
    }
    rmSync(file);
  }
}

async function statesOfRows(of: Race): Promise<void> {
  const create =
    'CREATE TABLE t (tag String, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag';
  const check =
    'SELECT count(), sum(n) FROM (SELECT groupBitmapMerge(ids) AS n FROM t GROUP BY tag)';
  const select = (input: string) => `SELECT tag, groupBitmapState(id) FROM ${input} GROUP BY tag`;
  for (const format of values.formats.split(',')) {
    const file = rowsFile(format, of.oracle);
    const what = `states, ${format}`;
    const insert = { what, file, format, structure, create, check, select };
    await race({ ...insert, rows: rowCount }, of);
    rmSync(file);
  }
}

/** Dense for ClickHouse, whose sets are at their best so; Muster makes its own dense. */
async function smallSets(of: Race): Promise<void> {
  const file = join(folder, 'sets.parquet');
  of.oracle.query(`INSERT INTO FUNCTION file('${file}', Parquet) SELECT
    toUInt32(number) AS tag,
    arrayMap(x -> sipHash64(number, x) % ${Math.max(100, setCount * 2.5)}, range(1 + sipHash64(number) % 50)) AS ids
    FROM numbers(${setCount})`);
  const columns = 'tag UInt32, ids AggregateFunction(groupBitmap, UInt64)';
  const table = `CREATE TABLE t (${columns}) ENGINE = MergeTree ORDER BY tag`;
  const given = 'tag UInt32, ids Array(UInt64)';
  const theirs = {
    create: table,
    select: (input: string) => `SELECT tag, arrayReduce('groupBitmapState', ids) FROM ${input}`,
  };
  for (const [rule, settings] of [
    ['tag', "muster_group_by = 'tag'"],
    ['id', 'muster_groups = 4'],
  ] as const) {
    await race(
      {
        what: `small sets by ${rule}`,
        file,
        format: 'Parquet',
        structure: given,
        create: `${table} SETTINGS ${settings}`,
        select: undefined,
        theirs,
        rows: setCount,
        check: 'SELECT count(), sum(bitmapCardinality(ids)) FROM t',
        questions: [
          {
            what: 'HAVING n > 10',
            sql: 'SELECT count() FROM (SELECT tag, groupBitmapMerge(ids) AS n FROM t GROUP BY tag HAVING n > 10)',
          },
          {
            what: 'count each and filter',
            sql: 'SELECT count() FROM t WHERE bitmapCardinality(ids) > 10',
          },
          { what: 'union of all', sql: 'SELECT groupBitmapMerge(ids) FROM t' },
        ],
      },
      of,
    );
  }
  rmSync(file);
}

async function hugeSet(of: Race): Promise<void> {
  const file = join(folder, 'ids.parquet');
  of.oracle.query(
    `INSERT INTO FUNCTION file('${file}', Parquet) SELECT rand64() AS id FROM numbers(${idCount})`,
  );
  await race(
    {
      what: 'one set of random ids',
      file,
      format: 'Parquet',
      structure: 'id UInt64',
      create:
        'CREATE TABLE t (tag UInt8, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag',
      select: (input) => `SELECT 1, groupBitmapState(id) FROM ${input}`,
      rows: idCount,
      check: 'SELECT groupBitmapMerge(ids) FROM t',
    },
    of,
  );
  rmSync(file);
}
