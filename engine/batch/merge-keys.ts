// Lists of ids, row by row, over slices: union in unsigned order of ids (strings: byte order). Slices
// are disjoint, so nothing is met twice.

import { sortKeys } from '../../kernels/key-sort.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { defined } from '../../base/assert.ts';
import { concatKeys } from '../dictionary/key-selection.ts';
import { MusterError } from '../../base/errors.ts';

/** Row i holds keys[offsets[i], offsets[i + 1]). */
export interface KeyRows {
  readonly offsets: Uint32Array;
  readonly keys: KeyList;
}

interface KeyOrder {
  readonly descending: boolean;
  /** Keys kept of each row, from the front; absent: all. */
  readonly keep?: Float64Array;
}

/** Rows of all parts joined, in order. Parts have the same rows and one domain. */
export function mergeKeyLists(parts: readonly KeyRows[], order: KeyOrder): KeyRows {
  const filled = parts.filter((part) => part.keys.values.length > 0);
  const first = defined(filled[0] ?? parts[0], 'a part of lists');
  if (filled.length <= 1) return { offsets: first.offsets, keys: first.keys };
  return first.keys.domain === 'integer'
    ? mergeIntegers(filled, order)
    : mergeStrings(filled, order);
}

/** As mergeKeyLists, each row's keys in the order of the parts. */
export function joinKeyLists(parts: readonly KeyRows[]): KeyRows {
  const filled = parts.filter((part) => part.keys.values.length > 0);
  const first = defined(filled[0] ?? parts[0], 'a part of lists');
  if (filled.length <= 1) return { offsets: first.offsets, keys: first.keys };
  const rows = rowCount(filled);
  const offsets = new Uint32Array(rows + 1);
  const pieces: KeyList[] = [];
  for (let r = 0; r < rows; r++) {
    let end = offsets[r] as number;
    for (const { offsets: from, keys } of filled) {
      const [start = 0, stop = 0] = [from[r], from[r + 1]];
      if (stop > start) pieces.push(keysIn(keys, start, stop));
      end += stop - start;
    }
    offsets[r + 1] = end;
  }
  return { offsets, keys: concatKeys(first.keys.domain, pieces) };
}

function keysIn(keys: KeyList, start: number, end: number): KeyList {
  return keys.domain === 'integer'
    ? { domain: keys.domain, values: keys.values.subarray(start, end) }
    : { domain: keys.domain, values: keys.values.slice(start, end) };
}

/** More take more than their own memory beside them, for good. */
const kernelKeysMax = 2 ** 22;

/** Unsigned order; `values` is changed. */
export function sortIntegers(values: BigUint64Array, descending: boolean): BigUint64Array {
  if (values.length <= kernelKeysMax) sortKeys(values);
  else values.sort();
  return descending ? values.reverse() : values;
}

/** Byte order, which is the order of byte strings; `values` is changed. */
export function sortStrings(values: string[], descending: boolean): string[] {
  values.sort();
  return descending ? values.reverse() : values;
}

export function checkIdsMax(ids: number, idsMax: number): void {
  if (ids <= idsMax) return;
  throw new MusterError(
    'TOO_MANY_ROWS_OR_BYTES',
    `The sets asked for hold at least ${ids} ids, more than ${idsMax} ` +
      '(setting muster_max_ids_in_result)',
  );
}

function mergeIntegers(parts: readonly KeyRows[], order: KeyOrder): KeyRows {
  const rows = rowCount(parts);
  const offsets = new Uint32Array(rows + 1);
  const out = new BigUint64Array(parts.reduce((sum, part) => sum + part.keys.values.length, 0));
  let end = 0;
  for (let r = 0; r < rows; r++) {
    const start = end;
    for (const { offsets: from, keys } of parts) {
      const values = keys.values as BigUint64Array;
      out.set(values.subarray(from[r], from[r + 1]), end);
      end += (from[r + 1] as number) - (from[r] as number);
    }
    sortIntegers(out.subarray(start, end), order.descending);
    end = Math.min(end, start + (order.keep?.[r] ?? Number.POSITIVE_INFINITY));
    offsets[r + 1] = end;
  }
  return { offsets, keys: { domain: 'integer', values: out.slice(0, end) } };
}

function mergeStrings(parts: readonly KeyRows[], order: KeyOrder): KeyRows {
  const rows = rowCount(parts);
  const offsets = new Uint32Array(rows + 1);
  const out: string[] = [];
  const domain = parts[0]?.keys.domain === 'uuid' ? 'uuid' : 'string';
  for (let r = 0; r < rows; r++) {
    const row: string[] = [];
    for (const { offsets: from, keys } of parts) {
      const values = keys.values as readonly string[];
      for (let i = from[r] as number; i < (from[r + 1] as number); i++)
        row.push(values[i] as string);
    }
    const kept = Math.min(row.length, order.keep?.[r] ?? row.length);
    for (const key of sortStrings(row, order.descending).slice(0, kept)) out.push(key);
    offsets[r + 1] = out.length;
  }
  return { offsets, keys: { domain, values: out } };
}

function rowCount(parts: readonly KeyRows[]): number {
  return defined(parts[0], 'a part of lists').offsets.length - 1;
}
