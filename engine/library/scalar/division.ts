// divide, intDiv, intDivOrZero, modulo and its aliases. Integer division by zero is an error (153);
// signs and widths follow ClickHouse, which follows C++: any unsigned 64-bit operand makes modulo
// unsigned, any signed operand makes intDiv signed.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { illegalTypes } from '../function-errors.ts';
import {
  columnFromDoubles,
  columnFromPatterns,
  doubles,
  fitsDoubles,
  patterns,
} from '../number-lanes.ts';
import {
  float64,
  intDivType,
  integerType,
  isDateLike,
  moduloType,
  type NumericShape,
  numericShape,
  storedShape,
} from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { divideHalves, remainderHalves, truncatedQuotient } from './wide-arithmetic.ts';

function shapesOf(name: string, a: DataType, b: DataType): readonly [NumericShape, NumericShape] {
  const x = numericShape(a);
  const y = numericShape(b);
  if (x === undefined || y === undefined) throw illegalTypes(name, [a, b]);
  return [x, y];
}

function evaluateDivide(call: FunctionCall): Column {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  const x = doubles(a, call.rows);
  const y = doubles(b, call.rows);
  const result = new Float64Array(call.rows);
  for (let i = 0; i < result.length; i++) result[i] = (x[i] ?? 0) / (y[i] ?? 0);
  return { kind: 'number', values: result };
}

/** What a zero divisor (or the least number by -1) does: an error, or 0. */
type OnZero = 'throw' | 'zero';

function evaluateIntDiv(call: FunctionCall, onZero: OnZero): Column {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  const [x, y] = shapesOf('intDiv', a.type, b.type);
  if (x.float || y.float) return divideFloats(call, onZero);
  if (isPlain(a, x, y) && isPlain(b, y, x)) {
    const quotients = smallQuotients(doubles(a, call.rows), doubles(b, call.rows), {
      onZero,
      least: x.signed ? -(2 ** (8 * x.bytes - 1)) : Number.NaN,
    });
    return columnFromDoubles(call.returns, quotients);
  }
  const signed = x.signed || y.signed;
  const dividends = signed ? resigned(a, x.bytes, call.rows) : patterns(a, call.rows);
  const divisorBytes = x.bytes <= y.bytes ? y.bytes : x.bytes;
  const divisors = signed ? resigned(b, divisorBytes, call.rows) : patterns(b, call.rows);
  const check = { onZero, leastBytes: signed ? x.bytes : 0 };
  const checked = safeDivisors(dividends, divisors, check);
  const result = divideHalves(checked.dividends, checked.divisors, { signed });
  return columnFromPatterns(call.returns, result);
}

/** Values that mean the same number before and after C++'s conversions. */
function isPlain(argument: Argument, own: NumericShape, other: NumericShape): boolean {
  return fitsDoubles(argument.type) && (own.signed || !other.signed);
}

/** Patterns re-read as signed integers of that many bytes. */
function resigned(argument: Argument, bytes: number, rows: number): Int32Array {
  const column = columnFromPatterns(integerType(bytes, true), patterns(argument, rows).slice());
  return patterns({ type: integerType(bytes, true), column, constant: false }, rows);
}

interface SmallRule {
  readonly onZero: OnZero;
  /** The dividend that must not be divided by -1; NaN if there is none. */
  readonly least: number;
}

/** False: the result is 0. */
function isDefined(dividend: number, divisor: number, rule: SmallRule): boolean {
  if (divisor !== 0 && (divisor !== -1 || dividend !== rule.least)) return true;
  if (rule.onZero === 'throw') throw divisionError(divisor);
  return false;
}

function smallQuotients(x: Float64Array, y: Float64Array, rule: SmallRule): Float64Array {
  const result = new Float64Array(x.length);
  for (let i = 0; i < result.length; i++) {
    const divisor = y[i] ?? 0;
    const dividend = x[i] ?? 0;
    if (isDefined(dividend, divisor, rule)) result[i] = truncatedQuotient(dividend, divisor);
  }
  return result;
}

/** In Float32 unless a Float64 takes part; a quotient beyond the type is an error, always. */
function divideFloats(call: FunctionCall, onZero: OnZero): Column {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  const single = a.type.kind !== 'Float64' && b.type.kind !== 'Float64';
  const narrow = single ? Math.fround : (value: number) => value;
  const x = doubles(a, call.rows);
  const y = doubles(b, call.rows);
  const limit = 2 ** (8 * (numericShape(call.returns)?.bytes ?? 8) - 1);
  const result = new Float64Array(call.rows);
  for (let i = 0; i < result.length; i++) {
    if (y[i] === 0 && onZero === 'zero') continue;
    const quotient = Math.trunc(narrow(narrow(x[i] ?? 0) / narrow(y[i] ?? 0)));
    if (!Number.isFinite(quotient) || quotient < -limit || quotient >= limit) throw tooLarge();
    result[i] = quotient;
  }
  return columnFromDoubles(call.returns, result);
}

