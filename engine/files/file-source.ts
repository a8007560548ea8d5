// A table function as a source of rows: which files there are, what columns they have, and their rows,
// file after file, in blocks. Beside the files' own columns there are _path and _file, which a star
// leaves out.

import { MusterError } from '../../base/errors.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { parquetStructure, readParquet } from '../formats/parquet/parquet-input.ts';
import { readInput } from '../formats/read-input.ts';
import type { InsertBlock, InsertColumn } from '../ingest/insert-block.ts';
import type { QueryContext } from '../query-context.ts';
import { BucketFiles } from './bucket-files.ts';
import { decompressed } from './decompression.ts';
import { FileFolder } from './file-folder.ts';
import { type Compression, type FileRequest, kindOfName } from './file-request.ts';
import type { FoundFile } from './open-file.ts';
import type { RandomAccess } from './random-access.ts';
import { spoolBody } from './spooled-body.ts';
import { findUrls } from './url-files.ts';

export interface FileSource {
  /** How plans and messages call it: without credentials. */
  readonly label: string;
  /** The files' own, then the virtual ones. */
  readonly columns: readonly NamedType[];
  readonly virtualColumns: number;
  /** Columns that nobody needs may hold anything of their type. */
  blocks(needed: readonly boolean[]): AsyncGenerator<InsertBlock>;
}

type Context = Pick<
  QueryContext,
  'clock' | 'files' | 'functions' | 'progress' | 'settings' | 'signal'
>;

const text = { kind: 'LowCardinality', inner: { kind: 'String' } } as const;
export const virtualColumns: readonly NamedType[] = [
  { name: '_path', type: text },
  { name: '_file', type: text },
];

/**
 * `given`: the columns of an INSERT's table, for formats that don't say their own. FILE_DOESNT_EXIST
 * where the pattern names nothing and no structure was given.
 */
export async function openFileSource(
  request: FileRequest,
  given: readonly NamedType[] | undefined,
  context: Context,
): Promise<FileSource> {
  const files = await filesOf(request, context);
  const columns = await columnsOf(request, { files, given }, context);
  return {
    label: request.label,
    columns: [...columns, ...virtualColumns],
    virtualColumns: virtualColumns.length,
    async *blocks(needed) {
      for (const file of files) {
        for await (const block of fileBlocks(file, { request, columns, needed }, context)) {
          context.progress.readRows += block.rows;
          yield {
            rows: block.rows,
            columns: [...block.columns, ...virtualValues(file, block.rows)],
          };
        }
      }
    },
  };
}

async function filesOf(request: FileRequest, context: Context): Promise<readonly FoundFile[]> {
  const { files: services, clock, signal } = context;
  switch (request.function) {
    case 'file':
      return await (await FileFolder.open(services.folder, clock)).find(request.address);
    case 'url':
      return findUrls(request.address, { allowed: services.urls, signal });
    case 's3': {
      const bucket = await BucketFiles.open(request.address, request.credentials, {
        services,
        signal,
      });
      return await bucket.find();
    }
  }
}

interface Found {
  readonly files: readonly FoundFile[];
  readonly given: readonly NamedType[] | undefined;
}

async function columnsOf(
  request: FileRequest,
  { files, given }: Found,
  context: Context,
): Promise<readonly NamedType[]> {
  if (request.structure !== undefined) return request.structure;
  const [first] = files;
  if (first === undefined) {
    throw new MusterError('FILE_DOESNT_EXIST', `${request.label} names no file`);
  }
  if (formatOf(request, first) === 'Parquet') {
    return await located(first, async () => {
      const access = await accessTo(first, context);
      try {
        return await parquetStructure(access);
      } finally {
        await access.close();
      }
    });
  }
  if (given !== undefined) return given;
  throw new MusterError(
    'CANNOT_EXTRACT_TABLE_STRUCTURE',
    `${request.label} is ${formatOf(request, first)}, which doesn't say the types of its columns: give them after the format, as in ${request.function}('${first.name}', '${formatOf(request, first)}', 'id UInt64, name String')`,
  );
}

function formatOf({ format, label }: FileRequest, file: FoundFile): string {
  const known = format ?? kindOfName(file.name).format;
  if (known !== undefined) return known;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `The format of ${label} doesn't follow from its name: give it as an argument after the address`,
  );
}

interface Reading {
  readonly request: FileRequest;
  readonly columns: readonly NamedType[];
  readonly needed: readonly boolean[];
}

async function* fileBlocks(
  file: FoundFile,
  reading: Reading,
  context: Context,
): AsyncGenerator<InsertBlock> {
  try {
    const isParquet = formatOf(reading.request, file) === 'Parquet';
    yield* isParquet ? parquetBlocks(file, reading, context) : textBlocks(file, reading, context);
  } catch (error) {
    throw inFile(file, error);
  }
}

async function* parquetBlocks(
  file: FoundFile,
  { columns, needed }: Reading,
  context: Context,
): AsyncGenerator<InsertBlock> {
  const access = await accessTo(file, context);
  const { settings, functions, signal } = context;
  try {
    const options = { access, columns, needed, settings: settings.raw, functions, signal };
    yield* readParquet(options);
  } finally {
    await access.close();
  }
}

async function* textBlocks(
  file: FoundFile,
  { request, columns }: Reading,
  context: Context,
): AsyncGenerator<InsertBlock> {
  const compression: Compression = request.compression ?? kindOfName(file.name).compression;
  const { settings, functions, signal } = context;
  yield* readInput({
    format: formatOf(request, file),
    columns,
    body: decompressed(file.stream(), compression),
    settings: settings.raw,
    context: functions,
    signal,
  });
}

async function accessTo(file: FoundFile, context: Context): Promise<RandomAccess> {
  if (file.access !== undefined) return await file.access();
  const { clock, files, signal } = context;
  return await spoolBody(file.stream(), { clock, spool: files.spool, signal });
}

function virtualValues(file: FoundFile, rows: number): InsertColumn[] {
  return [file.path, file.name].map((value) => {
    const bytes = Buffer.from(value, 'utf8').toString('latin1');
    return { kind: 'string', values: new Array<string>(rows).fill(bytes) };
  });
}

async function located<T>(file: FoundFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw inFile(file, error);
  }
}

function inFile(file: FoundFile, error: unknown): unknown {
  if (!(error instanceof MusterError) || error.message.includes(file.name)) return error;
  return new MusterError(error.errorName, `${error.message}: (in file ${file.name})`, {
    cause: error,
  });
}
