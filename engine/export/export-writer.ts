// Blocks of rows as a file, written as they come: lines of text with one header, Parquet by row
// groups, Arrow by batches. Memory holds a block, of Parquet a row group.

import { MusterError } from '../../base/errors.ts';
import {
  type ArrowBlock,
  arrowEndOfStream,
  arrowHead,
  arrowSchema,
  arrowStreamHead,
  arrowTail,
} from '../../storage-format/arrow-envelope.ts';
import { BatchBody } from '../../storage-format/batch-body.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { appendArrow, arrowField } from '../formats/arrow-columns.ts';
import { formatResult, outputFormat } from '../formats/output.ts';
import { type OutputSettings, readOutputSettings } from '../formats/output-settings.ts';
import { ParquetWriter } from '../formats/parquet/parquet-writer.ts';
import type { ResultBlock } from '../query.ts';
import { defaultColumn } from '../values/column-shape.ts';
import type { LineAffixes } from '../../kernels/integer-lines.ts';
import { affixesOf, idLines } from './id-lines.ts';

export interface ExportWriter {
  add(block: ResultBlock): Iterable<Uint8Array>;
  finish(): Iterable<Uint8Array>;
}

/** Formats that can be written without all rows at hand: no documents and no tables for the eye. */
const streamed =
  /^(CSV|TSV|TSVRaw|TabSeparated|TabSeparatedRaw|JSONEachRow|JSONLines|NDJSON|JSONCompactEachRow|RowBinary|TSKV)(WithNames|WithNamesAndTypes)?$/;

export function exportWriter(
  format: string,
  columns: readonly NamedType[],
  settings: ReadonlyMap<string, string>,
): ExportWriter {
  if (format === 'Parquet') return new ParquetWriter(columns.map(asBytes), settings);
  if (format === 'Arrow' || format === 'ArrowStream') {
    return new ArrowExport(columns, format === 'Arrow', readOutputSettings(settings));
  }
  const { name } = outputFormat(format);
  if (streamed.test(name)) return new LineExport(name, columns, settings);
  throw new MusterError(
    'NOT_IMPLEMENTED',
    `Sets are not exported as ${format}: expected CSV, TabSeparated, JSONEachRow, RowBinary, Parquet, Arrow or ArrowStream`,
  );
}

/** Parquet has no type for states: they are binary there. */
function asBytes({ name, type }: NamedType): NamedType {
  return type.kind === 'Bitmap' ? { name, type: { kind: 'String' } } : { name, type };
}

class LineExport implements ExportWriter {
  readonly #format: string;
  readonly #columns: readonly NamedType[];
  readonly #settings: ReadonlyMap<string, string>;
  #began = false;
  #affixes: LineAffixes | undefined;

  constructor(
    format: string,
    columns: readonly NamedType[],
    settings: ReadonlyMap<string, string>,
  ) {
    this.#format = format;
    this.#columns = columns;
    this.#settings = settings;
  }

  *add(block: ResultBlock): Generator<Uint8Array> {
    const bare = this.#format.replace(/WithNames(AndTypes)?$/, '');
    if (!this.#began && bare !== this.#format)
      yield* this.#formatted(this.#format, emptyLike(block));
    this.#began = true;
    const lines = bare === 'RowBinary' ? undefined : this.#idLines(bare, block);
    yield* lines ?? this.#formatted(bare, block);
  }

  /** Of a column of integers alone. */
  #idLines(format: string, { columns }: ResultBlock): Iterable<Uint8Array> | undefined {
    const [only] = columns;
    if (only === undefined || columns.length > 1) return undefined;
    if (only.kind !== 'number' && only.kind !== 'wide') return undefined;
    const zero = { rows: 1, columns: [defaultColumn(this.#columns[0]!.type, 1)] };
    this.#affixes ??= affixesOf(Buffer.concat([...this.#formatted(format, zero)]));
    return this.#affixes && idLines(only, this.#affixes);
  }

  *finish(): Generator<Uint8Array> {
    if (this.#began) return;
    yield* this.#formatted(this.#format, { rows: 0, columns: this.#columns.map(noRows) });
  }

  #formatted(format: string, block: ResultBlock): Iterable<Uint8Array> {
    return formatResult(format, { columns: this.#columns, block }, { settings: this.#settings });
  }
}

function noRows(): ResultBlock['columns'][number] {
  return { kind: 'string', values: [] };
}

function emptyLike({ columns }: ResultBlock): ResultBlock {
  return { rows: 0, columns: columns.map(noRows) };
}

/** Strings are text: a batch that is none fails, since the schema is said before the rows come. */
class ArrowExport implements ExportWriter {
  readonly #columns: readonly NamedType[];
  readonly #isFile: boolean;
  readonly #settings: OutputSettings;
  readonly #blocks: ArrowBlock[] = [];
  readonly #schema: ReturnType<typeof arrowSchema>;
  #offset = 0;

  constructor(columns: readonly NamedType[], isFile: boolean, settings: OutputSettings) {
    this.#columns = columns;
    this.#isFile = isFile;
    this.#settings = settings;
    const fields = columns.map((column) =>
      arrowField(column, defaultColumn(column.type, 0), settings),
    );
    this.#schema = arrowSchema(fields, new Map());
  }

  *add(block: ResultBlock): Generator<Uint8Array> {
    yield* this.#head();
    const rows = { start: 0, end: block.rows };
    const body = new BatchBody();
    this.#columns.forEach(({ name, type }, i) => {
      const column = block.columns[i]!;
      const own = arrowField({ name, type }, column, this.#settings);
      if (type.kind === 'String' && own.type.kind !== 'utf8') throw noText(name);
      appendArrow(body, column, { type, rows, settings: this.#settings });
    });
    const message = body.message(block.rows);
    yield message;
    yield* body.finish();
    this.#blocks.push({
      offset: this.#offset,
      metadataLength: message.length,
      bodyLength: body.length,
    });
    this.#offset += message.length + body.length;
  }

  *finish(): Generator<Uint8Array> {
    yield* this.#head();
    yield arrowEndOfStream();
    if (this.#isFile) yield arrowTail(this.#schema, this.#blocks);
  }

  *#head(): Generator<Uint8Array> {
    if (this.#offset > 0) return;
    const head = this.#isFile ? arrowHead(this.#schema) : arrowStreamHead(this.#schema);
    this.#offset = head.length;
    yield head;
  }
}

function noText(name: string): MusterError {
  return new MusterError(
    'NOT_IMPLEMENTED',
    `Column ${name} has strings that are no text: export them as Parquet, or encode them`,
  );
}
