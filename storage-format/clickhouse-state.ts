// ClickHouse's aggregate states of groupBitmap over integers, as clients send and fetch them: any
// legal form is read, ids ascending are written. ClickHouse itself accepts many damaged states and
// then answers wrongly; here they are INCORRECT_DATA. Sets of strings are in byte-set-state.ts.
//
//   u8 0 | varuint count (0..32) | count x id (width of the type, little end first)
//   u8 1 | varuint size | width < 8: portable bitmap of the low 32 bits (signed: sign-extended)
//                         width 8:   a map of high halves (wide-state.ts)

import { ByteReader, isNot, type Refusal } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { MusterError } from '../base/errors.ts';
import { encodePortable } from './bitmap.ts';
import type { IntegerName } from './data-type.ts';
import { refuseTooMany } from './members-max.ts';
import { checkPortable, portableCodes, readPortableHeader } from './portable-roaring.ts';
import { decodeWideMap, encodeWideMap } from './wide-state.ts';

/** Ids of a small state at most. */
export const smallCountMax = 32;

/** Ids as 64-bit patterns (signed types sign-extended), ascending as unsigned numbers. */
type WideIds = BigUint64Array;

interface DecodedState {
  readonly ids: WideIds;
  /** Where the state ends in the bytes. */
  readonly end: number;
}

/** The state that ClickHouse writes for a set of these ids (built in ascending order). */
export function encodeState(ids: WideIds, idType: IntegerName): Uint8Array {
  const width = widthOf(idType);
  const writer = new ByteWriter();
  if (ids.length <= smallCountMax) {
    writer.u8(0);
    writer.varuint(ids.length);
    for (const id of ids) {
      const element = new Uint8Array(8);
      new DataView(element.buffer).setBigUint64(0, id, true);
      writer.raw(element.subarray(0, width));
    }
    return writer.finish();
  }
  const payload = width === 8 ? encodeWideMap(ids) : encodePortable(lowHalves(ids));
  writer.u8(1);
  writer.varuint(payload.length);
  writer.raw(payload);
  return writer.finish();
}

/**
 * Reads one state that starts at `at`. Throws INCORRECT_DATA for whatever isn't exactly one, and
 * MEMORY_LIMIT_EXCEEDED before it reads more than `membersMax`.
 */
export function decodeState(bytes: Uint8Array, at: number, idType: IntegerName): DecodedState {
  const reader = new ByteReader(bytes, notAState(idType), at);
  const kind = reader.u8();
  if (kind === 0) {
    const ids = readSmall(reader, idType);
    return { ids, end: reader.at };
  }
  if (kind !== 1) return reader.refuse(`is of kind ${kind}`);
  const size = reader.varuint();
  if (size === 0) reader.refuse('is large and has no bytes');
  const payload = reader.raw(size);
  const ids =
    widthOf(idType) === 8
      ? decodeWideMap(payload, notAState(idType))
      : readLow(payload, reader, idType);
  return { ids, end: reader.at };
}

/**
 * Copies the ids of a whole small state, two words each, to `to` from id `to.at` on, in the order in
 * which they lie there. Undefined where it is anything else, not all there or wrong: for decodeState to
 * tell. Many states a second: nothing is allocated but the result.
 */
export function copySmallState(
  bytes: Uint8Array,
  from: { readonly at: number; readonly end: number; readonly idType: IntegerName },
  to: { readonly halves: Uint32Array; readonly at: number },
): { readonly count: number; readonly end: number } | undefined {
  const width = widthOf(from.idType);
  const count = bytes[from.at + 1]!;
  const end = from.at + 2 + count * width;
  if (from.at + 2 > from.end || bytes[from.at] !== 0) return undefined;
  if (count > smallCountMax || end > from.end) return undefined;
  const signed = isSigned(from.idType);
  const first = 2 * to.at;
  let out = first;
  for (let at = from.at + 2; at < end; at += width, out += 2) {
    const low = wordAt(bytes, at, Math.min(width, 4));
    const shift = width < 4 ? 32 - 8 * width : 0;
    const extended = signed ? (low << shift) >> shift : low;
    to.halves[out] = extended;
    to.halves[out + 1] = width === 8 ? wordAt(bytes, at + 4, 4) : signed ? extended >> 31 : 0;
  }
  return hasTwice(to.halves, first, out) ? undefined : { count, end };
}

