// FORMAT Parquet, written: blocks of rows become row groups as they come, the footer says at the end
// where they are. Memory holds one row group. Our own writer, for three reasons: version 1 files and
// pages, which old readers insist on; unsigned integers to 2^64; and 64-bit ids at the speed of memory.

import { brotliCompressSync, constants as zlib, gzipSync } from 'node:zlib';
import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import { isUtf8Column } from '../../../storage-format/column-encoder.ts';
import { concatColumns } from '../../../storage-format/column-rows.ts';
import type { NamedType } from '../../../storage-format/data-type.ts';
import { encodeThrift, i32, i64, list, struct, text, type ThriftValue } from './compact-thrift.ts';
import { pageOf } from './written-pages.ts';
import {
  pathOf,
  physicalTypes,
  schemaElements,
  type WrittenColumn,
  writtenColumn,
} from './written-types.ts';

interface Block {
  readonly rows: number;
  readonly columns: readonly Column[];
}

interface Chunk {
  readonly codec: Codec;
  readonly offset: number;
  readonly entries: number;
  readonly bytes: number;
  readonly uncompressed: number;
}

interface RowGroup {
  readonly rows: number;
  readonly chunks: readonly Chunk[];
}

const groupRows = 1_048_576;
const groupBytes = 64 * 1024 * 1024;
const pageRows = 65_536;
const sampleBytes = 32 * 1024;
/** Packing takes longer than all else that is done for ids: what saves less than half is left. */
const worthwhile = 0.5;
const magic = Buffer.from('PAR1', 'latin1');

export class ParquetWriter {
  readonly #columns: readonly WrittenColumn[];
  readonly #codec: Codec;
  /** Per column: every value so far is UTF-8. */
  readonly #texts: boolean[];
  #pending: Block[] = [];
  #pendingRows = 0;
  #pendingBytes = 0;
  #offset = 0;
  readonly #groups: RowGroup[] = [];

  /** NOT_IMPLEMENTED for columns and compressions that are not written. */
  constructor(columns: readonly NamedType[], settings: ReadonlyMap<string, string>) {
    this.#columns = columns.map(writtenColumn);
    this.#codec = codecOf(settings);
    const asText = settings.get('output_format_parquet_string_as_string') ?? '1';
    this.#texts = columns.map(() => asText === '1' || asText === 'true');
  }

