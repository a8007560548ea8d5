// Input formats: the body of an INSERT becomes blocks of columns, streaming. A block has at most
// 65,536 rows and comes from at most 32 MiB of input (or from one row). One bad row fails the whole
// input, with the row's number and the line and column of the text that is wrong, unless somebody
// wants to be told of bad rows: then those of text are left out.
//
// Bitmap columns become lists of ids: from JSON arrays, from ClickHouse's states, or from what the
// setting aggregate_function_input_format says.

import { MusterError } from '../../base/errors.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts';
import { formatType, type NamedType } from '../../storage-format/data-type.ts';
import type { InsertBlock } from '../ingest/insert-block.ts';
import { builderOfType } from './builder-of-type.ts';
import { InputCursor, needMore } from './input-cursor.ts';
import { rowReader } from './input-formats.ts';
import { readInputSettings } from './input-settings.ts';
import { InputWindow } from './input-window.ts';
import type { RowReader, Target } from './row-reader.ts';

export const blockRowsMax = 65_536;
const blockBytesMax = 32 * 1024 * 1024;

interface InputOptions {
  /** ClickHouse's name of the format. UNKNOWN_FORMAT (73). */
  readonly format: string;
  readonly columns: readonly NamedType[];
  readonly body: AsyncIterable<Uint8Array>;
  /** As the client sent them. */
  readonly settings: ReadonlyMap<string, string>;
  /** The zone of DateTime columns that name none; without it UTC. */
  readonly context?: { readonly timeZone: string };
  /** Aborting fails the reading with the signal's reason. */
  readonly signal?: AbortSignal;
  /** What it throws ends the input. */
  readonly onBadRow?: (bad: BadInputRow) => void;
}

/** A row that was left out. */
export interface BadInputRow {
  /** Of the input, from 1, those that were left out counted too. */
  readonly row: number;
  readonly column?: string;
  readonly reason: string;
}

/** Columns of the blocks are in the order of `columns`. Nothing is read before the first `next`. */
export async function* readInput(options: InputOptions): AsyncGenerator<InsertBlock> {
  const run = new InputRun(options);
  try {
    for (;;) {
      options.signal?.throwIfAborted();
      const outcome = run.advance();
      if (outcome === 'more') {
        await run.fill();
      } else {
        if (run.rows > 0) yield run.takeBlock();
        if (outcome === 'end') return;
      }
    }
  } finally {
    await run.close();
  }
}

class InputRun {
  readonly #targets: readonly Target[];
  readonly #reader: RowReader;
  readonly #cursor = new InputCursor();
  readonly #window: InputWindow;
  #stage: 'mark' | 'header' | 'rows' = 'mark';
  #rowsBefore = 0;
  #blockAt = 0;
  /** Where to go on after `needMore`: the row's first byte. */
  #start = 0;
  readonly #onBadRow: InputOptions['onBadRow'];
  /** What is wrong with the row that is being stepped over. */
  #bad: MusterError | undefined;
  #skipped = 0;
  rows = 0;

  constructor(options: InputOptions) {
    this.#onBadRow = options.onBadRow;
    const settings = readInputSettings(options.settings, options.context?.timeZone ?? 'UTC');
    this.#targets = options.columns.map(({ name, type }, position) => ({
      name: encodeUtf8(name),
      type,
      builder: builderOfType(type, settings),
      position,
    }));
    this.#reader = rowReader(options.format, this.#targets, settings);
    this.#window = new InputWindow(this.#cursor, options.body);
  }

  /** Reads rows until the block is full, the window is exhausted or the input ends. */
  advance(): 'more' | 'block' | 'end' {
    const cursor = this.#cursor;
    this.#start = cursor.pos;
    try {
      if (this.#stage !== 'rows') this.#begin();
      for (;;) {
        if (this.#bad === undefined) {
          this.rows += this.#reader.plainRows?.(cursor, blockRowsMax - this.rows) ?? 0;
          if (this.#isFull()) return 'block';
        }
        this.#start = cursor.pos;
        if (this.#bad === undefined && !this.#row()) return 'end';
        if (this.#bad !== undefined) this.#skip(this.#bad);
        if (this.#isFull()) return 'block';
      }
    } catch (error) {
      if (error !== needMore) throw this.#located(error);
      this.#takeBack();
      return 'more';
    }
  }

  /** False at the end. A bad row is only noted, where they are left out. */
  #row(): boolean {
    try {
      if (!this.#reader.row(this.#cursor)) return false;
      this.rows++;
    } catch (error) {
      if (this.#onBadRow === undefined || !(error instanceof MusterError)) throw error;
      this.#bad = this.#located(error);
      this.#takeBack();
    }
    return true;
  }

  #skip(bad: MusterError): void {
    if (this.#reader.skipRow?.(this.#cursor) !== true) throw bad;
    this.#bad = undefined;
    this.#skipped++;
    const { place, message } = bad;
    this.#onBadRow?.({ row: 0, ...place, reason: message });
  }

  #takeBack(): void {
    this.#cursor.pos = this.#start;
    for (const { builder } of this.#targets) builder.truncate(this.rows);
  }

  /** Doubles what is unread, so that a long row is not read again for every chunk. */
  fill(): Promise<void> {
    return this.#window.fill(2 * (this.#cursor.end - this.#cursor.pos) + 1);
  }

  takeBlock(): InsertBlock {
    const rows = this.rows;
    this.#rowsBefore += rows;
    this.rows = 0;
    this.#blockAt = this.#window.offset(this.#cursor.pos);
    return { rows, columns: this.#targets.map(({ builder }) => builder.finish()) };
  }

  close(): Promise<void> {
    return this.#window.close();
  }

  #begin(): void {
    const cursor = this.#cursor;
    if (this.#stage === 'mark') {
      // A byte order mark, as spreadsheets write it.
      const marked =
        this.#reader.isText &&
        cursor.peek() === 0xef &&
        cursor.peekAt(1) === 0xbb &&
        cursor.peekAt(2) === 0xbf;
      if (marked) cursor.pos += 3;
      this.#stage = 'header';
    }
    this.#start = cursor.pos;
    this.#reader.begin(cursor);
    this.#stage = 'rows';
  }

  #isFull(): boolean {
    const bytes = this.#window.offset(this.#cursor.pos) - this.#blockAt;
    return this.rows === blockRowsMax || bytes > blockBytesMax;
  }

  #located<T>(error: T): T | MusterError {
    if (!(error instanceof MusterError) || error.place !== undefined) return error;
    const rowStart = this.#start;
    const cursor = this.#cursor;
    const at = cursor.fieldAt >= rowStart ? cursor.fieldAt : cursor.pos;
    const target = this.#targets[cursor.column];
    const isInField = target !== undefined && cursor.fieldAt >= rowStart;
    const field = !isInField
      ? ''
      : `; column '${decodeUtf8(target.name)}' ${formatType(target.type)}`;
    const place = this.#reader.isText
      ? `line ${this.#window.place(at).line}, column ${this.#window.place(at).column}`
      : `byte ${this.#window.offset(at)}`;
    const number = this.#rowsBefore + this.rows + this.#skipped + 1;
    const row = this.#stage === 'rows' ? `row ${number}` : 'the header';
    const column = isInField ? { column: decodeUtf8(target.name) } : {};
    const rowPlace = this.#stage === 'rows' ? { place: { row: number, ...column } } : {};
    const message = `${error.message}: (at ${row}; ${place}${field})`;
    return new MusterError(error.errorName, message, { cause: error, ...rowPlace });
  }
}
