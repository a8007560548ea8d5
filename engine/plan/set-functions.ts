// The bitmap functions of ClickHouse as set operators, questions to the workers, and small functions
// of the answers. Nothing here evaluates a set.

import { MusterError } from '../../base/errors.ts';
import {
  type DataType,
  formatType,
  isNullable,
  sameType,
  valueType,
} from '../../storage-format/data-type.ts';
import { domainOfIds } from '../../storage-format/key-list.ts';
import { uint8, uint64 } from '../library/numeric-types.ts';
import type { AskExpression, BoundExpression, SetOperator } from './bound-expression.ts';
import { makeCall, makeCast } from './function-calls.ts';
import { constantOf, nullType } from './literal.ts';
import type { Planning } from './planning.ts';

interface SetFunction {
  readonly arity: number;
  bind(operands: readonly BoundExpression[], call: SetCall): BoundExpression;
}

interface SetCall {
  readonly name: string;
  readonly planning: Planning;
}

export function isSetFunction(name: string): boolean {
  return functions.has(name);
}

export function setFunctionNames(): Iterable<string> {
  return functions.keys();
}

/** Throws 42 and 43. */
export function bindSetFunction(
  name: string,
  operands: readonly BoundExpression[],
  planning: Planning,
): BoundExpression {
  const found = functions.get(name)!;
  if (operands.length !== found.arity) {
    throw new MusterError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `Number of arguments for function ${name} doesn't match: passed ${operands.length}, should be ${found.arity}`,
    );
  }
  return found.bind(operands, { name, planning });
}

/** `if` and `multiIf` over sets: condition, set, condition, set, ..., set. */
export function bindChoice(
  operands: readonly BoundExpression[],
  planning: Planning,
): BoundExpression {
  if (operands.length < 3 || operands.length % 2 === 0) {
    throw new MusterError('NUMBER_OF_ARGUMENTS_DOESNT_MATCH', 'if takes a condition and two sets');
  }
  const condition = operands[0]!;
  const whenTrue = operands[1]!;
  const otherwise = operands.length === 3 ? operands[2]! : bindChoice(operands.slice(2), planning);
  const type = sameSetType('if', whenTrue, otherwise);
  const flag = makeCall('notEquals', [condition, constantOf(uint8, 0)], planning);
  return { kind: 'set', type, op: 'choose', arguments: [flag, whenTrue, otherwise] };
}

function askOf(
  ask: AskExpression['ask'],
  type: DataType,
  operands: readonly BoundExpression[],
): AskExpression {
  return { kind: 'ask', type, ask, arguments: operands };
}

export function askCard(set: BoundExpression): AskExpression {
  return askOf('card', uint64, [set]);
}

