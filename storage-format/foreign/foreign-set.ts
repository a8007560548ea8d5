// Sets as other systems store them, read into ids. Not ClickHouse's states alone (those are
// clickhouse-state.ts): one door to all formats that a backfill takes, each checked byte by byte.
// Bytes that are not exactly one set are INCORRECT_DATA with the reason; nothing is guessed.

import { isNot, type Refusal } from '../../base/byte-reader.ts';
import { MusterError } from '../../base/errors.ts';
import { decodeWholeState, widthOf } from '../clickhouse-state.ts';
import type { IntegerName } from '../data-type.ts';
import { decodeBitmapValue } from './bitmap-value.ts';
import { decodeDatabend } from './databend-bitmap.ts';
import { checkMap, decodeJavaMap, decodeMap } from './roaring-map.ts';
import { decodeRoaring } from './roaring-codes.ts';

/** Names as people give them. */
export const foreignFormats = [
  'clickhouse',
  'roaring32',
  'roaring64',
  'roaring64java',
  'doris',
  'starrocks',
  'databend',
] as const;

export type ForeignFormat = (typeof foreignFormats)[number];

/** What a reader found: values of 32 bits, or patterns of 64; ascending as unsigned numbers. */
export type ForeignIds =
  | { readonly bits: 32; readonly values: Uint32Array }
  | { readonly bits: 64; readonly values: BigUint64Array };

/**
 * The ids of a set, ascending as unsigned 64-bit patterns (signed types sign-extended). An id that
 * the type does not have is INCORRECT_DATA too. ClickHouse's states are of the type itself.
 */
export function decodeForeignSet(
  bytes: Uint8Array,
  format: ForeignFormat,
  idType: IntegerName,
): BigUint64Array {
  const refusal = isNot(`a set in the format ${format}`);
  if (format === 'clickhouse') {
    if (widthOf(idType) === 8 && bytes[0] === 1) checkMap(stateMap(bytes), refusal);
    return decodeWholeState(bytes, idType);
  }
  return idsOfType(readForeign(bytes, format, refusal), idType);
}

function readForeign(
  bytes: Uint8Array,
  format: Exclude<ForeignFormat, 'clickhouse'>,
  refusal: Refusal,
): ForeignIds {
  switch (format) {
    case 'roaring32':
      return { bits: 32, values: decodeRoaring(bytes, refusal) };
    case 'roaring64':
      return { bits: 64, values: decodeMap(bytes, refusal) };
    case 'roaring64java':
      return { bits: 64, values: decodeJavaMap(bytes, refusal) };
    case 'databend':
      return { bits: 64, values: decodeDatabend(bytes, refusal) };
    default:
      return decodeBitmapValue(bytes, format, refusal);
  }
}

/** 32-bit values are the type's own bits: of a signed type those from 2^31 on are negative. */
function idsOfType(found: ForeignIds, idType: IntegerName): BigUint64Array {
  const bits = 8 * widthOf(idType);
  const signed = idType.startsWith('Int');
  if (found.bits === 64) {
    checkRange(found.values, { bits, signed, idType });
    return found.values;
  }
  const { values } = found;
  const halves = new Uint32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    halves[2 * i] = value;
    if (signed && value >= 0x8000_0000) halves[2 * i + 1] = 0xffff_ffff;
  }
  const ids = new BigUint64Array(halves.buffer);
  if (bits < 32) checkRange(ids, { bits, signed, idType });
  return ids;
}

interface IdRange {
  readonly bits: number;
  readonly signed: boolean;
  readonly idType: IntegerName;
}

/** Ids ascend: those of the type are at the front, the negative ones at the back. */
function checkRange(ids: BigUint64Array, { bits, signed, idType }: IdRange): void {
  if (bits === 64) return;
  const end = 1n << BigInt(signed ? bits - 1 : bits);
  const negative = signed ? 2n ** 64n - end : 2n ** 64n;
  // What lies between is one run: look at its two ends.
  const first = firstAtLeast(ids, end);
  const wrong = ids[first];
  if (wrong === undefined || wrong >= negative) return;
  const value = signed ? BigInt.asIntN(64, wrong) : wrong;
  throw new MusterError('INCORRECT_DATA', `the set has ${value}, which is no ${idType}`);
}

function firstAtLeast(ids: BigUint64Array, value: bigint): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The map inside a large state of 64-bit ids; what is no such state has none. */
function stateMap(bytes: Uint8Array): Uint8Array {
  const end = bytes.subarray(1, 10).findIndex((byte) => byte < 128);
  return bytes.subarray(2 + end);
}
