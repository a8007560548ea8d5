// The states of groupBitmap over String and UUID: ours, since ClickHouse has none. Like its states
// they say where they end, and equal sets have equal bytes. SPEC.md, "States of strings and UUIDs".
//
//   u8 2 | varuint count | count x (varuint length, bytes)    strings, ascending in byte order
//   u8 3 | varuint count | count x 16 bytes                   UUIDs, first hex digit first, ascending

import { ByteReader, isNot } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';

const stringKind = 2;
const uuidKind = 3;
const uuidBytes = 16;

interface DecodedByteSet {
  /** Byte strings, ascending. UUIDs are byte strings of 16. */
  readonly values: readonly string[];
  readonly end: number;
}

/** `values`: distinct byte strings, ascending. */
export function encodeStringState(values: readonly string[]): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(stringKind);
  writer.varuint(values.length);
  for (const value of values) writer.byteString(value);
  return writer.finish();
}

/** Throws INCORRECT_DATA for whatever isn't exactly such a state at `at`. */
export function decodeStringState(bytes: Uint8Array, at: number): DecodedByteSet {
  const reader = new ByteReader(bytes, isNot('a groupBitmap state of String'), at);
  return decodeSet(reader, stringKind, () => reader.byteString());
}

export function encodeUuidState(values: readonly string[]): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(uuidKind);
  writer.varuint(values.length);
  for (const value of values) writer.raw(Buffer.from(value, 'latin1'));
  return writer.finish();
}

export function decodeUuidState(bytes: Uint8Array, at: number): DecodedByteSet {
  const reader = new ByteReader(bytes, isNot('a groupBitmap state of UUID'), at);
  return decodeSet(reader, uuidKind, () => Buffer.from(reader.raw(uuidBytes)).toString('latin1'));
}

function decodeSet(reader: ByteReader, kind: number, next: () => string): DecodedByteSet {
  const found = reader.u8();
  if (found !== kind) reader.refuse(`is of kind ${found}`);
  const count = reader.varuint();
  const values: string[] = [];
  let previous: string | undefined;
  for (let i = 0; i < count; i++) {
    const value = next();
    if (previous !== undefined && value <= previous) reader.refuse('has values that do not ascend');
    values.push(value);
    previous = value;
  }
  return { values, end: reader.at };
}
