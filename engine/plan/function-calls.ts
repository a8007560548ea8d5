// The planner's door to the function library: typed calls and casts as bound expressions, constants
// folded as they are made. A NULL argument, LowCardinality and constants are the library's business.

import { MusterError } from '../../base/errors.ts';
import { type DataType, formatType, sameType, valueType } from '../../storage-format/data-type.ts';
import type { Aggregation } from '../library/aggregate-function.ts';
import {
  applyFunction,
  type ResolvedFunction,
  resolveFunction,
} from '../library/apply-function.ts';
import { canCast, castColumn } from '../library/cast.ts';
import {
  createAggregation,
  findAggregate,
  findScalarFunction,
  resolveAggregate,
} from '../library/registry.ts';
import type { ArgumentType, FunctionContext, ScalarFunction } from '../library/scalar-function.ts';
import type { AggregateExpression, BoundExpression } from './bound-expression.ts';
import { internalFunctions } from './internal-functions.ts';
import type { Planning } from './planning.ts';

const internal = new Map(internalFunctions.map((one) => [one.name, one]));

export function isScalarFunction(name: string): boolean {
  return findScalarFunction(name) !== undefined;
}

/** Its value changes from row to row, or from call to call, with equal arguments. */
export function isVolatile(name: string): boolean {
  return (internal.get(name) ?? findScalarFunction(name))?.volatile === true;
}

/** A typed call, folded where all arguments are constants. Throws 42, 43 and their like. */
export function makeCall(
  name: string,
  operands: readonly BoundExpression[],
  planning: Planning,
): BoundExpression {
  try {
    return typedCall(name, operands, planning);
  } catch (error) {
    const signed = operands.map((operand) => asSigned(operand, planning));
    const isSame = signed.every((operand, i) => operand === operands[i]);
    if (isSame || !(error instanceof MusterError) || error.errorName !== 'NO_COMMON_TYPE') {
      throw error;
    }
    return typedCall(name, signed, planning);
  }
}

/** Beside signed numbers, a constant UInt64 that fits an Int64 is one: `[-1, 5000000000]`. */
function asSigned(operand: BoundExpression, planning: Planning): BoundExpression {
  if (operand.kind !== 'constant' || operand.type.kind !== 'UInt64') return operand;
  const value = operand.value.kind === 'wide' ? operand.value.values[0] : undefined;
  const fits = value !== undefined && value <= 0x7fff_ffff_ffff_ffffn;
  return fits ? makeCast(operand, { kind: 'Int64' }, planning) : operand;
}

/** As `makeCall`, with the arguments as they are. */
export function typedCall(
  name: string,
  operands: readonly BoundExpression[],
  planning: Pick<Planning, 'functions'>,
): BoundExpression {
  const context = planning.functions;
  const resolved = resolve(name, operands, context);
  const call: CallExpression = { kind: 'call', type: resolved.type, name, arguments: operands };
  if (resolved.function.volatile === true || !operands.every(isConstant)) {
    resolvedCalls.set(call, resolved);
    return call;
  }
  const constants = operands.map((operand) => ({
    type: operand.type,
    column: operand.value,
    constant: true,
  }));
  const { column, type } = applyFunction(resolved, { arguments: constants, rows: 1, context });
  return { kind: 'constant', type, value: column };
}

type CallExpression = Extract<BoundExpression, { kind: 'call' }>;

/** What a call resolved to, kept beside the plan, which stays data. */
const resolvedCalls = new WeakMap<CallExpression, ResolvedFunction>();

export function resolvedCall(call: CallExpression, context: FunctionContext): ResolvedFunction {
  const known = resolvedCalls.get(call);
  if (known !== undefined) return known;
  const resolved = resolve(call.name, call.arguments, context);
  resolvedCalls.set(call, resolved);
  return resolved;
}

/** Throws CANNOT_CONVERT_TYPE (70) where there is no such cast. */
export function makeCast(
  value: BoundExpression,
  type: DataType,
  planning: Planning,
): BoundExpression {
  if (sameType(value.type, type)) return value;
  if (value.type.kind === 'Bitmap' || type.kind === 'Bitmap') return castSet(value, type, planning);
  if (!canCast(value.type, type)) {
    throw new MusterError(
      'CANNOT_CONVERT_TYPE',
      `Cannot convert ${formatType(value.type)} to ${formatType(type)}`,
    );
  }
  if (value.kind !== 'constant') return { kind: 'cast', type, value };
  const context = planning.functions;
  const column = castColumn(value.value, value.type, { to: type, context });
  return { kind: 'constant', type, value: column };
}

/** Combinators that the library takes as part of a name; -If is the planner's own. */
const libraryCombinators: ReadonlySet<string> = new Set(['Distinct', 'OrNull', 'OrDefault']);

export function isPlainAggregate(name: string): boolean {
  const found = findAggregate(name);
  return found?.combinators.every((one) => libraryCombinators.has(one)) === true;
}

export function aggregateType(name: string, operands: readonly BoundExpression[]): DataType {
  return resolveAggregate(
    name,
    operands.map((operand) => operand.type),
  );
}

export function createPlainAggregation(aggregate: AggregateExpression): Aggregation {
  const { call } = aggregate;
  if (call.what !== 'plain')
    throw new MusterError('LOGICAL_ERROR', `${call.what} is no plain aggregate`);
  return createAggregation(
    call.name,
    call.arguments.map((operand) => operand.type),
  );
}

/** A set as text is the bytes of its state, and text that is one is a set. */
function castSet(value: BoundExpression, type: DataType, planning: Planning): BoundExpression {
  if (value.type.kind === 'Bitmap' && type.kind === 'String') {
    const bytes: BoundExpression = { kind: 'ask', type, ask: 'state', arguments: [value] };
    return makeCast(bytes, type, planning);
  }
  if (valueType(value.type).kind === 'String' && type.kind === 'Bitmap') {
    return { kind: 'set', type, op: 'state', arguments: [value] };
  }
  throw new MusterError(
    'CANNOT_CONVERT_TYPE',
    `Cannot convert ${formatType(value.type)} to ${formatType(type)}`,
  );
}

function resolve(
  name: string,
  operands: readonly BoundExpression[],
  context: FunctionContext,
): ResolvedFunction {
  const scalar = functionNamed(name);
  const types = operands.map(
    (operand): ArgumentType =>
      operand.kind === 'constant'
        ? { type: operand.type, constant: operand.value }
        : { type: operand.type },
  );
  return resolveFunction(scalar, types, context);
}

function functionNamed(name: string): ScalarFunction {
  const found = internal.get(name) ?? findScalarFunction(name);
  if (found !== undefined) return found;
  throw new MusterError('UNKNOWN_FUNCTION', `Unknown function ${name}`);
}

function isConstant(
  operand: BoundExpression,
): operand is Extract<BoundExpression, { kind: 'constant' }> {
  return operand.kind === 'constant';
}
