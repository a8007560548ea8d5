// intHash32, intHash64 and sipHash64, bit for bit ClickHouse's, on 32-bit halves.

import { MusterError } from '../../../base/errors.ts';
import { sipHashPatterns } from '../../../kernels/sip-hash.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { uuidToBinary } from '../../../storage-format/uuid.ts';
import { fullColumn } from '../apply-function.ts';
import { wideHalves } from '../columns/halves.ts';
import { illegalType } from '../function-errors.ts';
import { columnFromPatterns, doubles, patterns } from '../number-lanes.ts';
import { isFloat, storedShape, uint64 } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { type HalvesOut, sipHashPair, sipHashPattern, sipHashText } from './sip-hash.ts';

/** Fewer are not worth a copy into WebAssembly memory. */
const kernelRowsMin = 64;
const twoTo32 = 4_294_967_296;
const out: HalvesOut = { low: 0, high: 0 };

/** Thomas Wang's mixing of 64 bits to 32, over the pattern XOR ClickHouse's salt. */
function intHash32(low: number, high: number): number {
  let l = low ^ 0xe018bf45;
  let h = high ^ 0x75d9543d;
  let sum = (~l >>> 0) + ((l << 18) >>> 0);
  h = (~h + ((h << 18) | (l >>> 14)) + (sum >= twoTo32 ? 1 : 0)) | 0;
  l = sum | 0;
  const [l1, h1] = [l ^ ((l >>> 31) | (h << 1)), h ^ ((h >>> 31) | (l << 1))];
  sum = (l1 >>> 0) * 21;
  l = sum | 0;
  h = (Math.imul(h1, 21) + Math.floor(sum / twoTo32)) | 0;
  const [l2, h2] = [l ^ ((l >>> 11) | (h << 21)), h ^ ((h >>> 11) | (l << 21))];
  sum = (l2 >>> 0) + ((l2 << 6) >>> 0);
  h = (h2 + ((h2 << 6) | (l2 >>> 26)) + (sum >= twoTo32 ? 1 : 0)) | 0;
  l = sum | 0;
  return (l ^ ((l >>> 22) | (h << 10))) >>> 0;
}

/** The low 64 bits of a product of 64-bit patterns. */
function multiply(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  const x0 = aLow & 0xffff;
  const x1 = aLow >>> 16;
  const y0 = bLow & 0xffff;
  const y1 = bLow >>> 16;
  const middle = x1 * y0 + ((x0 * y0) >>> 16);
  const cross = x0 * y1 + (middle & 0xffff);
  const carry = x1 * y1 + Math.floor(middle / 65_536) + Math.floor(cross / 65_536);
  out.low = Math.imul(aLow, bLow);
  out.high = ((carry | 0) + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) | 0;
}

/** The finalizer of MurmurHash3, over the pattern XOR ClickHouse's salt; into `out`. */
function intHash64(low: number, high: number): void {
  let l = low ^ 0xae6da887;
  let h = high ^ 0x4cf2d2ba;
  l ^= h >>> 1;
  multiply(l, h, 0xed558ccd, 0xff51afd7);
  ({ low: l, high: h } = out);
  l ^= h >>> 1;
  multiply(l, h, 0x1a85ec53, 0xc4ceb9fe);
  out.low ^= out.high >>> 1;
}

function requireInteger(name: string, type: DataType): void {
  const shape = storedShape(type);
  if (shape === undefined || shape.float) throw illegalType(name, type);
}

