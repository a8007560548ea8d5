// Integers as lines of text, by a kernel (kernels/integer-lines.ts): what stands around the digits is
// taken from a line that the format itself wrote. Most of an export of ids once was their digits.

import { affixBytesMax, integerLines, type LineAffixes } from '../../kernels/integer-lines.ts';
import type { PatternSource } from '../../kernels/integer-lines.ts';
import type { Column } from '../../storage-format/column.ts';

const zero = 0x30;

/**
 * `sample`: the line of a row whose only value is 0. Undefined where its last zero is not that value,
 * or where it is too long to be of use.
 */
export function affixesOf(sample: Uint8Array): LineAffixes | undefined {
  const at = sample.lastIndexOf(zero);
  if (at < 0 || sample.length > affixBytesMax) return undefined;
  return { before: sample.subarray(0, at), after: sample.subarray(at + 1) };
}

/** Undefined for columns that are not plain integers. */
export function idLines(column: Column, affixes: LineAffixes): Iterable<Uint8Array> | undefined {
  const source = patternsOf(column);
  return source && integerLines(source, affixes);
}

function patternsOf(column: Column): PatternSource | undefined {
  if (column.kind === 'wide' && column.nulls === undefined) return wide(column.values);
  const isWhole =
    column.kind === 'number' &&
    column.nulls === undefined &&
    !(column.values instanceof Float32Array) &&
    !(column.values instanceof Float64Array);
  return isWhole ? narrow(column.values) : undefined;
}

function wide(values: BigInt64Array | BigUint64Array): PatternSource {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  return {
    count: values.length,
    isSigned: values instanceof BigInt64Array,
    halves: (start, out) => out.set(halves.subarray(2 * start, 2 * start + out.length)),
  };
}

function narrow(values: ArrayLike<number>): PatternSource {
  return {
    count: values.length,
    isSigned: true,
    halves: (start, out) => {
      for (let i = 0; 2 * i < out.length; i++) {
        const value = values[start + i] as number;
        out[2 * i] = value;
        out[2 * i + 1] = value < 0 ? 0xffff_ffff : 0;
      }
    },
  };
}