/** The id type of a set; throws 43 when the expression is not a set. */
export function idTypeOf(name: string, set: BoundExpression | undefined): DataType {
  if (set?.type.kind === 'Bitmap') return set.type.id;
  throw new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Argument of function ${name} must be a set (AggregateFunction(groupBitmap, ...)), not ${set === undefined ? 'nothing' : formatType(set.type)}`,
  );
}

function sameSetType(name: string, a: BoundExpression, b: BoundExpression): DataType {
  const left = idTypeOf(name, a);
  const right = idTypeOf(name, b);
  if (sameType(left, right)) return a.type;
  throw new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `The nested type in bitmaps must be the same, but one is ${formatType(left)}, and the other is ${formatType(right)} (function ${name})`,
  );
}

function pair(op: 'and' | 'or' | 'xor' | 'andnot'): SetFunction {
  return { arity: 2, bind: ([a, b], { name }) => pairOf(name, op, [a!, b!]) };
}

function pairCardinality(op: 'and' | 'or' | 'xor' | 'andnot'): SetFunction {
  return { arity: 2, bind: ([a, b], { name }) => askCard(pairOf(name, op, [a!, b!])) };
}

function pairOf(
  name: string,
  op: SetOperator,
  [a, b]: readonly [BoundExpression, BoundExpression],
): BoundExpression {
  return { kind: 'set', type: sameSetType(name, a, b), op, arguments: [a, b] };
}

function setOf(id: DataType, op: 'literal' | 'single', value: BoundExpression): BoundExpression {
  return { kind: 'set', type: { kind: 'Bitmap', id }, op, arguments: [value] };
}

function bindBuild(operands: readonly BoundExpression[], { name }: SetCall): BoundExpression {
  const array = operands[0]!;
  const item = array.type.kind === 'Array' ? array.type.item : undefined;
  if (item?.kind === 'Nothing') return setOf(uint8, 'literal', array);
  if (item === undefined || !isIdType(item)) {
    throw illegalArgument(name, array, 'an array of integers');
  }
  return setOf(item, 'literal', array);
}

/** Ids in ascending order. A literal set made of an answer is that answer. */
function bindToArray([set]: readonly BoundExpression[], { name, planning }: SetCall) {
  const id = idTypeOf(name, set);
  const array: DataType = { kind: 'Array', item: id };
  if (set?.kind !== 'set' || set.op !== 'literal') return askOf('ids', array, [set!]);
  const values = set.arguments[0]!;
  return isAscending(values) ? values : makeCall('_ascendingIds', [values], planning);
}

function isAscending(values: BoundExpression): boolean {
  if (values.kind === 'ask') return values.ask === 'ids' || values.ask === 'least';
  return (
    values.kind === 'call' && values.name === 'arraySlice' && isAscending(values.arguments[0]!)
  );
}

function bindContains(
  [set, value]: readonly BoundExpression[],
  { name, planning }: SetCall,
): BoundExpression {
  const id = idTypeOf(name, set);
  const plain = valueType(value!.type);
  if (!isIdType(plain) || domainOfIds(id) !== domainOfIds(plain)) {
    const expected = { integer: 'an integer', string: 'a String', uuid: 'a UUID' };
    throw illegalArgument(name, value!, expected[domainOfIds(id)]);
  }
  const found = askOf('any', uint8, [pairOf(name, 'and', [set!, setOf(id, 'single', value!)])]);
  if (!isNullable(value!.type)) return found;
  const isNull = makeCall('isNull', [value!], planning);
  return makeCall('if', [isNull, constantOf(nullType, null), found], planning);
}

function bindHasAll([a, b]: readonly BoundExpression[], { name, planning }: SetCall) {
  return makeCall('not', [askOf('any', uint8, [pairOf(name, 'andnot', [b!, a!])])], planning);
}

function extreme(ask: 'least' | 'greatest'): SetFunction {
  return {
    arity: 1,
    bind: ([set], { name, planning }) => {
      const id = idTypeOf(name, set);
      if (domainOfIds(id) !== 'integer') throw illegalArgument(name, set!, 'a set of integers');
      const operands = [set!, constantOf(uint64, 1n)];
      if (ask === 'least') operands.push(constantOf(uint64, 0n));
      const whenEmpty = ask === 'greatest' ? 0n : emptyMinimum(id);
      const ids = askOf(ask, { kind: 'Array', item: id }, operands);
      return makeCall('_firstId', [ids, constantOf(uint64, whenEmpty)], planning);
    },
  };
}

/** What bitmapMin gives for the empty set. */
function emptyMinimum(id: DataType): bigint {
  return id.kind.endsWith('64') ? 0xffff_ffff_ffff_ffffn : 0xffff_ffffn;
}

function bindRange(operands: readonly BoundExpression[], { name, planning }: SetCall) {
  const id = idTypeOf(name, operands[0]);
  if (domainOfIds(id) !== 'integer') {
    throw illegalArgument(name, operands[0]!, 'a set of integers');
  }
  const [from, to] = operands.slice(1).map((bound) => unsignedArgument(name, bound, planning));
  const type = operands[0]!.type;
  return { kind: 'set', type, op: 'range', arguments: [operands[0]!, from!, to!] } as const;
}

function bindSubsetLimit([set, from, limit]: readonly BoundExpression[], call: SetCall) {
  const id = idTypeOf(call.name, set);
  const start = unsignedArgument(call.name, from!, call.planning);
  const count = unsignedArgument(call.name, limit!, call.planning);
  return setOf(id, 'literal', askOf('least', { kind: 'Array', item: id }, [set!, count, start]));
}

/** By rank: the least offset + limit ids, without the first `offset`. */
function bindSubBitmap([set, offset, limit]: readonly BoundExpression[], call: SetCall) {
  const { name, planning } = call;
  const id = idTypeOf(name, set);
  const skip = unsignedArgument(name, offset!, planning);
  const count = unsignedArgument(name, limit!, planning);
  const both = makeCall('_addCounts', [skip, count], planning);
  const type: DataType = { kind: 'Array', item: id };
  const ids = askOf('least', type, [set!, both, constantOf(uint64, 0n)]);
  const first = makeCall('_addCounts', [skip, constantOf(uint64, 1n)], planning);
  return setOf(id, 'literal', makeCall('arraySlice', [ids, first, count], planning));
}

/** The members among `from` decide, replayed at the root in order, what leaves and what comes. */
function bindTransform([set, from, to]: readonly BoundExpression[], { name, planning }: SetCall) {
  const id = idTypeOf(name, set);
  const array: DataType = { kind: 'Array', item: id };
  for (const list of [from!, to!]) {
    const item = list.type.kind === 'Array' ? list.type.item : undefined;
    if (item === undefined || !(isIdType(item) || item.kind === 'Nothing')) {
      throw illegalArgument(name, list, 'an array of ids');
    }
  }
  const fromIds = makeCast(from!, array, planning);
  const toIds = makeCast(to!, array, planning);
  const listed = pairOf(name, 'and', [set!, setOf(id, 'literal', fromIds)]);
  const members = askOf('ids', array, [listed]);
  const removed = makeCall('_transformRemoved', [members, fromIds, toIds], planning);
  const added = makeCall('_transformAdded', [members, fromIds, toIds], planning);
  const kept = pairOf(name, 'andnot', [set!, setOf(id, 'literal', removed)]);
  return pairOf(name, 'or', [kept, setOf(id, 'literal', added)]);
}

function unsignedArgument(
  name: string,
  value: BoundExpression,
  planning: Planning,
): BoundExpression {
  if (valueType(value.type).kind.startsWith('UInt')) return makeCast(value, uint64, planning);
  throw illegalArgument(name, value, 'an unsigned integer');
}

export function isIdType(type: DataType): boolean {
  return /^U?Int(8|16|32|64)$/.test(type.kind) || type.kind === 'String' || type.kind === 'UUID';
}

function illegalArgument(name: string, value: BoundExpression, expected: string): MusterError {
  return new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal type ${formatType(value.type)} of argument of function ${name}: expected ${expected}`,
  );
}

