// Calls: what a name stands for. Set functions and aggregates are the planner's (set-functions.ts,
// bind-aggregate.ts), arrayJoin is a plan node, everything else is the function library's.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { formatType } from '../../storage-format/data-type.ts';
import { scalarFunctionNames } from '../library/registry.ts';
import type { Expression } from '../sql/ast.ts';
import { aggregateNames, bindAggregate, findAggregate } from './bind-aggregate.ts';
import { bindExpression, typeFromText } from './bind-expression.ts';
import { askState, type BoundExpression, contains, isSet } from './bound-expression.ts';
import { counterpartOf } from './foreign-names.ts';
import { isScalarFunction, makeCall, makeCast } from './function-calls.ts';
import { constantOf, constantValue, integerConstant } from './literal.ts';
import type { Binding } from './planning.ts';
import { bindChoice, bindSetFunction, isSetFunction, setFunctionNames } from './set-functions.ts';

type CallSyntax = Extract<Expression, { kind: 'call' }>;

/** Throws UNKNOWN_FUNCTION (46), and what the function says of its arguments. */
export function bindCall(call: CallSyntax, binding: Binding): BoundExpression {
  if (call.over === true) {
    throw new MusterError('NOT_IMPLEMENTED', `Window functions are not supported: ${call.name}`);
  }
  const negative = negatedLiteral(call);
  if (negative !== undefined) return negative;
  if (call.arguments.some((argument) => argument.kind === 'lambda')) {
    throw new MusterError('NOT_IMPLEMENTED', `Lambda functions are not supported: ${call.name}`);
  }
  if (call.name === 'caseWithExpression') return bindExpression(asMultiIf(call), binding);
  const aggregate = findAggregate(call);
  if (aggregate !== undefined) return bindAggregate(call, aggregate, binding);
  if (!isKnown(call.name)) throw unknownFunction(call.name);
  const operands = call.arguments.map((argument) => bindExpression(argument, binding));
  return bindKnown(call.name, operands, binding);
}

function bindKnown(
  name: string,
  operands: readonly BoundExpression[],
  binding: Binding,
): BoundExpression {
  if (name === 'arrayJoin') return bindArrayJoin(operands);
  if (isSetFunction(name)) return bindSetFunction(name, operands, binding.planning);
  const lower = name.toLowerCase();
  if ((lower === 'if' || lower === 'multiif') && operands.some(isSet)) {
    return bindChoice(operands, binding.planning);
  }
  if (name === 'toTypeName' && operands.length === 1) {
    return constantOf({ kind: 'String' }, formatType(operands[0]!.type));
  }
  if (lower === 'cast' && operands.length === 2) return bindCast(operands, binding);
  return makeCall(name, withoutSets(name, operands), binding.planning);
}

function isKnown(name: string): boolean {
  const special = name === 'arrayJoin' || name.toLowerCase() === 'cast';
  return special || isSetFunction(name) || isScalarFunction(name);
}

/** CASE x WHEN a THEN b ... ELSE c: as multiIf(x = a, b, ..., c), but that NULL equals NULL. */
function asMultiIf(call: CallSyntax): Expression {
  const { at } = call;
  const [value, ...rest] = call.arguments as [Expression, ...Expression[]];
  const operands = rest.flatMap((operand, i): readonly Expression[] => {
    if (i % 2 === 1 || i === rest.length - 1) return [operand];
    return [sameValue(value, operand)];
  });
  return { kind: 'call', at, name: 'multiIf', arguments: operands };
}

function sameValue(value: Expression, operand: Expression): Expression {
  const of = (name: string, ...operands: readonly Expression[]): Expression => {
    return { kind: 'call', at: operand.at, name, arguments: operands };
  };
  if (isNullLiteral(operand)) return of('isNull', value);
  if (isNullLiteral(value)) return of('isNull', operand);
  const equal = of('equals', value, operand);
  if (operand.kind === 'literal') return equal;
  return of('or', equal, of('and', of('isNull', value), of('isNull', operand)));
}

function isNullLiteral({ kind, ...rest }: Expression): boolean {
  return kind === 'literal' && 'literal' in rest && rest.literal.kind === 'null';
}

/** `-5` is one literal, so that its type is the narrowest that holds it. */
function negatedLiteral(call: CallSyntax): BoundExpression | undefined {
  const operand = call.arguments[0];
  if (call.name !== 'negate' || operand?.kind !== 'literal') return undefined;
  if (operand.literal.kind !== 'integer' || operand.literal.value < 0n) return undefined;
  return integerConstant(-operand.literal.value);
}

function bindArrayJoin(operands: readonly BoundExpression[]): BoundExpression {
  const value = operands[0];
  if (operands.length !== 1 || value === undefined) {
    throw new MusterError('NUMBER_OF_ARGUMENTS_DOESNT_MATCH', 'arrayJoin takes one argument');
  }
  if (value.type.kind !== 'Array') {
    throw new MusterError(
      'TYPE_MISMATCH',
      `Argument for function arrayJoin must be Array, not ${formatType(value.type)}`,
    );
  }
  if (contains(value, (node) => node.kind === 'array-join')) {
    throw new MusterError('NOT_IMPLEMENTED', 'arrayJoin inside arrayJoin is not supported');
  }
  return { kind: 'array-join', type: value.type.item, value };
}

function bindCast(operands: readonly BoundExpression[], binding: Binding): BoundExpression {
  const [value, type] = operands as [BoundExpression, BoundExpression];
  if (type.kind !== 'constant' || type.type.kind !== 'String') {
    throw new MusterError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      'CAST takes the name of a type as a constant',
    );
  }
  return makeCast(value, typeFromText(String(constantValue(type))), binding.planning);
}

/** Functions over the bytes of a set's state (hex, length, base64Encode, toString). */
const stateFunctions: ReadonlySet<string> = new Set([
  'hex',
  'length',
  'base64Encode',
  'toString',
  'cityHash64',
  'sipHash64',
  'ignore',
]);

function withoutSets(
  name: string,
  operands: readonly BoundExpression[],
): readonly BoundExpression[] {
  if (!operands.some(isSet)) return operands;
  if (!stateFunctions.has(name)) {
    const types = operands.map((operand) => formatType(operand.type)).join(', ');
    throw new MusterError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Function ${name} does not take sets: its arguments are (${types})`,
    );
  }
  return operands.map((operand) => (isSet(operand) ? askState(operand) : operand));
}

function unknownFunction(name: string): MusterError {
  const counterpart = counterpartOf(name);
  const known = [...scalarFunctionNames(), ...setFunctionNames(), ...aggregateNames()];
  const hint =
    counterpart === undefined ? suggestion(name, known) : `. Maybe you meant: ['${counterpart}']`;
  return new MusterError('UNKNOWN_FUNCTION', `Unknown function ${name}${hint}`);
}
