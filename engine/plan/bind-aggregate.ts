// Aggregates: those over plain values are the library's; those over sets make symbolic sets. The
// combinators -If, -State, -Merge, -MergeState chain as in ClickHouse.

import { MusterError } from '../../base/errors.ts';
import { formatType, isNullable, valueType } from '../../storage-format/data-type.ts';
import { aggregateFunctionNames } from '../library/registry.ts';
import type { Expression } from '../sql/ast.ts';
import { bindExpression } from './bind-expression.ts';
import {
  type AggregateCall,
  type AggregateExpression,
  type BoundExpression,
  contains,
  isSet,
} from './bound-expression.ts';
import { isCondition } from './condition.ts';
import { aggregateType, isPlainAggregate, makeCall } from './function-calls.ts';
import { constantOf } from './literal.ts';
import type { Binding } from './planning.ts';
import { askCard, idTypeOf, isIdType } from './set-functions.ts';

type CallSyntax = Extract<Expression, { kind: 'call' }>;

interface FoundAggregate {
  /** Without combinators. */
  readonly name: string;
  readonly conditional: boolean;
  readonly state: boolean;
  readonly merge: boolean;
}

const setAggregates: ReadonlySet<string> = new Set([
  'groupBitmap',
  'groupBitmapAnd',
  'groupBitmapOr',
  'groupBitmapXor',
]);

/** The aggregate that a call names, or undefined. */
export function findAggregate(call: CallSyntax): FoundAggregate | undefined {
  if (call.distinct !== true) return findNamed(call.name);
  const found = findNamed(call.name);
  if (found === undefined || !setAggregates.has(found.name)) {
    return findNamed(distinctName(call.name));
  }
  // A set holds an id once, and a set united or intersected with itself is itself.
  if (found.name !== 'groupBitmapXor') return found;
  throw new MusterError('NOT_IMPLEMENTED', `DISTINCT in ${call.name} is not supported`);
}

function findNamed(called: string): FoundAggregate | undefined {
  let name = called;
  const plain = { name, conditional: false, state: false, merge: false };
  if (isBase(name)) return plain;
  const conditional = name.endsWith('If');
  if (conditional) name = name.slice(0, -2);
  if (conditional && isBase(name)) return { ...plain, name, conditional };
  const state = name.endsWith('State');
  if (state) name = name.slice(0, -5);
  const merge = name.endsWith('Merge');
  if (merge) name = name.slice(0, -5);
  if (!(state || merge) || !isBase(name)) return undefined;
  return { name, conditional, state, merge };
}

export function aggregateNames(): readonly string[] {
  const suffixes = ['', 'State', 'Merge', 'MergeState', 'If'];
  const ours = [...setAggregates].flatMap((name) => suffixes.map((suffix) => name + suffix));
  return [...ours, ...aggregateFunctionNames()];
}

