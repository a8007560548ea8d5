// negate, abs, sign, and the floating-point functions of one or two numbers.

import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { illegalType } from '../function-errors.ts';
import {
  columnFromDoubles,
  columnFromPatterns,
  doubles,
  fitsDoubles,
  patterns,
} from '../number-lanes.ts';
import {
  float64,
  integerType,
  type NumericShape,
  negateType,
  numericShape,
  uint8,
} from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { subtractHalves } from './wide-arithmetic.ts';

function shapeOf(name: string, type: DataType): NumericShape {
  const shape = numericShape(type);
  if (shape === undefined) throw illegalType(name, type);
  return shape;
}

function negate(call: FunctionCall): Column {
  const [a] = call.arguments as readonly [Argument];
  if (fitsDoubles(a.type)) {
    return columnFromDoubles(
      call.returns,
      doubles(a, call.rows).map((value) => -value),
    );
  }
  const halves = patterns(a, call.rows);
  return columnFromPatterns(call.returns, subtractHalves(new Int32Array(halves.length), halves));
}

function absolute(call: FunctionCall): Column {
  const [a] = call.arguments as readonly [Argument];
  if (fitsDoubles(a.type)) {
    return columnFromDoubles(call.returns, doubles(a, call.rows).map(Math.abs));
  }
  const halves = patterns(a, call.rows).slice();
  if (a.type.kind === 'Int64') {
    const negated = subtractHalves(new Int32Array(halves.length), halves);
    for (let i = 0; i < halves.length; i += 2) {
      if ((halves[i + 1] ?? 0) >= 0) continue;
      halves[i] = negated[i] ?? 0;
      halves[i + 1] = negated[i + 1] ?? 0;
    }
  }
  return columnFromPatterns(call.returns, halves);
}

function absoluteType(type: DataType): DataType {
  const shape = shapeOf('abs', type);
  if (shape.float) return type;
  return integerType(shape.bytes, false);
}

/** A function from doubles to doubles, over any numbers. */
function floatFunction(
  name: string,
  compute: (value: number) => number,
  aliases: readonly string[] = [],
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => {
      shapeOf(name, a!.type);
      return float64;
    },
    evaluate: (call) => {
      const values = doubles(call.arguments[0]!, call.rows);
      return { kind: 'number', values: values.map((value) => compute(value)) };
    },
  };
}

function floatPredicate(name: string, test: (value: number) => boolean): ScalarFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([a]) => {
      shapeOf(name, a!.type);
      return uint8;
    },
    evaluate: (call) => {
      const values = doubles(call.arguments[0]!, call.rows);
      return { kind: 'number', values: Uint8Array.from(values, (value) => (test(value) ? 1 : 0)) };
    },
  };
}

function floatConstant(name: string, value: number, caseInsensitive: boolean): ScalarFunction {
  return {
    name,
    caseInsensitive,
    arity: [0, 0],
    returnType: () => float64,
    evaluate: () => ({ kind: 'number', values: Float64Array.of(value) }),
  };
}

const power: ScalarFunction = {
  name: 'pow',
  aliases: ['power'],
  caseInsensitive: true,
  arity: [2, 2],
  returnType: ([a, b]) => {
    shapeOf('pow', a!.type);
    shapeOf('pow', b!.type);
    return float64;
  },
  evaluate: (call) => {
    const x = doubles(call.arguments[0]!, call.rows);
    const y = doubles(call.arguments[1]!, call.rows);
    return { kind: 'number', values: x.map((value, i) => value ** (y[i] ?? 0)) };
  },
};

const numberFunctions: readonly ScalarFunction[] = [
  {
    name: 'negate',
    arity: [1, 1],
    returnType: ([a]) => negateType(shapeOf('negate', a!.type)),
    evaluate: negate,
  },
  {
    name: 'abs',
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => absoluteType(a!.type),
    evaluate: absolute,
  },
  {
    name: 'sign',
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => {
      shapeOf('sign', a!.type);
      return { kind: 'Int8' };
    },
    evaluate: (call) => {
      const values = doubles(call.arguments[0]!, call.rows);
      return {
        kind: 'number',
        values: Int8Array.from(values, (v) => (v > 0 ? 1 : v < 0 ? -1 : 0)),
      };
    },
  },
];

export const unaryMathFunctions: readonly ScalarFunction[] = [
  ...numberFunctions,
  floatFunction('sqrt', Math.sqrt),
  floatFunction('cbrt', Math.cbrt),
  floatFunction('exp', Math.exp),
  floatFunction('exp2', (value) => 2 ** value),
  floatFunction('exp10', (value) => 10 ** value),
  floatFunction('log', Math.log, ['ln']),
  floatFunction('log2', Math.log2),
  floatFunction('log10', Math.log10),
  floatFunction('log1p', Math.log1p),
  floatFunction('sin', Math.sin),
  floatFunction('cos', Math.cos),
  floatFunction('tan', Math.tan),
  floatFunction('asin', Math.asin),
  floatFunction('acos', Math.acos),
  floatFunction('atan', Math.atan),
  floatPredicate('isNaN', Number.isNaN),
  floatPredicate('isFinite', Number.isFinite),
  floatPredicate('isInfinite', (value) => value === Infinity || value === -Infinity),
  floatConstant('pi', Math.PI, true),
  floatConstant('e', Math.E, false),
  power,
];
