// What a message of Arrow's IPC format says of itself, checked before a reader of Arrow sees it: it
// believes every count, and makes as many objects. Flatbuffers are walked by hand: each offset and each
// vector has to lie in the message, fields are few, and columns are as long as their batch.
//
//   Message: 1 header type, 2 header, 3 body length   Schema: 1 fields   DictionaryBatch: 1 data
//   Field: 0 name, 2 type's kind, 3 type, 4 dictionary, 5 children
//   RecordBatch: 0 length, 1 nodes (length, nulls), 2 buffers (offset, length), 3 compression

import { MusterError } from '../../base/errors.ts';

const fieldsMax = 10_000;
const depthMax = 64;
const rowsMax = 2 ** 31;
const bodyBytesMax = 2 ** 31;
const headerTypes = { schema: 1, dictionary: 2, batch: 3 } as const;
const unionType = 14;
const timestampType = 10;

/** Nodes of a batch that each column takes: one, and those of its children. */
export type ArrowShape = readonly number[];

export interface ArrowMessage {
  readonly bodyBytes: number;
  /** Of a schema. */
  readonly shape: ArrowShape | undefined;
  /** Where packed buffers begin in the body; empty where they are not packed. */
  readonly packedAt: readonly number[];
}

/** `shape`: of the schema before. INCORRECT_DATA. */
export function checkArrowMessage(bytes: Buffer, shape: ArrowShape | undefined): ArrowMessage {
  const message = Table.root(bytes);
  const type = message.byte(1);
  const bodyBytes = message.long(3);
  if (bodyBytes < 0 || bodyBytes > bodyBytesMax) throw notArrow(`a body of ${bodyBytes} bytes`);
  message.strings(4);
  const header = message.table(2);
  if (header === undefined) throw notArrow('a message without a header');
  if (type === headerTypes.schema) return { bodyBytes, shape: shapeOf(header), packedAt: [] };
  if (shape === undefined) throw notArrow('it does not begin with a schema');
  const batch = type === headerTypes.dictionary ? header.table(1) : header;
  if (batch === undefined || (type !== headerTypes.dictionary && type !== headerTypes.batch)) {
    throw notArrow(`a message of type ${type}`);
  }
  checkNodes(batch, type === headerTypes.batch ? shape : [1]);
  return { bodyBytes, shape: undefined, packedAt: packedAt(batch, bodyBytes) };
}

function shapeOf(schema: Table): ArrowShape {
  const budget = { fields: fieldsMax };
  schema.strings(2);
  schema.vector(3, 8);
  return schema.tables(1).map((field) => nodesOf(field, budget, 0));
}

function nodesOf(field: Table, budget: { fields: number }, depth: number): number {
  if (--budget.fields < 0 || depth > depthMax) throw notArrow('too many fields');
  field.vector(0, 1);
  field.strings(6);
  const kind = field.byte(2);
  const type = field.table(3);
  if (kind === timestampType) type?.vector(1, 1);
  if (kind === unionType) type?.vector(1, 4);
  field.table(4)?.table(1);
  const below = field.tables(5).map((child) => nodesOf(child, budget, depth + 1));
  return field.table(4) === undefined ? below.reduce((sum, nodes) => sum + nodes, 1) : 1;
}

function checkNodes(batch: Table, shape: ArrowShape): void {
  const rows = batch.long(0);
  const nodes = batch.vector(1, 16);
  batch.vector(4, 8);
  const lengths = Array.from({ length: nodes.count }, (_, i) => batch.longAt(nodes.at + 16 * i));
  for (const length of [rows, ...lengths]) {
    if (length < 0 || length > rowsMax) throw notArrow(`${length} rows`);
  }
  let at = 0;
  for (const [column, count] of shape.entries()) {
    const length = lengths[at];
    if (length !== rows) throw notArrow(`column ${column + 1} has ${length} of ${rows} rows`);
    at += count;
  }
}

function packedAt(batch: Table, bodyBytes: number): readonly number[] {
  const buffers = batch.vector(2, 16);
  const starts: number[] = [];
  for (let i = 0; i < buffers.count; i++) {
    const start = batch.longAt(buffers.at + 16 * i);
    const length = batch.longAt(buffers.at + 16 * i + 8);
    if (start < 0 || length < 0 || start + length > bodyBytes) {
      throw notArrow(`a buffer of ${length} bytes at ${start} of ${bodyBytes}`);
    }
    if (length > 0 && length < 8 && batch.table(3) !== undefined) throw notArrow('a short buffer');
    if (length > 0) starts.push(start);
  }
  return batch.table(3) === undefined ? [] : starts;
}

/** A table of a flatbuffer. Reading outside of the message is INCORRECT_DATA. */
class Table {
  readonly #bytes: Buffer;
  readonly #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  static root(bytes: Buffer): Table {
    return new Table(bytes, 0).#tableAt(0);
  }

  byte(field: number): number {
    const at = this.#place(field);
    return at === undefined ? 0 : this.#bytes.readUInt8(this.#within(at, 1));
  }

  long(field: number): number {
    const at = this.#place(field);
    return at === undefined ? 0 : this.longAt(at);
  }

  longAt(at: number): number {
    return Number(this.#bytes.readBigInt64LE(this.#within(at, 8)));
  }

  table(field: number): Table | undefined {
    const at = this.#place(field);
    return at === undefined ? undefined : this.#tableAt(at);
  }

  vector(field: number, itemBytes: number): { readonly at: number; readonly count: number } {
    const place = this.#place(field);
    if (place === undefined) return { at: 0, count: 0 };
    const start = this.#follow(place);
    const count = this.#u32(start);
    return { at: this.#within(start + 4, count * itemBytes), count };
  }

  tables(field: number): Table[] {
    const { at, count } = this.vector(field, 4);
    if (count > fieldsMax) throw notArrow(`${count} fields`);
    return Array.from({ length: count }, (_, i) => this.#tableAt(at + 4 * i));
  }

  /** Pairs of a key and a value. */
  strings(field: number): void {
    for (const pair of this.tables(field)) {
      pair.vector(0, 1);
      pair.vector(1, 1);
    }
  }

  #tableAt(at: number): Table {
    return new Table(this.#bytes, this.#within(this.#follow(at), 4));
  }

  #follow(at: number): number {
    return at + this.#u32(at);
  }

  /** Undefined where the field is not there. */
  #place(field: number): number | undefined {
    const vtable = this.#at - this.#bytes.readInt32LE(this.#within(this.#at, 4));
    const size = this.#bytes.readUInt16LE(this.#within(vtable, 4));
    const slot = 4 + 2 * field;
    if (slot + 2 > size) return undefined;
    const offset = this.#bytes.readUInt16LE(this.#within(vtable + slot, 2));
    return offset === 0 ? undefined : this.#at + offset;
  }

  #u32(at: number): number {
    return this.#bytes.readUInt32LE(this.#within(at, 4));
  }

  #within(at: number, length: number): number {
    if (at >= 0 && at + length <= this.#bytes.length) return at;
    throw notArrow('an offset that leads out of its message');
  }
}

export function notArrow(why: string, cause?: unknown): MusterError {
  return new MusterError('INCORRECT_DATA', `Cannot read Arrow: ${why}`, { cause });
}
