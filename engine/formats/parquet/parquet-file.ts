// The only door to hyparquet and its decompressors: an open Parquet file, its tree of columns and the
// physical values of one column chunk's pages. What the values mean is parquet-schema.ts's business:
// the annotations of leaves are taken away before hyparquet sees them, so that it converts nothing.
//
// What a file says of itself is not trusted: lengths are held against the file and against limits.

import { brotliDecompressSync, inflateRawSync } from 'node:zlib';
import {
  type FileMetaData,
  parquetMetadataAsync,
  parquetSchema,
  type RowGroup,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import type {
  ColumnDecoder,
  ColumnMetaData,
  CompressionCodec,
  PageHeader,
} from 'hyparquet/src/types.js';
import { parquetHeader } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js';
import { compressors, decompressZstd } from 'hyparquet-compressors';
import { defined } from '../../../base/assert.ts';
import { MusterError } from '../../../base/errors.ts';
import type { RandomAccess } from '../../files/random-access.ts';
import { checkRunLengths, checkRuns, levelWidth } from './level-runs.ts';

/** A node of the tree of columns. Leaves have a `physical` type, groups have children. */
export interface ParquetNode {
  readonly name: string;
  readonly repetition: 'REQUIRED' | 'OPTIONAL' | 'REPEATED';
  readonly physical: SchemaElement['type'];
  readonly fixedBytes: number | undefined;
  readonly converted: SchemaElement['converted_type'];
  readonly logical: SchemaElement['logical_type'];
  readonly scale: number;
  readonly precision: number;
  readonly children: readonly ParquetNode[];
}

/** Rows that stand together in the file, with the uncompressed bytes of each top-level column. */
export interface ParquetRowGroup {
  readonly start: number;
  readonly rows: number;
  readonly columnBytes: ReadonlyMap<string, number>;
}

/**
 * A page as the format has it. Of a column of lists: a level entry for each item and for each list
 * without any; of a flat column one for each row. Values are of those entries whose definition level
 * is `definitionMax`; of a page without such levels all are. With a dictionary they are numbers of it.
 */
export interface ColumnPage {
  readonly entries: number;
  /** Empty for flat columns. */
  readonly repetition: ArrayLike<number>;
  readonly definition: ArrayLike<number> | undefined;
  readonly definitionMax: number;
  readonly values: ArrayLike<unknown>;
  readonly dictionary: ArrayLike<unknown> | undefined;
}

const pageValuesMax = 16 * 1024 * 1024;
const pageBytesMax = 256 * 1024 * 1024;
const footerBytesMax = 64 * 1024 * 1024;

export class ParquetFile {
  readonly columns: readonly ParquetNode[];
  readonly rowGroups: readonly ParquetRowGroup[];
  readonly rows: number;
  readonly #metadata: FileMetaData;
  readonly #access: RandomAccess;

  constructor(access: RandomAccess, metadata: FileMetaData) {
    this.#access = access;
    this.columns = parquetSchema(metadata).children.map(nodeOf);
    this.rowGroups = rowGroupsOf(metadata);
    this.rows = this.rowGroups.reduce((sum, group) => sum + group.rows, 0);
    this.#metadata = {
      ...metadata,
      schema: metadata.schema.map(withoutMeaning),
      row_groups: metadata.row_groups.map((group) => withWideDeltas(group, metadata)),
    };
  }

  /** Reads the footer: one read, two where it is long. INCORRECT_DATA if this is no Parquet file. */
  static async open(access: RandomAccess): Promise<ParquetFile> {
    return await refusing(async () => {
      await checkEnds(access);
      const asIs = (bytes: unknown): unknown => bytes;
      const metadata = await parquetMetadataAsync(sliced(access), {
        geoparquet: false,
        parsers: {
          stringFromBytes: asIs,
          jsonFromBytes: asIs,
          uuidFromBytes: asIs,
          timestampFromMilliseconds: asIs,
          timestampFromMicroseconds: asIs,
          timestampFromNanoseconds: asIs,
          dateFromDays: asIs,
        },
      });
      return new ParquetFile(access, metadata);
    });
  }

  /**
   * The pages of a leaf in one row group, by its path from a column on, or the first leaf of a column
   * without a struct where the path is that column's name alone: its bytes are read at once,
   * pages are decoded one by one. hyparquet's own lists would cost an array a row, an object an id.
   */
  async pages(leaf: readonly string[], group: number): Promise<Iterable<ColumnPage>> {
    return await refusing(async () => {
      const chunk = this.#metadata.row_groups[group]?.columns
        .map(({ meta_data }) => meta_data)
        .find((one) => leaf.every((name, i) => one?.path_in_schema[i] === name));
      if (chunk === undefined) throw new Error(`no data of column '${leaf.join('.')}'`);
      const start = Number(chunk.dictionary_page_offset ?? chunk.data_page_offset);
      const end = start + Number(chunk.total_compressed_size);
      const bytes = await sliced(this.#access).slice(start, end);
      const path = getTreePath(parquetSchema(this.#metadata), chunk.path_in_schema);
      return decodedPages(bytes, { ...chunk, path });
    });
  }
}

type Chunk = ColumnMetaData & { readonly path: SchemaTree[] };

function* decodedPages(bytes: ArrayBuffer, chunk: Chunk): Generator<ColumnPage> {
  const { path, type, codec } = chunk;
  const reader = { view: new DataView(bytes), offset: 0 };
  const { element } = defined(path.at(-1), 'the column itself');
  const decoder = {
    element,
    schemaPath: path,
    pathInSchema: chunk.path_in_schema,
    type,
    codec,
    compressors: boundedCompressors,
    parsers: DEFAULT_PARSERS,
  };
  let dictionary: ArrayLike<unknown> | undefined;
  while (reader.offset < bytes.byteLength - 1) {
    const header = parquetHeader(reader);
    const { compressed_page_size: size, uncompressed_page_size: unpacked } = header;
    const body = new Uint8Array(bytes, reader.offset, size);
    reader.offset += size;
    if (header.dictionary_page_header !== undefined) {
      const page = unpackedPage(body, unpacked, codec);
      const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
      const count = header.dictionary_page_header.num_values;
      if (count > page.length * 8) throw new Error(`a dictionary of ${count} values`);
      dictionary = readPlain({ view, offset: 0 }, type, count, element.type_length);
      continue;
    }
    const data = header.data_page_header ?? header.data_page_header_v2;
    if (data === undefined) continue;
    if (data.num_values > pageValuesMax || data.num_values < 0) {
      throw new Error(`a page of ${data.num_values} values`);
    }
    const isIndexed = data.encoding.endsWith('_DICTIONARY');
    const page = decodedPage(body, header, { decoder, isIndexed });
    yield {
      entries: data.num_values,
      repetition: page.repetitionLevels,
      definition: page.definitionLevels?.length ? page.definitionLevels : undefined,
      definitionMax: getMaxDefinitionLevel(path),
      values: page.dataPage,
      dictionary: isIndexed ? dictionary : undefined,
    };
  }
}

interface PageDecoding {
  readonly decoder: ColumnDecoder;
  readonly isIndexed: boolean;
}

/** Runs are counted before hyparquet decodes them: see level-runs.ts. */
function decodedPage(body: Uint8Array, header: PageHeader, { decoder, isIndexed }: PageDecoding) {
  const { schemaPath, codec } = decoder;
  const {
    uncompressed_page_size: unpacked,
    data_page_header: v1,
    data_page_header_v2: v2,
  } = header;
  const maxima = [getMaxRepetitionLevel(schemaPath), getMaxDefinitionLevel(schemaPath)];
  if (v1 !== undefined) {
    const page = unpackedPage(body, unpacked, codec);
    const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
    let at = 0;
    for (const max of maxima.filter((one) => one > 0)) {
      const start = at + 4;
      at = start + view.getUint32(at, true);
      checkRuns(page, { start, end: at }, { width: levelWidth(max), most: v1.num_values });
    }
    checkValues(page, at);
    return readDataPage(page, v1, decoder);
  }
  if (v2 === undefined) throw new Error('a page without its header');
  const [repetition = 0, definition = 0] = maxima;
  const first = v2.repetition_levels_byte_length;
  const levels = first + v2.definition_levels_byte_length;
  if (first < 0 || levels < first || levels > body.length) throw new Error('levels without bytes');
  const most = v2.num_values;
  const widths = [levelWidth(repetition), levelWidth(definition)] as const;
  if (repetition > 0) checkRuns(body, { start: 0, end: first }, { width: widths[0], most });
  if (definition > 0) checkRuns(body, { start: first, end: levels }, { width: widths[1], most });
  const isPacked = v2.is_compressed !== false && unpacked > levels;
  const packed = body.subarray(levels);
  const values = isPacked ? unpackedPage(packed, unpacked - levels, codec) : packed;
  checkValues(values, 0);
  const page = new Uint8Array(levels + values.length);
  page.set(body.subarray(0, levels));
  page.set(values, levels);
  const unpackedHeader = { ...v2, is_compressed: false };
  return readDataPageV2(page, { ...header, data_page_header_v2: unpackedHeader }, decoder);

  /** NULLs have none, so that there may be fewer than the page has entries. */
  function checkValues(bytes: Uint8Array, at: number): void {
    const { num_values: valuesMax = 0, encoding } = v1 ?? v2 ?? {};
    const end = bytes.length;
    if (encoding === 'RLE')
      checkRunLengths(bytes, { start: at + 4, end }, { width: 1, most: valuesMax });
    if (!isIndexed) return;
    const width = bytes[at] ?? 0;
    if (width > 32) throw new Error(`numbers of ${width} bits`);
    if (width > 0) checkRunLengths(bytes, { start: at + 1, end }, { width, most: valuesMax });
  }
}

function unpackedPage(body: Uint8Array, bytes: number, codec: CompressionCodec): Uint8Array {
  return decompressPage(body, bytes, codec, boundedCompressors);
}

function nodeOf({ element, children }: SchemaTree): ParquetNode {
  return {
    name: element.name,
    repetition: element.repetition_type ?? 'REQUIRED',
    physical: element.type,
    fixedBytes: element.type_length,
    converted: element.converted_type,
    logical: element.logical_type,
    scale: element.scale ?? 0,
    precision: element.precision ?? 0,
    children: children.map(nodeOf),
  };
}

function withoutMeaning(element: SchemaElement): SchemaElement {
  if (element.type === undefined) return element;
  const { converted_type: _converted, logical_type: _logical, ...bare } = element;
  return bare;
}

/**
 * DuckDB's deltas of UInt32 begin with a number of 33 bits, and hyparquet reads 32 of them. As INT64
 * it reads them right; of the values the low halves count.
 */
function withWideDeltas(group: RowGroup, metadata: FileMetaData): RowGroup {
  const leaves = metadata.schema.filter(({ type }) => type !== undefined);
  const columns = group.columns.map((column, i) => {
    const chunk = column.meta_data;
    const leaf = leaves[i];
    if (chunk?.type !== 'INT32' || leaf === undefined || !isUnsigned(leaf)) return column;
    if (!chunk.encodings.includes('DELTA_BINARY_PACKED')) return column;
    const others = chunk.encodings.filter((one) => /PLAIN|DICTIONARY|SPLIT/.test(one));
    if (others.length === 0) return { ...column, meta_data: { ...chunk, type: 'INT64' as const } };
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Column '${leaf.name}' of the Parquet file mixes DELTA_BINARY_PACKED with ${others.join(', ')}: that is not supported for UInt32`,
    );
  });
  return { ...group, columns };
}

function isUnsigned({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  if (converted === 'UINT_32') return true;
  return logical?.type === 'INTEGER' && logical.bitWidth === 32 && !logical.isSigned;
}

function rowGroupsOf(metadata: FileMetaData): ParquetRowGroup[] {
  let start = 0;
  return metadata.row_groups.map((group) => {
    const rows = Number(group.num_rows);
    if (!Number.isSafeInteger(rows) || rows < 0) throw new Error(`a row group of ${rows} rows`);
    const columnBytes = new Map<string, number>();
    for (const { meta_data: chunk } of group.columns) {
      const name = chunk?.path_in_schema[0];
      if (chunk === undefined || name === undefined) throw new Error('a column without its data');
      const bytes = Number(chunk.total_uncompressed_size);
      columnBytes.set(name, (columnBytes.get(name) ?? 0) + Math.max(0, bytes));
    }
    const placed = { start, rows, columnBytes };
    start += rows;
    return placed;
  });
}

async function checkEnds(access: RandomAccess): Promise<void> {
  if (access.bytes < 12) throw new Error(`${access.bytes} bytes are too few`);
  const tail = Buffer.from(await access.read({ start: access.bytes - 8, end: access.bytes }));
  const magic = tail.toString('latin1', 4);
  if (magic === 'PARE') throw new Error('its footer is encrypted');
  if (magic !== 'PAR1') throw new Error("it doesn't end in PAR1");
  const footer = tail.readUInt32LE(0);
  if (footer > footerBytesMax || footer > access.bytes - 12) {
    throw new Error(`a footer of ${footer} bytes`);
  }
}

/** hyparquet wants buffers that begin where the range does. */
function sliced(access: RandomAccess) {
  return {
    byteLength: access.bytes,
    slice: async (start: number, end = access.bytes): Promise<ArrayBuffer> => {
      if (start < 0 || end > access.bytes || start > end) {
        throw new Error(`bytes ${start} to ${end} of ${access.bytes}`);
      }
      if (start === end) return new ArrayBuffer(0);
      const bytes = await access.read({ start, end });
      const { buffer, byteOffset, byteLength } = bytes;
      const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
      if (isWhole && buffer instanceof ArrayBuffer) return buffer;
      const copy = new Uint8Array(byteLength);
      copy.set(bytes);
      return copy.buffer;
    },
  };
}

/** One whole frame of zstd. Who calls it has bounded what comes out. */
export function unpackZstdFrame(frame: Uint8Array): Uint8Array {
  return decompressZstd(frame);
}

type Decompress = (input: Uint8Array, outputLength: number) => Uint8Array;

const native: Readonly<Record<string, Decompress>> = {
  // hyparquet's own takes several members; what writers write has one, which zlib does faster.
  GZIP: (input, outputLength) => {
    const header = gzipHeader(input);
    if (header === undefined) return other('GZIP')(input, outputLength);
    return inflateRawSync(input.subarray(header), { maxOutputLength: outputLength });
  },
  BROTLI: (input, outputLength) => brotliDecompressSync(input, { maxOutputLength: outputLength }),
};

const boundedCompressors: Readonly<Record<string, Decompress>> = Object.fromEntries(
  ['SNAPPY', 'GZIP', 'BROTLI', 'ZSTD', 'LZ4', 'LZ4_RAW'].map((codec) => {
    const decompress = native[codec] ?? other(codec);
    const bounded: Decompress = (input, outputLength) => {
      if (outputLength > pageBytesMax) throw new Error(`a page of ${outputLength} bytes`);
      return outputLength === 0 ? new Uint8Array(0) : plain(decompress(input, outputLength));
    };
    return [codec, bounded];
  }),
);

function other(codec: string): Decompress {
  const found = (compressors as Readonly<Record<string, Decompress | undefined>>)[codec];
  if (found === undefined) throw new Error(`no decompressor of ${codec}`);
  return found;
}

/** Not a Buffer: hyparquet asks the values' own constructor for new ones. */
function plain(bytes: Uint8Array): Uint8Array {
  return Buffer.isBuffer(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : bytes;
}

/** Bytes before the deflated data, of a member without optional fields. */
function gzipHeader(input: Uint8Array): number | undefined {
  return input[0] === 0x1f && input[1] === 0x8b && input[2] === 8 && input[3] === 0
    ? 10
    : undefined;
}

/** Whatever fails inside is the file's fault, unless it was said to be otherwise. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MusterError('INCORRECT_DATA', `Cannot read Parquet: ${why}`, { cause });
  }
}
