// round, floor, ceil, trunc with an optional number of digits. Floats round half to even, integers
// half away from zero. Integers beyond the type's range wrap around where ClickHouse's do: a bias is
// added in the type itself (but round widens small positive ones), then the rest is cut off.

import { assert } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import { constantInteger, illegalType } from '../function-errors.ts';
import { columnFromDoubles, columnFromPatterns, doubles, fitsDoubles } from '../number-lanes.ts';
import { isFloat, numericShape } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';

interface RoundingRule {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly ofFloats: (value: number) => number;
  /** What to add to an integer before it is cut to a multiple of the scale. */
  readonly bias: (isNegative: boolean, scale: bigint) => bigint;
}

function halfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  if (below === -1) return -0;
  return below % 2 === 0 ? below : below + 1;
}

function evaluate(rule: RoundingRule, call: FunctionCall): Column {
  const argument = call.arguments[0]!;
  const digits = call.arguments[1] === undefined ? 0 : digitsOf(rule.name, call);
  if (!isFloat(argument.type)) return roundIntegers(rule, call, digits);
  const scale = 10 ** Math.abs(digits);
  const values = doubles(argument, call.rows).map((value) => {
    if (digits === 0) return rule.ofFloats(value);
    if (!Number.isFinite(value)) return value;
    const scaled = digits > 0 ? value * scale : value / scale;
    if (Math.abs(scaled) >= 2 ** 53) return value;
    const rounded = rule.ofFloats(scaled);
    return digits > 0 ? rounded / scale : rounded * scale;
  });
  return columnFromDoubles(call.returns, values);
}

function digitsOf(name: string, call: FunctionCall): number {
  const { column, type } = call.arguments[1]!;
  return constantInteger(name, { type, constant: column }, 'digits');
}

function roundIntegers(rule: RoundingRule, call: FunctionCall, digits: number): Column {
  const argument = call.arguments[0]!;
  if (digits >= 0) return argument.column;
  if (digits < -19) return columnFromDoubles(call.returns, new Float64Array(call.rows));
  const scale = 10n ** BigInt(-digits);
  return fitsDoubles(argument.type)
    ? roundSmall(rule, call, Number(scale))
    : roundWide(rule, call, scale);
}

function roundSmall(rule: RoundingRule, call: FunctionCall, scale: number): Column {
  const { type } = call.arguments[0]!;
  const up = Number(rule.bias(false, BigInt(scale)));
  const down = Number(rule.bias(true, BigInt(scale)));
  const biased = doubles(call.arguments[0]!, call.rows).map((v) => v + (v < 0 ? down : up));
  const column = columnFromDoubles(type, biased.slice());
  const wrapped = doubles({ type, column, constant: false }, call.rows);
  const widens = rule.name === 'round' && (numericShape(type)?.bytes ?? 8) < 4;
  return columnFromDoubles(
    call.returns,
    biased.map((value, i) => {
      const held = widens && value >= 0 ? value : (wrapped[i] ?? 0);
      return Math.trunc(held / scale) * scale;
    }),
  );
}

function roundWide(rule: RoundingRule, call: FunctionCall, scale: bigint): Column {
  const { column } = call.arguments[0]!;
  assert(column.kind === 'wide', '64-bit integers are wide');
  const unsigned = column.values instanceof BigUint64Array;
  const rounded = BigInt64Array.from(column.values, (value) => {
    const sum = value + rule.bias(value < 0n, scale);
    const biased = unsigned ? BigInt.asUintN(64, sum) : BigInt.asIntN(64, sum);
    return BigInt.asIntN(64, (biased / scale) * scale);
  });
  return columnFromPatterns(call.returns, new Int32Array(rounded.buffer));
}

const rules: readonly RoundingRule[] = [
  {
    name: 'round',
    aliases: [],
    ofFloats: halfToEven,
    bias: (isNegative, scale) => (isNegative ? -scale / 2n : scale / 2n),
  },
  {
    name: 'floor',
    aliases: [],
    ofFloats: Math.floor,
    bias: (isNegative, scale) => (isNegative ? 1n - scale : 0n),
  },
  {
    name: 'ceil',
    aliases: ['ceiling'],
    ofFloats: Math.ceil,
    bias: (isNegative, scale) => (isNegative ? 0n : scale - 1n),
  },
  { name: 'trunc', aliases: ['truncate'], ofFloats: Math.trunc, bias: () => 0n },
];

export const roundingFunctions: readonly ScalarFunction[] = rules.map((rule) => ({
  name: rule.name,
  aliases: rule.aliases,
  caseInsensitive: true,
  arity: [1, 2],
  returnType: ([value, digits]) => {
    if (numericShape(value!.type) === undefined) throw illegalType(rule.name, value!.type);
    if (digits !== undefined) constantInteger(rule.name, digits, 'digits');
    return value!.type;
  },
  evaluate: (call) => evaluate(rule, call),
}));
