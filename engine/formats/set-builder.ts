// The builder of bitmap columns: ids from lists, single values or ClickHouse's state bytes, row after
// row as they come. NULL ids are ignored, as aggregation does.

import { MusterError } from '../../base/errors.ts';
import { grownArray } from '../../base/grown-array.ts';
import { decodeStringState, decodeUuidState } from '../../storage-format/byte-set-state.ts';
import {
  copySmallState,
  decodeState,
  smallCountMax,
  stateEnd,
} from '../../storage-format/clickhouse-state.ts';
import type { DataType, IntegerName } from '../../storage-format/data-type.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { parseUuid, uuidBytes } from '../../storage-format/uuid.ts';
import type { GivenLists } from '../batch/sorted-lists.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';
import type { ScalarBuilder, SetBuilder } from './input-builder.ts';
import { integerRanges } from './integer-ranges.ts';
import { type IntegerRange, parseSmallInteger, parseWideInteger } from './integer-text.ts';
import { readListText } from './quoted-text.ts';
import { readVaruint } from './varuint.ts';

/** What a bitmap column's text is: the setting aggregate_function_input_format. */
export type SetInput = 'state' | 'array' | 'value';

/** Ids of one block, with those of the row being read. */
interface IdItems extends ScalarBuilder {
  state(bytes: Buffer, at: number, end: number): number;
}

const notAState =
  "The text of a bitmap is not a whole state; for lists such as [1,2,3] set aggregate_function_input_format = 'array', for ids in rows use INSERT ... SELECT groupBitmapState(id) FROM input(...)";

export class IdSetBuilder implements SetBuilder {
  readonly kind = 'set';
  readonly items: ScalarBuilder;
  readonly #ids: IntegerItems | StringItems | UuidItems;
  readonly #input: SetInput;

  constructor(id: DataType, input: SetInput) {
    this.#ids = itemsOf(id);
    this.items = this.#ids;
    this.#input = input;
  }

  get length(): number {
    return this.#ids.rows;
  }

  text(bytes: Buffer, start: number, end: number): void {
    if (this.#input === 'array') {
      readListText(this, bytes, [start, end]);
      return;
    }
    if (this.#input === 'value') {
      this.#ids.text(bytes, start, end);
    } else if (start < end) {
      const stop = this.#ids.state(bytes, start, end);
      if (stop !== end) {
        throw new MusterError('INCORRECT_DATA', notAState);
      }
    }
    this.close();
  }

  state(bytes: Buffer, at: number, end: number): number {
    const stop = this.#ids.state(bytes, at, end);
    if (stop !== -1) this.close();
    return stop;
  }

  null(): void {
    this.close();
  }

  default(): void {
    this.close();
  }

  close(): void {
    this.#ids.closeRow();
  }

  truncate(length: number): void {
    this.#ids.truncateRows(length);
  }

  finish(): InsertColumn {
    return { kind: 'lists', lists: this.finishLists() };
  }

  finishLists(): GivenLists {
    return this.#ids.finishLists();
  }
}

function itemsOf(id: DataType): IntegerItems | StringItems | UuidItems {
  if (id.kind === 'String') return new StringItems();
  return id.kind === 'UUID' ? new UuidItems() : new IntegerItems(id.kind as IntegerName);
}

abstract class Items implements IdItems {
  readonly kind = 'scalar';
  abstract readonly json: 'number' | 'string';
  #offsets = new Uint32Array(1025);
  /** Whole rows; ids behind them belong to the row that is being read. */
  rows = 0;

  /** Ids so far. */
  abstract readonly length: number;
  abstract text(bytes: Buffer, start: number, end: number): void;
  abstract state(bytes: Buffer, at: number, end: number): number;
  /** Takes ids back. */
  abstract truncate(length: number): void;
  protected abstract takeIds(): KeyList;

  null(): void {}

  default(): void {}

  closeRow(): void {
    if (this.rows + 2 > this.#offsets.length) {
      this.#offsets = grownArray(this.#offsets, this.rows + 2);
    }
    this.#offsets[++this.rows] = this.length;
  }

