// The ids of a vector of sets: each distinct code decoded once, and the way from a set's codes to
// them. Whatever is defined over ids (order, ranges, digests) works on this.

import type { KeyList } from '../../storage-format/key-list.ts';
import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { setToCodes } from '../../storage-format/bitmap.ts';
import { lowerBound } from '../../storage-format/code-arrays.ts';
import type { CodeSet } from '../../storage-format/set-column.ts';

export class DecodedSets {
  /** Codes of all the sets, ascending, distinct. */
  readonly codes: Uint32Array;
  /** Key of each of them. */
  readonly keys: KeyList;

  constructor(codes: Uint32Array, keys: KeyList) {
    this.codes = codes;
    this.keys = keys;
  }

  /** 64-bit patterns; ILLEGAL_TYPE_OF_ARGUMENT over other ids. */
  integers(): BigUint64Array {
    if (this.keys.domain === 'integer') return this.keys.values;
    throw new MusterError('ILLEGAL_TYPE_OF_ARGUMENT', 'Ranges are of integer ids only');
  }
}

/** Where the codes of one of the sets lie in `decoded`; without positions: at 0, 1, 2... */
export function positionsIn(
  decoded: DecodedSets,
  set: CodeSet,
): { readonly codes: Uint32Array; readonly positions?: Uint32Array } {
  const codes = setToCodes(set);
  const all = decoded.codes;
  if (codes.length === all.length) return { codes };
  const positions = new Uint32Array(codes.length);
  const probe = codes.length * 16 < all.length;
  let at = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (probe) at = lowerBound(all, code);
    else while ((all[at] as number) < code) at++;
    positions[i] = at;
  }
  return { codes, positions };
}

/** Keys of one row's codes, in order of codes: a fresh array, for sorting in place. */
export function rowKeys(decoded: DecodedSets, set: CodeSet): BigUint64Array | string[] {
  const { codes, positions } = positionsIn(decoded, set);
  const at = (i: number) => (positions === undefined ? i : (positions[i] as number));
  if (decoded.keys.domain !== 'integer') {
    const { values } = decoded.keys;
    return Array.from(codes, (_, i) => defined(values[at(i)], 'a decoded key'));
  }
  if (positions === undefined) return decoded.keys.values.slice();
  const from = new Uint32Array(
    decoded.keys.values.buffer,
    decoded.keys.values.byteOffset,
    2 * decoded.keys.values.length,
  );
  const out = new BigUint64Array(codes.length);
  const to = new Uint32Array(out.buffer);
  for (let i = 0; i < codes.length; i++) {
    const position = positions[i] as number;
    to[2 * i] = from[2 * position] as number;
    to[2 * i + 1] = from[2 * position + 1] as number;
  }
  return out;
}
