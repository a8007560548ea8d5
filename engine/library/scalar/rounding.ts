// round, floor, ceil, trunc with an optional number of digits. Floats round half to even, integers
// half away from zero, as ClickHouse does.

import { assert } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import { constantInteger, illegalType } from '../function-errors.ts';
import { columnFromDoubles, columnFromPatterns, doubles, fitsDoubles } from '../number-lanes.ts';
import { isFloat, numericShape } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';

type Rounder = (value: number) => number;

function halfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

function halfAwayFromZero(value: number): number {
  return value < 0 ? -Math.floor(-value + 0.5) : Math.floor(value + 0.5);
}

interface RoundingRule {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly ofFloats: Rounder;
  readonly ofIntegers: Rounder;
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
  if (digits >= 0) {
    return argument.column;
  }
  if (fitsDoubles(argument.type)) {
    const scale = 10 ** -digits;
    const values = doubles(argument, call.rows).map((v) => rule.ofIntegers(v / scale) * scale);
    return columnFromDoubles(call.returns, values);
  }
  const { column } = argument;
  assert(column.kind === 'wide', '64-bit integers are wide');
  const scale = 10n ** BigInt(-digits);
  const rounded = BigInt64Array.from(column.values, (value) =>
    BigInt.asIntN(64, roundBig(rule, value, scale)),
  );
  return columnFromPatterns(call.returns, new Int32Array(rounded.buffer));
}

function roundBig(rule: RoundingRule, value: bigint, scale: bigint): bigint {
  const down = ((value % scale) + scale) % scale;
  const below = value - down;
  const ratio = Number(down) / Number(scale);
  const sign = value < 0n ? -1 : 1;
  const steps = rule.ofIntegers(sign < 0 ? ratio - 1 : ratio) - (sign < 0 ? -1 : 0);
  return below + (steps >= 1 ? scale : 0n);
}

const rules: readonly RoundingRule[] = [
  { name: 'round', aliases: [], ofFloats: halfToEven, ofIntegers: halfAwayFromZero },
  { name: 'roundBankers', aliases: [], ofFloats: halfToEven, ofIntegers: halfToEven },
  { name: 'floor', aliases: [], ofFloats: Math.floor, ofIntegers: Math.floor },
  { name: 'ceil', aliases: ['ceiling'], ofFloats: Math.ceil, ofIntegers: Math.ceil },
  { name: 'trunc', aliases: ['truncate'], ofFloats: Math.trunc, ofIntegers: Math.trunc },
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