  truncateRows(rows: number): void {
    this.rows = rows;
    this.truncate(this.#offsets[rows]!);
  }

  binary(): number {
    throw new MusterError('NOT_IMPLEMENTED', 'Bitmaps in RowBinary are states');
  }

  finish(): InsertColumn {
    throw new MusterError('LOGICAL_ERROR', 'ids are finished with their rows');
  }

  finishLists(): GivenLists {
    const offsets = this.#offsets.slice(0, this.rows + 1);
    this.rows = 0;
    return { offsets, ids: this.takeIds() };
  }
}

class IntegerItems extends Items {
  readonly json = 'number';
  readonly #type: IntegerName;
  readonly #range: IntegerRange | undefined;
  #halves = new Uint32Array(2048);
  length = 0;

  constructor(type: IntegerName) {
    super();
    this.#type = type;
    this.#range = integerRanges.get(type);
  }

  text(bytes: Buffer, start: number, end: number): void {
    const range = this.#range;
    this.#reserve(1);
    const at = 2 * this.length;
    if (range === undefined) {
      const signed = this.#type === 'Int64';
      parseWideInteger(bytes, start, { end, signed, out: this.#halves, at });
    } else {
      const value = parseSmallInteger(bytes, start, { end, range });
      this.#halves[at] = value;
      this.#halves[at + 1] = value < 0 ? 0xffffffff : 0;
    }
    this.length++;
  }

  state(bytes: Buffer, at: number, end: number): number {
    this.#reserve(smallCountMax);
    const to = { halves: this.#halves, at: this.length };
    const small = copySmallState(bytes, { at, end, idType: this.#type }, to);
    if (small !== undefined) {
      this.length += small.count;
      return small.end;
    }
    const stop = stateEnd(bytes.subarray(0, end), at, this.#type);
    if (stop === undefined) return -1;
    const { ids } = decodeState(bytes.subarray(0, stop), at, this.#type);
    this.#reserve(ids.length);
    const from = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
    this.#halves.set(from, 2 * this.length);
    this.length += ids.length;
    return stop;
  }

  truncate(length: number): void {
    this.length = length;
  }

  protected takeIds(): KeyList {
    const copy = this.#halves.slice(0, 2 * this.length);
    this.length = 0;
    return { domain: 'integer', values: new BigUint64Array(copy.buffer) };
  }

  #reserve(more: number): void {
    const needed = 2 * (this.length + more);
    if (needed > this.#halves.length) this.#halves = grownArray(this.#halves, needed);
  }
}

abstract class TextItems extends Items {
  readonly json = 'string';
  protected ids: string[] = [];

  get length(): number {
    return this.ids.length;
  }

  truncate(length: number): void {
    this.ids.length = length;
  }

  protected takeTexts(): readonly string[] {
    const values = this.ids;
    this.ids = [];
    return values;
  }
}

class StringItems extends TextItems {
  text(bytes: Buffer, start: number, end: number): void {
    this.ids.push(bytes.toString('latin1', start, end));
  }

  state(bytes: Buffer, at: number, end: number): number {
    const stop = stringStateEnd(bytes, at, end);
    if (stop === -1) return -1;
    for (const id of decodeStringState(bytes.subarray(0, stop), at).values) this.ids.push(id);
    return stop;
  }

  protected takeIds(): KeyList {
    return { domain: 'string', values: this.takeTexts() };
  }
}

class UuidItems extends TextItems {
  text(bytes: Buffer, start: number, end: number): void {
    this.ids.push(parseUuid(bytes.toString('latin1', start, end)));
  }

  state(bytes: Buffer, at: number, end: number): number {
    const count = readVaruint(bytes, at + 1, end);
    if (count === undefined || count.end + uuidBytes * count.value > end) return -1;
    const stop = count.end + uuidBytes * count.value;
    for (const id of decodeUuidState(bytes.subarray(0, stop), at).values) this.ids.push(id);
    return stop;
  }

  protected takeIds(): KeyList {
    return { domain: 'uuid', values: this.takeTexts() };
  }
}

/** Where a state of strings ends: kind, count, then each string behind its length; -1: not yet. */
function stringStateEnd(bytes: Buffer, at: number, end: number): number {
  const count = readVaruint(bytes, at + 1, end);
  if (count === undefined) return -1;
  let stop = count.end;
  for (let i = 0; i < count.value; i++) {
    const length = readVaruint(bytes, stop, end);
    if (length === undefined || length.end + length.value > end) return -1;
    stop = length.end + length.value;
  }
  return stop;
}