/** Throws 42, 43, 48 and 184 (an aggregate inside an aggregate). */
export function bindAggregate(
  call: CallSyntax,
  found: FoundAggregate,
  binding: Binding,
): BoundExpression {
  if (call.parameters !== undefined && call.parameters.length > 0) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Parameters of aggregate function ${call.name} are not supported`,
    );
  }
  binding.scope.sawAggregate = true;
  const operands = bindOperands(call, binding);
  let condition: BoundExpression | undefined;
  if (found.conditional) {
    const flag = operands.pop();
    if (flag === undefined || isSet(flag)) throw wrongCount(call.name, 'a condition at the end');
    if (!isCondition(flag)) {
      throw new MusterError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `Illegal type ${formatType(flag.type)} of last argument for aggregate function ${call.name}`,
      );
    }
    condition = makeCall('notEquals', [flag, constantOf({ kind: 'UInt8' }, 0)], binding.planning);
  }
  if (setAggregates.has(found.name)) return bindSetAggregate(call, found, { operands, condition });
  if (found.state || found.merge) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `States of aggregate function ${found.name} are not supported (${call.name})`,
    );
  }
  return bindPlain(found.name, { operands, condition });
}

function bindOperands(call: CallSyntax, binding: Binding): BoundExpression[] {
  const isCount = call.name.toLowerCase().startsWith('count');
  const stars = isCount && call.arguments.length === 1 && call.arguments[0]?.kind === 'star';
  const operands = stars ? [] : call.arguments.map((argument) => bindExpression(argument, binding));
  for (const operand of operands) {
    if (!contains(operand, (node) => node.kind === 'aggregate')) continue;
    throw new MusterError(
      'ILLEGAL_AGGREGATION',
      `Aggregate function is found inside another aggregate function ${call.name}`,
    );
  }
  return operands;
}

interface Bound {
  readonly operands: readonly BoundExpression[];
  readonly condition: BoundExpression | undefined;
}

function bindSetAggregate(
  call: CallSyntax,
  found: FoundAggregate,
  { operands, condition }: Bound,
): BoundExpression {
  const [operand] = operands;
  if (operands.length !== 1 || operand === undefined) throw wrongCount(call.name, 'one argument');
  const overSets = found.merge || found.name !== 'groupBitmap';
  if (overSets) idTypeOf(call.name, operand);
  const set = overSets
    ? foldOf(found.name, operand, condition)
    : internOf(call.name, operand, condition);
  return found.state ? set : askCard(set);
}

function foldOf(
  name: string,
  operand: BoundExpression,
  condition: BoundExpression | undefined,
): AggregateExpression {
  const how = name === 'groupBitmapAnd' ? 'and' : name === 'groupBitmapXor' ? 'xor' : 'or';
  return aggregateOf({ what: 'fold', how, arguments: [operand] }, operand.type, condition);
}

function internOf(
  name: string,
  operand: BoundExpression,
  condition: BoundExpression | undefined,
): AggregateExpression {
  const id = valueType(operand.type);
  if (!isIdType(id) && id.kind !== 'Nothing') {
    throw new MusterError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Illegal type ${formatType(operand.type)} of argument for aggregate function ${name}: ids are integers of 8 to 64 bits, or String`,
    );
  }
  const type = { kind: 'Bitmap', id } as const;
  return aggregateOf({ what: 'intern', arguments: [operand] }, type, condition);
}

function bindPlain(name: string, { operands, condition }: Bound): BoundExpression {
  const pick = pickOf(name, operands);
  if (pick !== undefined) return aggregateOf(pick, operands[0]!.type, condition);
  const counted = name.toLowerCase() === 'count';
  if (operands.some(isSet) && !counted) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Aggregate function ${name} over sets is not supported`,
    );
  }
  const plain = counted ? operands.filter((one) => isNullable(one.type)) : operands;
  const type = aggregateType(name, plain);
  return aggregateOf({ what: 'plain', name, arguments: plain }, type, condition);
}

/** any, anyLast, argMin and argMax choose one of the sets. */
function pickOf(name: string, operands: readonly BoundExpression[]): AggregateCall | undefined {
  const [first, second] = operands;
  if (first === undefined || !isSet(first)) return undefined;
  if (operands.length === 1 && (name === 'any' || name === 'anyLast')) {
    return { what: 'pick', how: name, arguments: operands };
  }
  const orders = name === 'argMin' || name === 'argMax';
  if (orders && operands.length === 2 && second !== undefined && !isSet(second)) {
    return { what: 'pick', how: name, arguments: operands };
  }
  return undefined;
}

function aggregateOf(
  call: AggregateCall,
  type: AggregateExpression['type'],
  condition: BoundExpression | undefined,
): AggregateExpression {
  return { kind: 'aggregate', type, call, ...(condition === undefined ? {} : { condition }) };
}

function distinctName(name: string): string {
  if (name.toLowerCase() === 'count') return 'uniqExact';
  return name.endsWith('If') ? `${name.slice(0, -2)}DistinctIf` : `${name}Distinct`;
}

function isBase(name: string): boolean {
  return setAggregates.has(name) || isPlainAggregate(name);
}

function wrongCount(name: string, expected: string): MusterError {
  return new MusterError(
    'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
    `Aggregate function ${name} takes ${expected}`,
  );
}
