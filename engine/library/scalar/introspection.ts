// About the query and the server: types of expressions, version, names; and throwIf.

import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { encodeUtf8 } from '../../../base/utf8.ts';
import { formatType } from '../../../storage-format/data-type.ts';
import { parseUuid } from '../../../storage-format/uuid.ts';
import { illegalType } from '../function-errors.ts';
import { numericShape, string, uint8 } from '../numeric-types.ts';
import type { FunctionContext, ScalarFunction } from '../scalar-function.ts';
import { truthOf } from './logic.ts';

/** The release of ClickHouse whose dialect is spoken; clients look at it to choose features. */
export const dialectVersion = '26.7.2.1';

function textConstant(
  name: string,
  aliases: readonly string[],
  text: (context: FunctionContext) => string,
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [0, 0],
    returnType: () => string,
    evaluate: (call) => ({ kind: 'string', values: [encodeUtf8(text(call.context))] }),
  };
}

const throwIf: ScalarFunction = {
  name: 'throwIf',
  arity: [1, 3],
  returnType: ([condition]) => {
    if (numericShape(condition!.type) === undefined) throw illegalType('throwIf', condition!.type);
    return uint8;
  },
  evaluate: (call) => {
    const condition = call.arguments[0]!;
    const message = call.arguments[1]?.column;
    if (truthOf(condition).includes(1)) {
      throw new MusterError(
        'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
        message?.kind === 'string'
          ? (message.values[0] ?? '')
          : "Value passed to 'throwIf' function is non-zero",
      );
    }
    return { kind: 'number', values: new Uint8Array(call.rows) };
  },
};

const rand: ScalarFunction = {
  name: 'rand',
  aliases: ['rand32'],
  caseInsensitive: true,
  volatile: true,
  arity: [0, 1],
  returnType: () => ({ kind: 'UInt32' }),
  evaluate: (call) => ({
    kind: 'number',
    values: Uint32Array.from({ length: call.rows }, () => systemClock.random() * 2 ** 32),
  }),
};

const rand64: ScalarFunction = {
  name: 'rand64',
  volatile: true,
  arity: [0, 1],
  returnType: () => ({ kind: 'UInt64' }),
  evaluate: (call) => {
    const words = Uint32Array.from({ length: call.rows * 2 }, () => systemClock.random() * 2 ** 32);
    return { kind: 'wide', values: new BigUint64Array(words.buffer) };
  },
};

const generateUuid: ScalarFunction = {
  name: 'generateUUIDv4',
  volatile: true,
  arity: [0, 1],
  returnType: () => ({ kind: 'UUID' }),
  evaluate: (call) => ({
    kind: 'string',
    values: Array.from({ length: call.rows }, () => randomUuid(systemClock.randomId())),
  }),
};

/** Version 4, variant 1: the other 122 bits are random. */
function randomUuid(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
  return parseUuid(`${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17)}`);
}

export const introspectionFunctions: readonly ScalarFunction[] = [
  {
    name: 'toTypeName',
    arity: [1, 1],
    nulls: 'custom',
    lowCardinality: false,
    returnType: () => string,
    evaluate: (call) => {
      const name = encodeUtf8(formatType(call.arguments[0]!.type));
      return { kind: 'string', values: new Array<string>(call.rows).fill(name) };
    },
  },
  {
    name: 'isConstant',
    arity: [1, 1],
    nulls: 'custom',
    returnType: () => uint8,
    evaluate: (call) => ({
      kind: 'number',
      values: new Uint8Array(call.rows).fill(call.arguments[0]!.constant ? 1 : 0),
    }),
  },
  textConstant('version', [], () => dialectVersion),
  textConstant('currentDatabase', ['DATABASE', 'SCHEMA', 'current_database'], (c) => c.database),
  textConstant('currentUser', ['user', 'current_user'], (context) => context.user),
  textConstant('hostName', ['hostname'], () => 'localhost'),
  throwIf,
  rand,
  rand64,
  generateUuid,
];
