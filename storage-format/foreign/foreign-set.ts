// Sets as other systems store them, read into ids. Not ClickHouse's states alone (those are
// clickhouse-state.ts): one door to all formats that a backfill takes, each checked byte by byte.
// Bytes that are not exactly one set are INCORRECT_DATA with the reason; nothing is guessed.

import { isNot, type Refusal } from '../../base/byte-reader.ts';
import { MusterError } from '../../base/errors.ts';
import { decodeWholeState, widthOf } from '../clickhouse-state.ts';
import type { IntegerName } from '../data-type.ts';
import { decodeWideMap } from '../wide-state.ts';
import { decodeBitmapValue } from './bitmap-value.ts';
import { decodeDatabend } from './databend-bitmap.ts';
import { decodeRoaring } from './roaring-codes.ts';
import { decodeJavaMap } from './roaring-map.ts';

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

/** ClickHouse's states are of a type that is not in their bytes: of the ids' own, if not told. */
export interface SetTypes {
  readonly ids: IntegerName;
  readonly states: IntegerName;
}

/**
 * The ids of a set, ascending as unsigned 64-bit patterns (signed types sign-extended). An id that
 * the type does not have is INCORRECT_DATA too.
 */
export function decodeForeignSet(
  bytes: Uint8Array,
  format: ForeignFormat,
  types: IntegerName | SetTypes,
): BigUint64Array {
  const idType = typeof types === 'string' ? types : types.ids;
  const refusal = isNot(`a set in the format ${format}`);
  if (format === 'clickhouse') {
    const stateType = typeof types === 'string' ? types : types.states;
    const ids = decodeWholeState(bytes, stateType);
    return stateType === idType ? ids : idsOfOtherType(ids, { ids: idType, states: stateType });
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
      return { bits: 64, values: decodeWideMap(bytes, refusal) };
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

/** Ids of a negative value, or from 2^63 on, are no ids of a type with another sign. */
function idsOfOtherType(ids: BigUint64Array, { ids: idType, states }: SetTypes): BigUint64Array {
  const signed = idType.startsWith('Int');
  const last = ids.at(-1);
  if (signed !== states.startsWith('Int') && last !== undefined && last >= 2n ** 63n) {
    const value = signed ? last : BigInt.asIntN(64, last);
    throw new MusterError('INCORRECT_DATA', `the set has ${value}, which is no ${idType}`);
  }
  checkRange(ids, { bits: 8 * widthOf(idType), signed, idType });
  return ids;
}