function wordAt(bytes: Uint8Array, at: number, width: number): number {
  let word = bytes[at]!;
  if (width > 1) word |= bytes[at + 1]! << 8;
  if (width > 2) word |= (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  return word;
}

/** Whether two of the words' pairs in [from, to) are alike. */
function hasTwice(halves: Uint32Array, from: number, to: number): boolean {
  for (let i = from + 2; i < to; i += 2) {
    const low = halves[i];
    for (let j = from; j < i; j += 2) {
      if (halves[j] === low && halves[j + 1] === halves[i + 1]) return true;
    }
  }
  return false;
}

/** Where the state at `at` ends, or undefined while its bytes have not all arrived. */
export function stateEnd(bytes: Uint8Array, at: number, idType: IntegerName): number | undefined {
  const prefix = bytes.subarray(at, at + 11);
  const lengthEnd = prefix.findIndex((byte, i) => i > 0 && byte < 128);
  if (lengthEnd < 0 && prefix.length < 11) return undefined;
  const reader = new ByteReader(prefix, notAState(idType));
  const kind = reader.u8();
  const size = reader.varuint() * (kind === 0 ? widthOf(idType) : 1);
  const end = at + reader.at + size;
  return end <= bytes.length ? end : undefined;
}

function notAState(idType: IntegerName): Refusal {
  return isNot(`a groupBitmap state of ${idType}`);
}

/** Bytes of a value of the type. */
export function widthOf(idType: IntegerName): 1 | 2 | 4 | 8 {
  if (idType.endsWith('8')) return 1;
  if (idType.endsWith('16')) return 2;
  return idType.endsWith('32') ? 4 : 8;
}

function isSigned(idType: IntegerName): boolean {
  return idType.startsWith('Int');
}

function lowHalves(ids: WideIds): Uint32Array {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  const low = new Uint32Array(ids.length);
  for (let i = 0; i < low.length; i++) low[i] = halves[2 * i]!;
  return low;
}

function readSmall(reader: ByteReader, idType: IntegerName): WideIds {
  const count = reader.varuint();
  if (count > smallCountMax) reader.refuse(`is small and counts ${count}`);
  const width = widthOf(idType);
  const ids = new BigUint64Array(count);
  for (let i = 0; i < count; i++) {
    const element = new Uint8Array(8);
    element.set(reader.raw(width));
    const raw = new DataView(element.buffer).getBigUint64(0, true);
    const bits = 8 * width;
    ids[i] = isSigned(idType) ? BigInt.asIntN(bits, raw) : raw;
  }
  ids.sort();
  if (ids.some((id, i) => i > 0 && id === ids[i - 1])) reader.refuse('has an id twice');
  return ids;
}

function readLow(payload: Uint8Array, reader: ByteReader, idType: IntegerName): WideIds {
  refuseTooMany(readPortableHeader(payload).cardinality);
  const codes = portableCodes(payload, checkPortable(payload));
  const bits = 8 * widthOf(idType);
  const signed = isSigned(idType);
  // In unsigned order a signed type's negative values are the last ones.
  const valueMax = 2 ** (signed ? bits - 1 : bits);
  const negativeMin = signed ? 2 ** 32 - 2 ** (bits - 1) : 2 ** 32;
  const ids = new BigUint64Array(codes.length);
  const halves = new Uint32Array(ids.buffer);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code >= valueMax && code < negativeMin) reader.refuse(`has ${code}, which is no ${idType}`);
    halves[2 * i] = code;
    if (code >= negativeMin) halves[2 * i + 1] = 0xffff_ffff;
  }
  return ids;
}

/** Throws INCORRECT_DATA when anything follows the state. */
export function decodeWholeState(bytes: Uint8Array, idType: IntegerName): WideIds {
  const { ids, end } = decodeState(bytes, 0, idType);
  if (end === bytes.length) return ids;
  const extra = bytes.length - end;
  throw new MusterError('INCORRECT_DATA', `${extra} bytes after a groupBitmap state of ${idType}`);
}
