// `muster export`: the ids of a set, or sets as other systems' bytes, as a stream into a file, a bucket
// or standard output. Memory is bounded, however large the sets are.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { systemClock } from '../../../base/clock.ts';
import { openCatalog, refuseForeignStore } from '../../../catalog/catalog.ts';
import { Engine } from '../../../engine/engine.ts';
import type { ExportJob } from '../../../engine/export/export-job.ts';
import { runExport } from '../../../engine/export/run-export.ts';
import { openStore } from '../../../object-store/open-store.ts';
import { S3Bucket } from '../../../object-store/s3-bucket.ts';
import { parseBucketPlace } from '../../backfill/file-place.ts';
import { openInvoker } from '../../worker-pool.ts';
import type { Configuration } from '../configuration.ts';
import { refuseMissingDirectory } from '../connection/existing-directory.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { bytesText, countText, durationText, grouped } from '../quantities.ts';
import { storeOptionsOf } from '../serve-configuration.ts';
import type { Call } from '../subcommands.ts';
import { print, say } from '../terminal.ts';

/** Runs of sorted ids, beside the store. */
const spoolBytesMax = 64 * 1024 ** 3;

export async function exportSets({ configuration, operands }: Call): Promise<number> {
  const job = jobOf(configuration, operands[0] ?? '');
  const address = storeOptionsOf(configuration);
  refuseMissingDirectory(address.store);
  const clock = systemClock;
  const { store: url, endpoint, region } = address;
  const store = await openStore(url, { clock, endpoint, region, inspect: refuseForeignStore });
  // Threads pay for large intersections; to give ids away costs more than finding them.
  const count = configuration.number('workers') ?? 0;
  const invoker = await openInvoker(
    count === 0 ? { kind: 'in-process' } : { kind: 'threads', count },
    store,
    address,
  );
  try {
    const catalog = await openCatalog(store, { clock });
    const files = { spool: { folder: tmpdir(), bytesMax: spoolBytesMax } };
    const engine = new Engine({ catalog, store, invoker, clock, files });
    const database = configuration.text('database') ?? 'default';
    const began = clock.monotonic();
    const done = await write(engine, { job, database, target: await openTarget(configuration) });
    const ms = clock.monotonic() - began;
    say(
      `${countText(done.rows, 'row')} (${bytesText(done.bytes)}) in ${durationText(ms)}, ` +
        `${grouped(Math.round((done.rows / ms) * 1000))} rows/s; ` +
        `the database is at version ${done.version}.\n`,
    );
    return exitCodes.ok;
  } finally {
    await invoker.close();
    await store.close();
  }
}

interface Writing {
  readonly job: ExportJob;
  readonly database: string;
  readonly target: ExportTarget;
}

async function write(engine: Engine, { job, database, target }: Writing) {
  const request = {
    queryId: systemClock.randomId(),
    text: job.select,
    database,
    parameters: new Map<string, string>(),
    settings: new Map<string, string>(),
  };
  try {
    const done = await engine.within(request, async (context) => {
      const { version } = await context.snapshot(database);
      let [rows, bytes] = [0, 0];
      for await (const chunk of runExport(job, context, (more) => (rows += more))) {
        bytes += chunk.length;
        await target.write(chunk);
      }
      return { rows, bytes, version };
    });
    await target.finish();
    return done;
  } catch (error) {
    await target.abort();
    throw error;
  }
}

function jobOf(configuration: Configuration, select: string): ExportJob {
  const as = (configuration.text('as') ?? 'ids') as ExportJob['as'];
  const encoding = (configuration.text('encoding') ?? 'raw') as ExportJob['encoding'];
  return {
    select,
    format: configuration.text('format') ?? formatOf(configuration.text('to')),
    as,
    encoding,
    sorted: configuration.switched('sorted') === true,
    sinceVersion: configuration.number('sinceVersion'),
  };
}

const formats: Readonly<Record<string, string>> = {
  csv: 'CSVWithNames',
  tsv: 'TabSeparatedWithNames',
  txt: 'TabSeparated',
  jsonl: 'JSONEachRow',
  ndjson: 'JSONEachRow',
  json: 'JSONEachRow',
  parquet: 'Parquet',
  arrow: 'Arrow',
  arrows: 'ArrowStream',
  rowbinary: 'RowBinary',
};

function formatOf(to: string | undefined): string {
  if (to === undefined) return 'TabSeparated';
  const ending = /\.([a-z]+)$/i.exec(to)?.[1]?.toLowerCase() ?? '';
  const format = formats[ending];
  if (format !== undefined) return format;
  const known = Object.keys(formats).join(', .');
  throw new UsageError(`The name ${to} doesn't tell a format (.${known}): give --format.`);
}

interface ExportTarget {
  write(chunk: Uint8Array): Promise<void>;
  /** Only now it is there, under its name. */
  finish(): Promise<void>;
  abort(): Promise<void>;
}

async function openTarget(configuration: Configuration): Promise<ExportTarget> {
  const to = configuration.text('to');
  if (to === undefined) return { write: print, finish: async () => {}, abort: async () => {} };
  const address = parseBucketPlace(to);
  if (address === undefined) return await fileTarget(to);
  const [endpoint, region] = [configuration.text('endpoint'), configuration.text('region')];
  const bucket = new S3Bucket({ bucket: address.bucket, endpoint, region }, systemClock);
  const writer = bucket.writer(address.key);
  return {
    write: (chunk) => writer.write(chunk),
    finish: async () => {
      await writer.finish();
      bucket.close();
    },
    abort: async () => {
      await writer.abort();
      bucket.close();
    },
  };
}

/** Handed to the system while the next ids are looked up. */
const writtenBehindBytes = 8 * 1024 * 1024;

/** Written beside it, and moved to its name when it is whole. */
async function fileTarget(path: string): Promise<ExportTarget> {
  const beside = `${path}.${systemClock.randomId().slice(0, 8)}.part`;
  const stream = createWriteStream(beside, { flags: 'wx', highWaterMark: writtenBehindBytes });
  try {
    await once(stream, 'open');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${path} can't be written: ${why}`);
  }
  return {
    write: async (chunk) => {
      if (!stream.write(chunk)) await once(stream, 'drain');
    },
    finish: async () => {
      stream.end();
      await once(stream, 'close');
      await rename(beside, path);
    },
    abort: async () => {
      stream.destroy();
      await rm(beside, { force: true });
    },
  };
}
