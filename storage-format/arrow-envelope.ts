// What makes a part an Arrow IPC file: magic, schema message, record batch messages, end of stream,
// footer. Only metadata is made here; bodies are column-buffers.ts and the part writer. Written
// directly and not through an Arrow library, because a small stripe must cost far less than a
// millisecond and every buffer must lie where the index says. Arrow's Columnar Format, "IPC File
// Format", metadata version V5.
//
//   "ARROW1" 00 00 | schema message | batches x (message, body) | ffffffff 00000000 | ... index ...
//   | footer | u32 footer length | "ARROW1"
//   message: ffffffff | u32 length | flatbuffer padded to 8

import { type FlatField, type FlatValue, flatTable, writeFlatBuffer } from './flat-buffer.ts';

/** An Arrow field, in Arrow's own terms. */
export interface ArrowField {
  readonly name: string;
  readonly nullable: boolean;
  readonly type: ArrowType;
  readonly children: readonly ArrowField[];
  readonly metadata: ReadonlyMap<string, string>;
}

export type ArrowType =
  | { readonly kind: 'int'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | {
      readonly kind: 'timestamp';
      readonly unit: number;
      readonly timeZone: string | undefined;
    }
  | { readonly kind: 'fixedBinary'; readonly bytes: number }
  /** Dates are days. */
  | { readonly kind: 'null' | 'binary' | 'utf8' | 'bool' | 'date' | 'list' | 'struct' };

/** Length and nulls of one field of a batch, in Arrow's pre-order. */
export interface ArrowNode {
  readonly length: number;
  readonly nulls: number;
}

/** A buffer of a batch: its place within the body; length 0 for an absent one. */
export interface ArrowBuffer {
  readonly offset: number;
  readonly length: number;
}

/** Where a batch's message starts, the length of its metadata, and of its body. */
export interface ArrowBlock {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

const magic = Buffer.from('ARROW1', 'latin1');
const metadataV5 = 4;
const schemaHeader = 1;
const recordBatchHeader = 3;

const typeNumbers = {
  null: 1,
  int: 2,
  float: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  date: 8,
  timestamp: 10,
  list: 12,
  struct: 13,
  fixedBinary: 15,
} as const;

/** The start of a file: magic and schema message. */
export function arrowHead(schema: FlatValue): Uint8Array {
  return Buffer.concat([magic, Buffer.alloc(2), arrowStreamHead(schema)]);
}

/** The start of a stream: the schema message. */
export function arrowStreamHead(schema: FlatValue): Uint8Array {
  return message(schemaHeader, schema, 0);
}

export function arrowSchema(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
): FlatValue {
  return flatTable(
    { slot: 0, size: 2, value: 0 },
    { slot: 1, ref: { kind: 'tables', items: fields.map(fieldTable) } },
    { slot: 2, ref: keyValues(metadata) },
  );
}

interface ArrowBatch {
  readonly rows: number;
  readonly nodes: readonly ArrowNode[];
  readonly buffers: readonly ArrowBuffer[];
  readonly bodyLength: number;
}

/** The message before a batch's body. */
export function arrowBatchMessage(batch: ArrowBatch): Uint8Array {
  const header = flatTable(
    { slot: 0, size: 8, value: batch.rows },
    { slot: 1, ref: structs(batch.nodes.flatMap((node) => [node.length, node.nulls])) },
    { slot: 2, ref: structs(batch.buffers.flatMap((buffer) => [buffer.offset, buffer.length])) },
  );
  return message(recordBatchHeader, header, batch.bodyLength);
}

/** Ends the stream of messages; the index follows it. */
export function arrowEndOfStream(): Uint8Array {
  return Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);
}

/** The end of a file: footer, its length, magic. */
export function arrowTail(schema: FlatValue, blocks: readonly ArrowBlock[]): Uint8Array {
  // Block is { i64 offset, i32 metadataLength, 4 bytes of padding, i64 bodyLength }.
  const members = blocks.flatMap((b) => [b.offset, b.metadataLength, b.bodyLength]);
  const footer = writeFlatBuffer(
    flatTable(
      { slot: 0, size: 2, value: metadataV5 },
      { slot: 1, ref: schema },
      { slot: 2, ref: { kind: 'structs', width: 3, members: [] } },
      { slot: 3, ref: { kind: 'structs', width: 3, members } },
    ),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([footer, length, magic]);
}

function message(headerType: number, header: FlatValue, bodyLength: number): Uint8Array {
  const bytes = writeFlatBuffer(
    flatTable(
      { slot: 0, size: 2, value: metadataV5 },
      { slot: 1, size: 1, value: headerType },
      { slot: 2, ref: header },
      { slot: 3, size: 8, value: bodyLength },
    ),
  );
  const prefix = Buffer.alloc(8, 0xff);
  prefix.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([prefix, bytes]);
}

function fieldTable(field: ArrowField): FlatValue {
  return flatTable(
    { slot: 0, ref: { kind: 'text', text: field.name } },
    { slot: 1, size: 1, value: field.nullable ? 1 : 0 },
    { slot: 2, size: 1, value: typeNumbers[field.type.kind] },
    { slot: 3, ref: typeTable(field.type) },
    { slot: 5, ref: { kind: 'tables', items: field.children.map(fieldTable) } },
    { slot: 6, ref: keyValues(field.metadata) },
  );
}

function typeTable(type: ArrowType): FlatValue {
  switch (type.kind) {
    case 'int':
      return flatTable(
        { slot: 0, size: 4, value: type.bits },
        { slot: 1, size: 1, value: type.signed ? 1 : 0 },
      );
    case 'float':
      return flatTable({ slot: 0, size: 2, value: type.bits === 32 ? 1 : 2 });
    case 'timestamp': {
      const unit: FlatField = { slot: 0, size: 2, value: type.unit };
      if (type.timeZone === undefined) return flatTable(unit);
      return flatTable(unit, { slot: 1, ref: { kind: 'text', text: type.timeZone } });
    }
    case 'date':
      return flatTable({ slot: 0, size: 2, value: 0 });
    case 'fixedBinary':
      return flatTable({ slot: 0, size: 4, value: type.bytes });
    default:
      return flatTable();
  }
}

function keyValues(metadata: ReadonlyMap<string, string>): FlatValue {
  const items = Array.from(metadata, ([key, value]) =>
    flatTable(
      { slot: 0, ref: { kind: 'text', text: key } },
      { slot: 1, ref: { kind: 'text', text: value } },
    ),
  );
  return { kind: 'tables', items };
}

function structs(members: readonly number[]): FlatValue {
  return { kind: 'structs', width: 2, members };
}