const integerHashes: readonly ScalarFunction[] = [
  {
    name: 'intHash32',
    arity: [1, 1],
    returnType: ([a]) => {
      requireInteger('intHash32', a!.type);
      return { kind: 'UInt32' };
    },
    evaluate: (call) => {
      const halves = patterns(call.arguments[0]!, call.rows);
      const values = new Uint32Array(call.rows);
      for (let i = 0; i < values.length; i++) {
        values[i] = intHash32(halves[2 * i] ?? 0, halves[2 * i + 1] ?? 0);
      }
      return { kind: 'number', values };
    },
  },
  {
    name: 'intHash64',
    arity: [1, 1],
    returnType: ([a]) => {
      requireInteger('intHash64', a!.type);
      return uint64;
    },
    evaluate: (call) => {
      const halves = patterns(call.arguments[0]!, call.rows);
      const result = new Int32Array(call.rows * 2);
      for (let i = 0; i < result.length; i += 2) {
        intHash64(halves[i] ?? 0, halves[i + 1] ?? 0);
        result[i] = out.low;
        result[i + 1] = out.high;
      }
      return columnFromPatterns(uint64, result);
    },
  },
];

function hashable(type: DataType): boolean {
  if (type.kind === 'Tuple') return type.fields.every((field) => hashable(field.type));
  return type.kind === 'String' || type.kind === 'UUID' || storedShape(type) !== undefined;
}

/** The hash of each row of one argument, as halves. */
function hashColumn(argument: Argument, rows: number): Int32Array {
  const { type } = argument;
  const column = fullColumn(argument, rows);
  if (column.kind === 'string') {
    const result = new Int32Array(rows * 2);
    for (let i = 0; i < rows; i++) {
      const text = column.values[i] ?? '';
      sipHashText(type.kind === 'UUID' ? uuidToBinary(text) : text, out);
      result[2 * i] = out.low;
      result[2 * i + 1] = out.high;
    }
    return result;
  }
  const bytes = storedShape(type)?.bytes ?? 8;
  const halves = isFloat(type) ? floatPatterns(argument, rows) : patterns(argument, rows);
  if (bytes === 8 && rows >= kernelRowsMin) return sipHashPatterns(halves.subarray(0, 2 * rows));
  const result = new Int32Array(rows * 2);
  for (let i = 0; i < result.length; i += 2) {
    sipHashPattern(halves[i] ?? 0, halves[i + 1] ?? 0, bytes, out);
    result[i] = out.low;
    result[i + 1] = out.high;
  }
  return result;
}

function floatPatterns(argument: Argument, rows: number): Int32Array {
  const values = doubles(argument, rows).slice();
  if (argument.type.kind !== 'Float32') return wideHalves(new BigInt64Array(values.buffer));
  const words = new Int32Array(Float32Array.from(values).buffer);
  const result = new Int32Array(rows * 2);
  for (let i = 0; i < rows; i++) result[2 * i] = words[i] ?? 0;
  return result;
}

/** Tuples count as their fields, one argument after another. */
function flatten(argument: Argument): readonly Argument[] {
  const { type, column, constant } = argument;
  if (type.kind !== 'Tuple' || column.kind !== 'tuple') return [argument];
  return type.fields.flatMap((field, i) =>
    flatten({ type: field.type, column: column.fields[i]!, constant }),
  );
}

function evaluateSip(call: FunctionCall): Column {
  const [first, ...others] = call.arguments.flatMap(flatten);
  const result = hashColumn(first!, call.rows);
  const before: HalvesOut = { low: 0, high: 0 };
  const own: HalvesOut = { low: 0, high: 0 };
  for (const argument of others) {
    const hashes = hashColumn(argument, call.rows);
    for (let i = 0; i < result.length; i += 2) {
      before.low = result[i] ?? 0;
      before.high = result[i + 1] ?? 0;
      own.low = hashes[i] ?? 0;
      own.high = hashes[i + 1] ?? 0;
      sipHashPair(before, own, out);
      result[i] = out.low;
      result[i + 1] = out.high;
    }
  }
  return columnFromPatterns(uint64, result);
}

export const hashFunctions: readonly ScalarFunction[] = [
  ...integerHashes,
  {
    name: 'sipHash64',
    arity: [1, Number.POSITIVE_INFINITY],
    returnType: (types) => {
      for (const { type } of types) {
        if (!hashable(type)) {
          throw new MusterError('NOT_IMPLEMENTED', 'sipHash64 of arrays is not supported');
        }
      }
      return uint64;
    },
    evaluate: evaluateSip,
  },
];
