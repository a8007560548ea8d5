// if and multiIf (CASE). A NULL condition counts as false. All branches are evaluated by the time
// these run; a caller that wants a branch evaluated only where it is chosen filters rows first.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import { type DataType, formatType } from '../../../storage-format/data-type.ts';
import { leastSupertype, stripNullable } from '../common-type.ts';
import type { ArgumentType, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { chooseRows } from './choose.ts';
import { truthOf } from './logic.ts';

function conditionCheck(name: string, type: DataType): void {
  const bare = stripNullable(type);
  if (bare.kind === 'UInt8' || bare.kind === 'Bool' || bare.kind === 'Nothing') return;
  throw new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal type ${formatType(type)} of first argument (condition) of function ${name}. ` +
      'Must be UInt8',
  );
}

function multiIfType(types: readonly ArgumentType[]): DataType {
  if (types.length < 3 || types.length % 2 === 0) {
    throw new MusterError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      'Invalid number of arguments for function multiIf',
    );
  }
  const branches: DataType[] = [];
  types.forEach(({ type }, i) => {
    if (i % 2 === 1 || i === types.length - 1) branches.push(type);
    else conditionCheck('multiIf', type);
  });
  return leastSupertype(branches);
}

/** Arguments: condition, value, condition, value, ..., value. */
function evaluate(call: FunctionCall): Column {
  const branchCount = (call.arguments.length + 1) / 2;
  const choice = new Int32Array(call.rows).fill(branchCount - 1);
  for (let branch = branchCount - 2; branch >= 0; branch--) {
    const condition = call.arguments[2 * branch]!;
    const truth = truthOf(condition);
    const step = condition.constant ? 0 : 1;
    for (let i = 0; i < call.rows; i++) if (truth[i * step] === 1) choice[i] = branch;
  }
  const branches = call.arguments.filter((_, i) => i % 2 === 1 || i === call.arguments.length - 1);
  return chooseRows(branches, { choice, type: call.returns, context: call.context });
}

export const conditionalFunctions: readonly ScalarFunction[] = [
  {
    name: 'if',
    caseInsensitive: true,
    arity: [3, 3],
    nulls: 'custom',
    returnType: ([condition, yes, no]) => {
      conditionCheck('if', condition!.type);
      return leastSupertype([yes!.type, no!.type]);
    },
    evaluate,
  },
  {
    name: 'multiIf',
    aliases: ['caseWithoutExpression'],
    arity: [0, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    returnType: multiIfType,
    evaluate,
  },
];
