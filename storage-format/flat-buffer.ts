// A writer of FlatBuffers, as much as Arrow's metadata needs: tables, strings, vectors of tables and
// of structs. Values go front to back: a table, then what it refers to, offsets filled in later (so
// every offset points forward, as the format wants). Nothing is read here: our index says where
// everything lies.

import { assertNever } from '../base/assert.ts';
import { ByteWriter } from '../base/byte-writer.ts';

/** One field of a table: its slot in the schema file's order, and its value. */
export type FlatField =
  | { readonly slot: number; readonly size: 1 | 2 | 4; readonly value: number }
  | { readonly slot: number; readonly size: 8; readonly value: number }
  | { readonly slot: number; readonly ref: FlatValue };

export type FlatValue =
  | { readonly kind: 'table'; readonly fields: readonly FlatField[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tables'; readonly items: readonly FlatValue[] }
  /** Structs of 64-bit members only, `width` members each, one after the other. */
  | { readonly kind: 'structs'; readonly width: number; readonly members: readonly number[] };

export function flatTable(...fields: FlatField[]): FlatValue {
  return { kind: 'table', fields };
}

/** The bytes of a buffer whose root is this table, a multiple of 8 long. */
export function writeFlatBuffer(root: FlatValue): Uint8Array {
  const writer = new ByteWriter(1024);
  writer.u32(0);
  writer.setU32(0, writeValue(writer, root));
  writer.align(8);
  return writer.finish();
}

function writeValue(writer: ByteWriter, value: FlatValue): number {
  switch (value.kind) {
    case 'table':
      return writeTable(writer, value.fields);
    case 'text':
      return writeText(writer, value.text);
    case 'tables':
      return writeTables(writer, value.items);
    case 'structs':
      return writeStructs(writer, value.width, value.members);
    default:
      return assertNever(value);
  }
}

// vtable: u16 its size, u16 the table's size, u16 per slot (0 = absent); the table begins with the
// distance back to its vtable. Wide fields first, so that each is aligned without padding.
function writeTable(writer: ByteWriter, fields: readonly FlatField[]): number {
  const sizeOf = (field: FlatField) => ('ref' in field ? 4 : field.size);
  const sorted = [...fields].sort((a, b) => sizeOf(b) - sizeOf(a));
  const wide = sorted.some((field) => sizeOf(field) === 8);
  const slots = fields.reduce((count, field) => Math.max(count, field.slot + 1), 0);
  const places = new Array<number>(slots).fill(0);
  let size = wide ? 8 : 4;
  for (const field of sorted) {
    places[field.slot] = size;
    size += sizeOf(field);
  }
  const vtableBytes = 4 + 2 * slots;
  while ((writer.length + vtableBytes) % 8 !== 0) writer.u8(0);
  const start = writer.length + vtableBytes;
  writer.u16(vtableBytes);
  writer.u16(size);
  for (const place of places) writer.u16(place);
  writer.u32(vtableBytes);
  if (wide) writer.u32(0);
  for (const field of sorted) writeInline(writer, field);
  for (const field of sorted) {
    if (!('ref' in field)) continue;
    const at = start + places[field.slot]!;
    writer.setU32(at, writeValue(writer, field.ref) - at);
  }
  return start;
}

function writeInline(writer: ByteWriter, field: FlatField): void {
  if ('ref' in field || field.size === 4) writer.u32('ref' in field ? 0 : field.value);
  else if (field.size === 8) writer.u64(BigInt(field.value));
  else if (field.size === 2) writer.u16(field.value);
  else writer.u8(field.value);
}

function writeText(writer: ByteWriter, text: string): number {
  writer.align(4);
  const start = writer.length;
  const bytes = Buffer.from(text, 'utf8');
  writer.u32(bytes.length);
  writer.raw(bytes);
  writer.u8(0);
  return start;
}

function writeTables(writer: ByteWriter, items: readonly FlatValue[]): number {
  writer.align(4);
  const start = writer.length;
  writer.u32(items.length);
  for (let i = 0; i < items.length; i++) writer.u32(0);
  items.forEach((item, i) => {
    const at = start + 4 + 4 * i;
    writer.setU32(at, writeValue(writer, item) - at);
  });
  return start;
}

function writeStructs(writer: ByteWriter, width: number, members: readonly number[]): number {
  writer.align(4);
  if (writer.length % 8 === 0) writer.u32(0);
  const start = writer.length;
  writer.u32(members.length / width);
  for (const member of members) writer.u64(BigInt(member));
  return start;
}
