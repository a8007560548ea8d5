// Constants: literals of the statement and query parameters, with the types ClickHouse gives them.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import type { LiteralValue } from '../sql/ast.ts';
import { columnBuilder, columnOf, type Value, valueAt } from '../values/column-builder.ts';
import { unescapeText } from '../values/text-escapes.ts';
import { valueParser } from '../values/value-parser.ts';
import type { BoundExpression } from './bound-expression.ts';
import type { Planning } from './planning.ts';

type Constant = Extract<BoundExpression, { kind: 'constant' }>;

export function constantOf(type: DataType, value: Value): Constant {
  return { kind: 'constant', type, value: columnOf(type, [value]) };
}

export const nullType: DataType = { kind: 'Nullable', inner: { kind: 'Nothing' } };

/** Integers get the narrowest type that holds them, as in ClickHouse. */
export function literalConstant(literal: LiteralValue): Constant {
  switch (literal.kind) {
    case 'integer':
      return integerConstant(literal.value);
    case 'float':
      return constantOf({ kind: 'Float64' }, literal.value);
    case 'string':
      return constantOf({ kind: 'String' }, literal.value);
    case 'bool':
      return constantOf({ kind: 'Bool' }, literal.value ? 1 : 0);
    case 'null':
      return constantOf(nullType, null);
  }
}

/** The single value of a constant. */
export function constantValue(constant: Constant): Value {
  return valueAt(constant.value, 0);
}

/** Throws UNKNOWN_QUERY_PARAMETER (456) and BAD_QUERY_PARAMETER (457). */
export function parameterConstant(
  parameter: { readonly name: string; readonly type: string },
  planning: Planning,
): Constant {
  const text = planning.parameters.get(parameter.name);
  if (text === undefined) {
    throw new MusterError(
      'UNKNOWN_QUERY_PARAMETER',
      `Substitution \`${parameter.name}\` is not set${suggestion(parameter.name, planning.parameters.keys())}`,
    );
  }
  const type = parseType(parameter.type);
  const bytes = encodeUtf8(text);
  const builder = columnBuilder(type, 1);
  try {
    const unescaped = type.kind === 'Array' || type.kind === 'Tuple' ? bytes : unescapeText(bytes);
    const { timeZone } = planning.functions;
    if (bytes === '\\N') valueParser(type, { timeZone })('\\N', builder);
    else valueParser(type, { timeZone })(unescaped, builder);
  } catch (cause) {
    const why = cause instanceof MusterError ? `: ${cause.message}` : '';
    throw new MusterError(
      'BAD_QUERY_PARAMETER',
      `Value ${text.slice(0, 200)} cannot be parsed as ${parameter.type} for query parameter '${parameter.name}'${why}`,
      { cause },
    );
  }
  return { kind: 'constant', type, value: builder.finish() };
}

export function integerConstant(value: bigint): Constant {
  const kinds = value >= 0n ? unsignedKinds : signedKinds;
  for (const [kind, low, high] of kinds) {
    if (value < low || value > high) continue;
    return constantOf({ kind }, kind.endsWith('64') ? value : Number(value));
  }
  return constantOf({ kind: 'Float64' }, Number(value));
}

const unsignedKinds = [
  ['UInt8', 0n, 0xffn],
  ['UInt16', 0n, 0xffffn],
  ['UInt32', 0n, 0xffff_ffffn],
  ['UInt64', 0n, 0xffff_ffff_ffff_ffffn],
] as const;

const signedKinds = [
  ['Int8', -0x80n, 0x7fn],
  ['Int16', -0x8000n, 0x7fffn],
  ['Int32', -0x8000_0000n, 0x7fff_ffffn],
  ['Int64', -0x8000_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn],
] as const;