function evaluateModulo(call: FunctionCall, onZero: OnZero): Column {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  if (call.returns.kind === 'Float64') return moduloFloats(call, a, b);
  const x = storedShape(a.type);
  const y = storedShape(b.type);
  if (x === undefined || y === undefined) throw illegalTypes('modulo', [a.type, b.type]);
  const bytes = Math.max(4, x.bytes, y.bytes);
  const unsigned = (!x.signed && x.bytes === bytes) || (!y.signed && y.bytes === bytes);
  if (fitsDoubles(a.type) && fitsDoubles(b.type) && (!unsigned || (!x.signed && !y.signed))) {
    const remainders = smallRemainders(doubles(a, call.rows), doubles(b, call.rows), {
      onZero,
      least: x.signed && y.signed ? -(2 ** (8 * x.bytes - 1)) : Number.NaN,
    });
    return columnFromDoubles(call.returns, remainders);
  }
  const extended = bytes === 8 || !unsigned;
  const dividends = promoted(a, extended, call.rows);
  const divisors = promoted(b, extended, call.rows);
  const check = { onZero, leastBytes: unsigned ? 0 : x.bytes };
  const checked = safeDivisors(dividends, divisors, check);
  const result = remainderHalves(checked.dividends, checked.divisors, { signed: !unsigned });
  return columnFromPatterns(call.returns, result);
}

/** C++'s conversion to the common type: 32-bit unsigned loses the sign's extension. */
function promoted(argument: Argument, extended: boolean, rows: number): Int32Array {
  const halves = patterns(argument, rows);
  if (extended) return halves;
  const result = halves.slice();
  for (let i = 1; i < result.length; i += 2) result[i] = 0;
  return result;
}

function smallRemainders(x: Float64Array, y: Float64Array, rule: SmallRule): Float64Array {
  const result = new Float64Array(x.length);
  for (let i = 0; i < result.length; i++) {
    const divisor = y[i] ?? 0;
    const dividend = x[i] ?? 0;
    if (isDefined(dividend, divisor, rule)) {
      result[i] = dividend - truncatedQuotient(dividend, divisor) * divisor;
    }
  }
  return result;
}

function moduloFloats(call: FunctionCall, a: Argument, b: Argument): Column {
  const x = doubles(a, call.rows);
  const y = doubles(b, call.rows);
  const result = new Float64Array(call.rows);
  for (let i = 0; i < result.length; i++) {
    const dividend = x[i] ?? 0;
    const divisor = y[i] ?? 0;
    result[i] = dividend - Math.trunc(dividend / divisor) * divisor;
  }
  return { kind: 'number', values: result };
}

interface DivisionCheck {
  readonly onZero: OnZero;
  /** Width of a signed dividend whose least value must not be divided by -1; 0 if unsigned. */
  readonly leastBytes: number;
}

/** The operands, with 0 / 1 in the rows that may not be divided, if these are to give 0. */
function safeDivisors(
  dividends: Int32Array,
  divisors: Int32Array,
  check: DivisionCheck,
): { readonly dividends: Int32Array; readonly divisors: Int32Array } {
  let x = dividends;
  let y = divisors;
  const least = leastHalves(check.leastBytes);
  for (let i = 0; i < divisors.length; i += 2) {
    const isZero = divisors[i] === 0 && divisors[i + 1] === 0;
    const overflows =
      divisors[i] === -1 &&
      divisors[i + 1] === -1 &&
      dividends[i] === least?.low &&
      dividends[i + 1] === least?.high;
    if (!isZero && !overflows) continue;
    if (check.onZero === 'throw') throw divisionError(isZero ? 0 : -1);
    if (y === divisors) {
      x = dividends.slice();
      y = divisors.slice();
    }
    x[i] = x[i + 1] = y[i + 1] = 0;
    y[i] = 1;
  }
  return { dividends: x, divisors: y };
}

function leastHalves(bytes: number): { readonly low: number; readonly high: number } | undefined {
  if (bytes === 0) return undefined;
  return bytes === 8 ? { low: 0, high: -0x80000000 } : { low: -(2 ** (8 * bytes - 1)), high: -1 };
}

function divisionError(divisor: number): MusterError {
  return new MusterError(
    'ILLEGAL_DIVISION',
    divisor === 0 ? 'Division by zero' : 'Division of minimal signed number by minus one',
  );
}

function tooLarge(): MusterError {
  return new MusterError(
    'ILLEGAL_DIVISION',
    'Cannot perform integer division, because it will produce infinite or too large number',
  );
}

function moduloReturns(a: DataType, b: DataType): DataType {
  const x = isDateLike(a) && a.kind !== 'DateTime64' ? storedShape(a) : numericShape(a);
  const y = numericShape(b);
  if (x === undefined || y === undefined) throw illegalTypes('modulo', [a, b]);
  if (isDateLike(a) && !y.float) return integerType(y.bytes, y.signed);
  return moduloType(x, y);
}

export const divisionFunctions: readonly ScalarFunction[] = [
  {
    name: 'divide',
    arity: [2, 2],
    returnType: ([a, b]) => {
      shapesOf('divide', a!.type, b!.type);
      return float64;
    },
    evaluate: evaluateDivide,
  },
  {
    name: 'intDiv',
    arity: [2, 2],
    returnType: ([a, b]) => intDivType(...shapesOf('intDiv', a!.type, b!.type)),
    evaluate: (call) => evaluateIntDiv(call, 'throw'),
  },
  {
    name: 'intDivOrZero',
    arity: [2, 2],
    returnType: ([a, b]) => intDivType(...shapesOf('intDivOrZero', a!.type, b!.type)),
    evaluate: (call) => evaluateIntDiv(call, 'zero'),
  },
  {
    name: 'modulo',
    aliases: ['mod'],
    caseInsensitive: true,
    arity: [2, 2],
    returnType: ([a, b]) => moduloReturns(a!.type, b!.type),
    evaluate: (call) => evaluateModulo(call, 'throw'),
  },
  {
    name: 'moduloOrZero',
    arity: [2, 2],
    returnType: ([a, b]) => moduloReturns(a!.type, b!.type),
    evaluate: (call) => evaluateModulo(call, 'zero'),
  },
];