  /** Bytes that are ready, often none. */
  *add(block: Block): Generator<Uint8Array> {
    if (block.rows === 0) return;
    this.#pending.push(block);
    this.#pendingRows += block.rows;
    for (const column of block.columns) this.#pendingBytes += columnBytes(column);
    if (this.#pendingRows >= groupRows || this.#pendingBytes >= groupBytes) yield* this.#flush();
  }

  *finish(): Generator<Uint8Array> {
    yield* this.#flush();
    if (this.#offset === 0) yield this.#placed(magic);
    const footer = this.#footer();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    yield Buffer.concat([footer, length, magic]);
  }

  *#flush(): Generator<Uint8Array> {
    const blocks = this.#pending;
    const rows = this.#pendingRows;
    this.#pending = [];
    this.#pendingRows = 0;
    this.#pendingBytes = 0;
    if (rows === 0) return;
    if (this.#offset === 0) yield this.#placed(magic);
    const chunks: Chunk[] = [];
    for (const [i, written] of this.#columns.entries()) {
      const column = concatColumns(blocks.map((block) => block.columns[i] as Column));
      if (this.#texts[i] === true) this.#texts[i] = isText(column);
      const offset = this.#offset;
      let codec: Codec | undefined;
      let entries = 0;
      let uncompressed = 0;
      for (let start = 0; start < rows; start += pageRows) {
        const page = pageOf(column, { start, end: Math.min(start + pageRows, rows) }, written);
        codec ??= this.#codecFor(page.body);
        const body = codec.compress(page.body);
        const header = pageHeader(page.body.length, body.length, page.entries);
        entries += page.entries;
        uncompressed += header.length + page.body.length;
        yield this.#placed(header);
        yield this.#placed(body);
      }
      const bytes = this.#offset - offset;
      chunks.push({ codec: codec ?? codecs.none, offset, entries, uncompressed, bytes });
    }
    this.#groups.push({ rows, chunks });
  }

  /** Ids that look random are not worth the time of packing them. */
  #codecFor(body: Uint8Array): Codec {
    const sample = body.subarray(0, sampleBytes);
    const packed = this.#codec.compress(sample);
    return packed.length <= worthwhile * sample.length ? this.#codec : codecs.none;
  }

  #placed(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length;
    return bytes;
  }

  #footer(): Uint8Array {
    const rows = this.#groups.reduce((sum, group) => sum + group.rows, 0);
    return encodeThrift(
      [1, i32(1)],
      [2, schemaElements(this.#columns, this.#texts)],
      [3, i64(rows)],
      [
        4,
        list(
          'struct',
          this.#groups.map((group) => this.#rowGroup(group)),
        ),
      ],
      [6, text('Muster')],
    );
  }

  #rowGroup({ rows, chunks }: RowGroup): ThriftValue {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.uncompressed, 0);
    const columns = chunks.map((chunk, i) => this.#chunk(chunk, this.#columns[i] as WrittenColumn));
    return struct([1, list('struct', columns)], [2, i64(bytes)], [3, i64(rows)]);
  }

  #chunk(chunk: Chunk, column: WrittenColumn): ThriftValue {
    const { codec, offset, entries, uncompressed, bytes } = chunk;
    const path = pathOf(column).map(text);
    const data = struct(
      [1, i32(physicalTypes[column.physical])],
      [2, list('i32', [i32(encodings.plain), i32(encodings.rle)])],
      [3, list('text', path)],
      [4, i32(codec.number)],
      [5, i64(entries)],
      [6, i64(uncompressed)],
      [7, i64(bytes)],
      [9, i64(offset)],
    );
    return struct([2, i64(offset)], [3, data]);
  }
}

const encodings = { plain: 0, rle: 3 } as const;

function pageHeader(uncompressed: number, compressed: number, entries: number): Uint8Array {
  const data = struct(
    [1, i32(entries)],
    [2, i32(encodings.plain)],
    [3, i32(encodings.rle)],
    [4, i32(encodings.rle)],
  );
  return encodeThrift([1, i32(0)], [2, i32(uncompressed)], [3, i32(compressed)], [5, data]);
}

function isText(column: Column): boolean {
  return isUtf8Column(column.kind === 'array' ? column.items : column);
}

interface Codec {
  readonly number: number;
  readonly compress: (bytes: Uint8Array) => Uint8Array;
}

const brotli = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } };
const codecs = {
  none: { number: 0, compress: (bytes) => bytes },
  gzip: { number: 2, compress: (bytes) => gzipSync(bytes, { level: 1 }) },
  brotli: { number: 4, compress: (bytes) => brotliCompressSync(bytes, brotli) },
} as const satisfies Record<string, Codec>;

function codecOf(settings: ReadonlyMap<string, string>): Codec {
  const name = settings.get('output_format_parquet_compression_method') ?? 'gzip';
  if (name === 'none' || name === 'gzip' || name === 'brotli') return codecs[name];
  throw new MusterError(
    'NOT_IMPLEMENTED',
    `Setting output_format_parquet_compression_method = '${name}' is not supported: expected gzip, brotli or none`,
  );
}

function columnBytes(column: Column): number {
  switch (column.kind) {
    case 'string':
      return column.values.reduce((sum, value) => sum + value.length + 4, 0);
    case 'array':
      return column.offsets.byteLength + columnBytes(column.items);
    case 'tuple':
      return 0;
    default:
      return column.values.byteLength;
  }
}
