// The complaints that scalar and aggregate functions share, in ClickHouse's words.

import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import type { ArgumentType } from './scalar-function.ts';

export function illegalType(functionName: string, type: DataType, expected = ''): MusterError {
  return new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal type ${formatType(type)} of argument of function ${functionName}${expected}`,
  );
}

export function illegalTypes(functionName: string, types: readonly DataType[]): MusterError {
  const names = types.map(formatType).join(', ');
  return new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal types ${names} of arguments of function ${functionName}`,
  );
}

/** The arity complaint that ClickHouse makes for `passed` arguments; undefined if they fit. */
export function arityError(
  functionName: string,
  passed: number,
  arity: readonly [least: number, most: number],
): MusterError | undefined {
  const [least, most] = arity;
  if (passed >= least && passed <= most) return undefined;
  const should =
    least === most
      ? `should be ${least}`
      : most === Number.POSITIVE_INFINITY
        ? `should be at least ${least}`
        : `should be from ${least} to ${most}`;
  return new MusterError(
    'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
    `Number of arguments for function ${functionName} doesn't match: passed ${passed}, ${should}`,
  );
}

/** The one value of an argument that must be a constant string. */
export function constantString(
  functionName: string,
  argument: ArgumentType | undefined,
  what: string,
): string {
  const text = argument?.constant === undefined ? undefined : firstString(argument.constant);
  if (text !== undefined) return text;
  throw new MusterError(
    'ILLEGAL_COLUMN',
    `Argument ${what} of function ${functionName} must be a constant String`,
  );
}

function firstString(column: Column): string | undefined {
  return column.kind === 'string' && column.nulls?.[0] !== 1 ? column.values[0] : undefined;
}

/** The one value of an argument that must be a constant integer. */
export function constantInteger(
  functionName: string,
  argument: ArgumentType | undefined,
  what: string,
): number {
  const column = argument?.constant;
  if (column?.kind === 'number' || column?.kind === 'wide') return Number(column.values[0] ?? 0);
  throw new MusterError(
    'ILLEGAL_COLUMN',
    `Argument ${what} of function ${functionName} must be a constant integer`,
  );
}
