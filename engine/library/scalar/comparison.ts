// = != < <= > >= between comparable types: numbers with numbers, text with text, dates with dates and
// with date literals, enums with their names, arrays and tuples item by item.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import { type DataType, formatType, sameType } from '../../../storage-format/data-type.ts';
import { parseFloatText, parseIntegerText } from '../../values/number-text.ts';
import { castColumn } from '../cast.ts';
import { epochSeconds } from '../cast-dates.ts';
import { commonType } from '../common-type.ts';
import { isDateLike, isFloat, numericShape, storedShape, uint8 } from '../numeric-types.ts';
import type { Argument, ArgumentType, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { comparedToConstant } from './constant-comparison.ts';
import { equal, equalStrings, greater, less, orderRows, unordered } from './order-lanes.ts';

/** Which outcomes of an order make the operator true. */
const operators: Readonly<Record<string, readonly number[]>> = {
  equals: [equal],
  notEquals: [less, greater, unordered],
  less: [less],
  lessOrEquals: [less, equal],
  greater: [greater],
  greaterOrEquals: [greater, equal],
};

function checkTypes(name: string, a: ArgumentType, b: ArgumentType): void {
  if (comparable(a, b) || comparable(b, a)) return;
  throw new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal types of arguments (\`${formatType(a.type)}\`, \`${formatType(b.type)}\`) ` +
      `of function \`${name}\``,
  );
}

/** ClickHouse's answer may be NULL then. */
function refuseNullableFields(name: string, type: DataType): void {
  if (type.kind !== 'Tuple') return;
  for (const field of type.fields) {
    if (field.type.kind !== 'Nullable') {
      refuseNullableFields(name, field.type);
      continue;
    }
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Function ${name} of tuples with Nullable elements is not supported: compare the elements one by one`,
    );
  }
}

function comparable(a: ArgumentType, b: ArgumentType): boolean {
  const x = a.type;
  const y = b.type;
  if (sameType(x, y) || (isNumberLike(x) && isNumberLike(y))) return true;
  if (isDateLike(x) && isDateLike(y)) return true;
  if (x.kind === 'String') return y.kind === 'Enum8' || (a.constant !== undefined && isPlain(y));
  if (x.kind === 'Array' || x.kind === 'Tuple') return commonType([x, y]) !== undefined;
  return false;
}

function isNumberLike(type: DataType): boolean {
  return storedShape(type) !== undefined && type.kind !== 'Date' && type.kind !== 'DateTime64';
}

function isPlain(type: DataType): boolean {
  return storedShape(type) !== undefined || type.kind === 'UUID';
}

function evaluate(name: string, call: FunctionCall): Column {
  const outcomes = operators[name] ?? [];
  const [a, b] = comparands(call);
  if (a.column.kind === 'string' && (name === 'equals' || name === 'notEquals')) {
    const flags = equalStrings(a, b, call.rows);
    if (name === 'notEquals') for (let i = 0; i < flags.length; i++) flags[i] = 1 - (flags[i] ?? 0);
    return { kind: 'number', values: flags };
  }
  const truth = Uint8Array.from([less, equal, greater, unordered], (o) =>
    outcomes.includes(o) ? 1 : 0,
  );
  const compared = comparedToConstant(a, b, {
    less: truth[less]!,
    equal: truth[equal]!,
    greater: truth[greater]!,
    unordered: truth[unordered]!,
  });
  if (compared !== undefined) return { kind: 'number', values: compared };
  const order = orderRows(a, b, call.rows);
  for (let i = 0; i < order.length; i++) order[i] = truth[order[i] ?? 0] ?? 0;
  return { kind: 'number', values: order };
}

/** Both sides as values that `orderRows` takes. */
function comparands(call: FunctionCall): readonly [Argument, Argument] {
  const [a, b] = call.arguments as readonly [Argument, Argument];
  if (sameType(a.type, b.type)) return [a, b];
  if (a.type.kind === 'String' && b.type.kind !== 'String') {
    const [y, x] = againstText(b, a, call);
    return [x, y];
  }
  if (b.type.kind === 'String') return againstText(a, b, call);
  if (isDateLike(a.type) || isDateLike(b.type)) return asDates(a, b, call);
  if (a.type.kind === 'Array' || a.type.kind === 'Tuple') return asCommon(a, b, call);
  return [a, b];
}

/** A value beside a text: enums by name, numbers and dates by what the text means. */
function againstText(
  a: Argument,
  text: Argument,
  call: FunctionCall,
): readonly [Argument, Argument] {
  if (a.type.kind === 'Enum8') return [castArgument(a, text.type, call), text];
  const shape = numericShape(a.type);
  if (shape !== undefined && a.type.kind !== 'Bool') return [a, numberOfText(a.type, text)];
  if (a.type.kind === 'Date') requireDateOnly(text);
  return [a, castArgument(text, a.type, call)];
}

/** A number literal in quotes keeps its exact value, also beyond the other side's type. */
function numberOfText(type: DataType, text: Argument): Argument {
  const literal = text.column.kind === 'string' ? (text.column.values[0] ?? '') : '';
  try {
    if (isFloat(type)) {
      const values = Float64Array.of(parseFloatText(literal, type.kind));
      return { type: { kind: 'Float64' }, column: { kind: 'number', values }, constant: true };
    }
    const value = parseIntegerText(literal, type.kind);
    const wide = value < 0n ? BigInt64Array.of(value) : BigUint64Array.of(value);
    const kind = value < 0n ? 'Int64' : 'UInt64';
    return { type: { kind }, column: { kind: 'wide', values: wide }, constant: true };
  } catch {
    throw mismatch(literal, type);
  }
}

function requireDateOnly(text: Argument): void {
  const literal = text.column.kind === 'string' ? (text.column.values[0] ?? '') : '';
  if (/^\d{4}-\d\d-\d\d[ T]/.test(literal)) throw mismatch(literal, { kind: 'Date' });
}

function mismatch(literal: string, type: DataType): MusterError {
  return new MusterError(
    'TYPE_MISMATCH',
    `Cannot convert string '${literal}' to type ${formatType(type)}`,
  );
}

/** Two dates, or a DateTime beside a number of seconds. */
function asDates(a: Argument, b: Argument, call: FunctionCall): readonly [Argument, Argument] {
  if (!isDateLike(a.type) || !isDateLike(b.type)) return [a, b];
  if (a.type.kind === 'DateTime' && b.type.kind === 'DateTime') return [a, b];
  if (a.type.kind === 'DateTime64' || b.type.kind === 'DateTime64') return asCommon(a, b, call);
  const to = commonType([a.type, b.type]) ?? a.type;
  return [asSeconds(a, to, call), asSeconds(b, to, call)];
}

/** Not as a DateTime: a Date may lie beyond its range. */
function asSeconds(argument: Argument, to: DataType, call: FunctionCall): Argument {
  const values = epochSeconds(argument.column, argument.type, { to, context: call.context });
  const column: Column = { kind: 'number', values };
  return { type: { kind: 'Float64' }, column, constant: argument.constant };
}

function asCommon(a: Argument, b: Argument, call: FunctionCall): readonly [Argument, Argument] {
  const common = commonType([a.type, b.type]) ?? a.type;
  return [castArgument(a, common, call), castArgument(b, common, call)];
}

function castArgument(argument: Argument, to: DataType, call: FunctionCall): Argument {
  const column = castColumn(argument.column, argument.type, { to, context: call.context });
  return { type: to, column, constant: argument.constant };
}

export const comparisonFunctions: readonly ScalarFunction[] = Object.keys(operators).map(
  (name) => ({
    name,
    arity: [2, 2],
    returnType: ([a, b]) => {
      checkTypes(name, a!, b!);
      refuseNullableFields(name, a!.type);
      refuseNullableFields(name, b!.type);
      return uint8;
    },
    evaluate: (call) => evaluate(name, call),
  }),
);
