// Parquet by column and row group: files that ClickHouse writes in each of its compressions, read
// into columns, one column and all; and written. Beside it chdb over the same files, on one thread.
//
// Usage: node dist/bench/parquet-bench.js [--rows 1000000] [--rounds 3]

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RandomAccess } from '../engine/files/random-access.ts';
import { readFully } from '../engine/files/spooled-body.ts';
import { parquetStructure, readParquet } from '../engine/formats/parquet/parquet-input.ts';
import { ParquetWriter } from '../engine/formats/parquet/parquet-writer.ts';
import type { InsertBlock } from '../engine/ingest/insert-block.ts';
import type { Column } from '../storage-format/column.ts';
import type { NamedType } from '../storage-format/data-type.ts';
import { ClickHouseOracle } from './clickhouse-oracle.ts';
import { median } from './median.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
});
const functions = { timeZone: 'UTC', now: 0, database: 'default', user: 'default' };

await run(Number(values.rows), Number(values.rounds));

async function run(rows: number, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-parquet-'));
  const oracle = ClickHouseOracle.open(
    fileURLToPath(new URL('../../test/package.json', import.meta.url)),
  );
  console.log(
    `${rows} rows of (UInt64, String, Float64, DateTime, Array(UInt64) of 0-9), median of ${rounds}`,
  );
  console.log('file\tMB\tread\tMuster\tchdb\tratio');
  try {
    for (const compression of ['none', 'snappy', 'lz4', 'zstd', 'gzip', 'brotli']) {
      const path = join(folder, `${compression}.parquet`);
      oracle.query(`INSERT INTO FUNCTION file('${path}', Parquet) SELECT sipHash64(number) AS id,
        concat('user-', toString(number % 5000)) AS name, number / 7 AS f,
        toDateTime('2026-01-01 00:00:00') + number AS at,
        arrayMap(x -> sipHash64(number, x), range(number % 10)) AS ids
        FROM numbers(${rows}) SETTINGS output_format_parquet_compression_method = '${compression}'`);
      for (const columns of [['id'], ['ids'], ['id', 'name', 'f', 'at', 'ids']]) {
        await compare(path, columns, { oracle, rounds, compression });
      }
    }
    await writeAgain(join(folder, 'none.parquet'), rounds);
  } finally {
    oracle.close();
    rmSync(folder, { recursive: true });
  }
}

interface Comparison {
  readonly oracle: ClickHouseOracle;
  readonly rounds: number;
  readonly compression: string;
}

async function compare(path: string, names: readonly string[], of: Comparison): Promise<void> {
  const { oracle, rounds, compression } = of;
  const ours: number[] = [];
  const theirs: number[] = [];
  const sums = names.map((name) => (name === 'ids' ? 'sum(length(ids))' : `max(${name})`));
  for (let round = 0; round < rounds; round++) {
    ours.push(await timed(async () => void (await blocksOf(path, names))));
    const sql = `SELECT ${sums.join(', ')} FROM file('${path}', Parquet) SETTINGS max_threads = 1`;
    theirs.push(await timed(async () => void oracle.query(sql)));
  }
  const [a, b] = [median(ours), median(theirs)];
  const megabytes = (statSync(path).size / 1e6).toFixed(1);
  const what = names.length === 1 ? names[0] : 'all';
  console.log(
    `${compression}\t${megabytes}\t${what}\t${a.toFixed(0)} ms\t${b.toFixed(0)} ms\t${(b / a).toFixed(2)}`,
  );
}

async function blocksOf(path: string, names: readonly string[]) {
  const access = await openFile(path);
  const structure = await parquetStructure(access);
  const columns = structure.filter(({ name }) => names.includes(name));
  const blocks: InsertBlock[] = [];
  for await (const block of readParquet({ access, columns, settings: new Map(), functions })) {
    blocks.push(block);
  }
  await access.close();
  return { columns, blocks };
}

async function openFile(path: string): Promise<RandomAccess> {
  const file = await open(path);
  const { size: bytes } = await file.stat();
  return {
    bytes,
    read: ({ start, end }) => readFully(file, start, end),
    close: () => file.close(),
  };
}

async function writeAgain(path: string, rounds: number): Promise<void> {
  const { columns, blocks } = await blocksOf(path, ['id', 'name', 'f', 'at', 'ids']);
  const [id] = columns;
  if (id === undefined) return;
  console.log('written\tMB\tcolumns\tMuster\tmillion rows/s');
  for (const compression of ['none', 'gzip']) {
    const settings = new Map([['output_format_parquet_compression_method', compression]]);
    report('all', await written(columns, blocks, { settings, rounds }), compression);
    const ids = blocks.map(({ rows, columns: all }) => ({ rows, columns: all.slice(0, 1) }));
    report('id', await written([id], ids, { settings, rounds }), compression);
  }
}

interface Written {
  readonly ms: number;
  readonly bytes: number;
  readonly rows: number;
}

function report(what: string, { ms, bytes, rows }: Written, compression: string): void {
  const rate = (rows / ms / 1000).toFixed(1);
  console.log(`${compression}\t${(bytes / 1e6).toFixed(1)}\t${what}\t${ms.toFixed(0)} ms\t${rate}`);
}

async function written(
  columns: readonly NamedType[],
  blocks: readonly InsertBlock[],
  { settings, rounds }: { readonly settings: ReadonlyMap<string, string>; readonly rounds: number },
): Promise<Written> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    bytes = 0;
    times.push(
      await timed(async () => {
        const writer = new ParquetWriter(columns, settings);
        for (const { rows, columns: all } of blocks) {
          const plain = all.filter((column): column is Column => column.kind !== 'ids');
          for (const piece of writer.add({ rows, columns: plain })) bytes += piece.length;
        }
        for (const piece of writer.finish()) bytes += piece.length;
      }),
    );
  }
  return { ms: median(times), bytes, rows: blocks.reduce((sum, { rows }) => sum + rows, 0) };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
