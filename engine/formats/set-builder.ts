// The builder of bitmap columns: ids from lists, single values or ClickHouse's state bytes,
// interned so that each distinct id of a block is stored once. NULL ids are ignored, as
// aggregation does.

import { MusterError } from '../../base/errors.ts';
import { decodeStringState, decodeUuidState } from '../../storage-format/byte-set-state.ts';
import { decodeState, stateEnd } from '../../storage-format/clickhouse-state.ts';
import type { DataType, IntegerName } from '../../storage-format/data-type.ts';
import { parseUuid, uuidBytes } from '../../storage-format/uuid.ts';
import { IdListBuilder } from '../batch/id-list-builder.ts';
import { IntegerInternTable, StringInternTable } from '../dictionary/intern-table.ts';
import type { InsertColumn } from '../ingest/insert-block.ts';
import type { ScalarBuilder, SetBuilder } from './input-builder.ts';
import { integerRanges } from './integer-ranges.ts';
import { type IntegerRange, parseSmallInteger, parseWideInteger } from './integer-text.ts';
import { readListText } from './quoted-text.ts';
import { readVaruint } from './varuint.ts';

/** What a bitmap column's text is: the setting aggregate_function_input_format. */
export type SetInput = 'state' | 'array' | 'value';

/** Ids of one block, with the row being read. */
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
    this.#ids.rows++;
  }

  /** Members of a row taken back stay: the same bytes are read again and add the same ones. */
  truncate(length: number): void {
    this.#ids.rows = length;
  }

  finish(): InsertColumn {
    return { kind: 'ids', ids: this.#ids.finishLists() };
  }
}

function itemsOf(id: DataType): IntegerItems | StringItems | UuidItems {
  if (id.kind === 'String') return new StringItems();
  return id.kind === 'UUID' ? new UuidItems() : new IntegerItems(id.kind as IntegerName);
}

abstract class Items implements IdItems {
  readonly kind = 'scalar';
  abstract readonly json: 'number' | 'string';
  protected lists = new IdListBuilder();
  /** Whole rows; what is pushed belongs to the row after them. */
  rows = 0;

  get length(): number {
    return 0;
  }

  abstract text(bytes: Buffer, start: number, end: number): void;
  abstract state(bytes: Buffer, at: number, end: number): number;

  null(): void {}

  default(): void {}

  truncate(): void {}

  binary(): number {
    throw new MusterError('NOT_IMPLEMENTED', 'Bitmaps in RowBinary are states');
  }

  finish(): InsertColumn {
    throw new MusterError('LOGICAL_ERROR', 'ids are finished with their rows');
  }
}

class IntegerItems extends Items {
  readonly json = 'number';
  readonly #type: IntegerName;
  readonly #range: IntegerRange | undefined;
  readonly #halves = new Uint32Array(2);
  #table = new IntegerInternTable();

  constructor(type: IntegerName) {
    super();
    this.#type = type;
    this.#range = integerRanges.get(type);
  }

  text(bytes: Buffer, start: number, end: number): void {
    const range = this.#range;
    if (range === undefined) {
      const signed = this.#type === 'Int64';
      parseWideInteger(bytes, start, { end, signed, out: this.#halves, at: 0 });
      this.#push(this.#halves[0] as number, this.#halves[1] as number);
    } else {
      const value = parseSmallInteger(bytes, start, { end, range });
      this.#push(value >>> 0, value < 0 ? 0xffffffff : 0);
    }
  }

  state(bytes: Buffer, at: number, end: number): number {
    const stop = stateEnd(bytes.subarray(0, end), at, this.#type);
    if (stop === undefined) return -1;
    const { ids } = decodeState(bytes.subarray(0, stop), at, this.#type);
    const ordinals = new Uint32Array(ids.length);
    this.#table.internIntegers(ids, ordinals);
    this.lists.add(new Uint32Array(ids.length).fill(this.rows), ordinals);
    return stop;
  }

  finishLists() {
    const lists = this.lists.finish(this.rows, this.#table.keys());
    this.#table = new IntegerInternTable();
    this.lists = new IdListBuilder();
    this.rows = 0;
    return lists;
  }

  #push(low: number, high: number): void {
    this.lists.push(this.rows, this.#table.internHalves(low, high));
  }
}

class StringItems extends Items {
  readonly json = 'string';
  #table = new StringInternTable();

  text(bytes: Buffer, start: number, end: number): void {
    this.lists.push(this.rows, this.#table.internString(bytes.toString('latin1', start, end)));
  }

  state(bytes: Buffer, at: number, end: number): number {
    const stop = stringStateEnd(bytes, at, end);
    if (stop === -1) return -1;
    for (const id of decodeStringState(bytes.subarray(0, stop), at).values) {
      this.lists.push(this.rows, this.#table.internString(id));
    }
    return stop;
  }

  finishLists() {
    const lists = this.lists.finish(this.rows, this.#table.keys());
    this.#table = new StringInternTable();
    this.lists = new IdListBuilder();
    this.rows = 0;
    return lists;
  }
}

class UuidItems extends Items {
  readonly json = 'string';
  #table = new StringInternTable('uuid');

  text(bytes: Buffer, start: number, end: number): void {
    const id = parseUuid(bytes.toString('latin1', start, end));
    this.lists.push(this.rows, this.#table.internString(id));
  }

  state(bytes: Buffer, at: number, end: number): number {
    const count = readVaruint(bytes, at + 1, end);
    if (count === undefined || count.end + uuidBytes * count.value > end) return -1;
    const stop = count.end + uuidBytes * count.value;
    for (const id of decodeUuidState(bytes.subarray(0, stop), at).values) {
      this.lists.push(this.rows, this.#table.internString(id));
    }
    return stop;
  }

  finishLists() {
    const lists = this.lists.finish(this.rows, this.#table.keys());
    this.#table = new StringInternTable('uuid');
    this.lists = new IdListBuilder();
    this.rows = 0;
    return lists;
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
