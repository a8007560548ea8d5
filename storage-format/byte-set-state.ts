// The states of groupBitmap over String and UUID: ours, since ClickHouse has none. Like its states
// they say where they end, and equal sets have equal bytes. SPEC.md, "States of strings and UUIDs".
//
//   u8 2 | varuint count | count x (varuint length, bytes)    strings, ascending in byte order
//   u8 3 | varuint count | count x 16 bytes                   UUIDs, first hex digit first, ascending

import { ByteReader, isNot } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { swapUuidHalves, uuidBytes } from './uuid.ts';

const stringKind = 2;
const uuidKind = 3;

interface DecodedByteSet {
  /** Byte strings, ascending. UUIDs are as uuid.ts holds them. */
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

/** `values`: distinct, ascending, as uuid.ts holds them; in the state they ascend by their text. */
export function encodeUuidState(values: readonly string[]): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(uuidKind);
  writer.varuint(values.length);
  for (const value of values.map(swapUuidHalves).sort()) writer.raw(Buffer.from(value, 'latin1'));
  return writer.finish();
}

export function decodeUuidState(bytes: Uint8Array, at: number): DecodedByteSet {
  const reader = new ByteReader(bytes, isNot('a groupBitmap state of UUID'), at);
  const text = () => Buffer.from(reader.raw(uuidBytes)).toString('latin1');
  const { values, end } = decodeSet(reader, uuidKind, text);
  return { values: values.map(swapUuidHalves).sort(), end };
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
