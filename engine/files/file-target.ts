// A table function as the target of INSERT INTO FUNCTION: rows become a file in a format, by its name's
// ending or as it was told, packed where the name says so. The file appears when all rows are in it.

import { once } from 'node:events';
import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import type { DataType, NamedType } from '../../storage-format/data-type.ts';
import { formatResult, outputFormat } from '../formats/output.ts';
import { ParquetWriter } from '../formats/parquet/parquet-writer.ts';
import type { QueryContext } from '../query-context.ts';
import { defaultColumn } from '../values/column-shape.ts';
import { BucketFiles } from './bucket-files.ts';
import { packer } from './decompression.ts';
import { FileFolder } from './file-folder.ts';
import { type FileRequest, kindOfName } from './file-request.ts';
import type { FileTarget } from './open-file.ts';
import { urlTarget } from './url-files.ts';

interface Rows {
  readonly columns: readonly NamedType[];
  readonly blocks: AsyncIterable<Block>;
}

interface Block {
  readonly rows: number;
  readonly columns: readonly Column[];
}

type Context = Pick<QueryContext, 'clock' | 'files' | 'progress' | 'settings' | 'signal'>;

export async function writeFile(request: FileRequest, rows: Rows, context: Context): Promise<void> {
  const kind = kindOfName(request.address);
  const format = request.format ?? kind.format;
  if (format === undefined) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `The format of ${request.label} doesn't follow from its name: give it as an argument after the address`,
    );
  }
  const bytes = formatted(outputFormat(format).name, rows, context);
  const compression = request.compression ?? (format === 'Parquet' ? 'none' : kind.compression);
  const { target, close } = await openTarget(request, context);
  try {
    const pack = packer(compression);
    const packing = pour(bytes, pack);
    packing.catch((error: unknown) => pack.destroy(error as Error));
    for await (const piece of pack as AsyncIterable<Uint8Array>) {
      context.signal.throwIfAborted();
      context.progress.writtenBytes += piece.length;
      await target.write(piece);
    }
    await packing;
    await target.finish();
  } catch (error) {
    await target.abort();
    throw error;
  } finally {
    close();
  }
}

async function pour(
  bytes: AsyncIterable<Uint8Array>,
  pack: ReturnType<typeof packer>,
): Promise<void> {
  for await (const piece of bytes) if (!pack.write(piece)) await once(pack, 'drain');
  pack.end();
}

async function openTarget(
  { function: name, address, credentials }: FileRequest,
  { files: services, clock, signal }: Context,
): Promise<{ readonly target: FileTarget; readonly close: () => void }> {
  switch (name) {
    case 'file': {
      const folder = await FileFolder.open(services.folder, clock);
      return { target: await folder.target(address), close: () => {} };
    }
    case 'url': {
      const target = urlTarget(address, { allowed: services.urls, signal });
      return { target, close: () => {} };
    }
    case 's3': {
      const bucket = await BucketFiles.open(address, credentials, { services, signal });
      return { target: bucket.target(), close: () => bucket.close() };
    }
  }
}

/** Formats whose rows stand alone: written block by block, with a header on the first. */
const rowFormats =
  /^(CSV|TabSeparated|TabSeparatedRaw|JSONCompactEachRow|RowBinary|JSONEachRow|TSKV)(WithNames|WithNamesAndTypes)?$/;

async function* formatted(
  format: string,
  { columns, blocks }: Rows,
  context: Context,
): AsyncGenerator<Uint8Array> {
  const { settings, progress } = context;
  const options = { settings: settings.raw };
  if (format === 'Parquet') {
    const writer = new ParquetWriter(columns, settings.raw);
    for await (const block of blocks) {
      progress.writtenRows += block.rows;
      yield* writer.add(block);
    }
    yield* writer.finish();
    return;
  }
  const family = rowFormats.exec(format)?.[1];
  const kept: Block[] = [];
  let isFirst = true;
  for await (const block of blocks) {
    progress.writtenRows += block.rows;
    if (family === undefined) kept.push(block);
    else yield* formatResult(isFirst ? format : family, { columns, block }, options);
    isFirst = false;
  }
  if (family === undefined || isFirst) {
    yield* formatResult(format, { columns, block: joined(kept, columns) }, options);
  }
}

function joined(blocks: readonly Block[], columns: readonly NamedType[]): Block {
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  return {
    rows,
    columns: columns.map((column, i) =>
      blocks.length === 0
        ? defaultColumn(storedType(column.type), 0)
        : concatColumns(blocks.map((block) => block.columns[i] as Column)),
    ),
  };
}

/** Sets are the bytes of their states here. */
function storedType(type: DataType): DataType {
  return type.kind === 'Bitmap' ? { kind: 'String' } : type;
}
