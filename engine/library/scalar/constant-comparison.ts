// Numbers of a column beside one number, as filters mostly are: one pass over the values as they lie,
// and no copy of the constant for each row. order-lanes.ts compares whatever is not of this kind.

import type { NumberArray } from '../../../storage-format/column.ts';
import { fitsDoubles } from '../number-lanes.ts';
import { wideHalves } from '../columns/halves.ts';
import type { Argument } from '../scalar-function.ts';

/** What a row is where it is less than the constant, equal to it, greater, or not comparable. */
export interface Outcomes {
  readonly less: number;
  readonly equal: number;
  readonly greater: number;
  readonly unordered: number;
}

/** Outcome of each row of `a`; undefined where `b` is no constant, or not of a kind with `a`. */
export function comparedToConstant(
  a: Argument,
  b: Argument,
  outcomes: Outcomes,
): Uint8Array | undefined {
  if (a.constant || !b.constant) return undefined;
  const [x, y] = [a.column, b.column];
  if (y.kind !== 'number' && y.kind !== 'wide') return undefined;
  const constant = y.values[0];
  if (constant === undefined) return undefined;
  if (x.kind === 'number' && fitsDoubles(a.type) && fitsDoubles(b.type)) {
    return compareNumbers(x.values, Number(constant), outcomes);
  }
  if (x.kind !== 'wide') return undefined;
  if (typeof constant === 'number' && !Number.isInteger(constant)) return undefined;
  const isSigned = x.values instanceof BigInt64Array;
  const wanted = BigInt(constant);
  const [least, most] = isSigned ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  if (wanted < least) return new Uint8Array(x.values.length).fill(outcomes.greater);
  if (wanted > most) return new Uint8Array(x.values.length).fill(outcomes.less);
  return compareHalves(wideHalves(x.values), { wanted, isSigned }, outcomes);
}

function compareNumbers(values: NumberArray, constant: number, outcomes: Outcomes): Uint8Array {
  const { less, equal, greater, unordered } = outcomes;
  const result = new Uint8Array(values.length);
  for (let i = 0; i < result.length; i++) {
    const value = values[i]!;
    result[i] =
      value < constant ? less : value > constant ? greater : value === constant ? equal : unordered;
  }
  return result;
}

/** As numbers of 32 bits with a sign, whose order is that of the halves once their first bit is turned. */
function compareHalves(
  halves: Int32Array,
  { wanted, isSigned }: { readonly wanted: bigint; readonly isSigned: boolean },
  { less, equal, greater }: Outcomes,
): Uint8Array {
  const turned = -0x8000_0000;
  const turn = isSigned ? 0 : turned;
  const low = Number(BigInt.asIntN(32, wanted)) ^ turned;
  const high = Number(BigInt.asIntN(32, wanted >> 32n)) ^ turn;
  const result = new Uint8Array(halves.length / 2);
  for (let i = 0; i < result.length; i++) {
    const h = halves[2 * i + 1]! ^ turn;
    const l = halves[2 * i]! ^ turned;
    if (h === high) result[i] = l < low ? less : l === low ? equal : greater;
    else result[i] = h < high ? less : greater;
  }
  return result;
}