const functions: ReadonlyMap<string, SetFunction> = new Map<string, SetFunction>([
  ['bitmapBuild', { arity: 1, bind: bindBuild }],
  ['bitmapToArray', { arity: 1, bind: bindToArray }],
  ['bitmapAnd', pair('and')],
  ['bitmapOr', pair('or')],
  ['bitmapXor', pair('xor')],
  ['bitmapAndnot', pair('andnot')],
  ['bitmapAndCardinality', pairCardinality('and')],
  ['bitmapOrCardinality', pairCardinality('or')],
  ['bitmapXorCardinality', pairCardinality('xor')],
  ['bitmapAndnotCardinality', pairCardinality('andnot')],
  [
    'bitmapCardinality',
    {
      arity: 1,
      bind: ([set], { name }) => {
        idTypeOf(name, set);
        return askCard(set!);
      },
    },
  ],
  ['bitmapContains', { arity: 2, bind: bindContains }],
  [
    'bitmapHasAny',
    { arity: 2, bind: ([a, b], { name }) => askOf('any', uint8, [pairOf(name, 'and', [a!, b!])]) },
  ],
  ['bitmapHasAll', { arity: 2, bind: bindHasAll }],
  ['bitmapMin', extreme('least')],
  ['bitmapMax', extreme('greatest')],
  ['bitmapSubsetInRange', { arity: 3, bind: bindRange }],
  ['bitmapSubsetLimit', { arity: 3, bind: bindSubsetLimit }],
  ['subBitmap', { arity: 3, bind: bindSubBitmap }],
  ['bitmapTransform', { arity: 3, bind: bindTransform }],
]);
