// The names that ClickHouse gives to unaliased columns: operators by their functions (`plus(a,
// 1)`), literals as written out, tables' names left away. Not SQL text: see expression-printer.ts.

import { assertNever } from '../../base/assert.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import { formatType } from '../../storage-format/data-type.ts';
import type { Expression, LiteralValue, Query } from './ast.ts';
import { nameString, printFloat, printLiteral } from './literal-printer.ts';

interface NamingOptions {
  /** A column's name by its parts; by default the last part. */
  readonly name?: (parts: readonly string[]) => string;
  /** A subquery's name; ClickHouse numbers them (`_subquery_1`) through the whole statement. */
  readonly subquery?: (query: Query) => string;
  /** What stands for a query parameter: the literal it was given. */
  readonly parameter?: (name: string, type: string) => string;
}

const intervalNames = {
  second: 'toIntervalSecond',
  minute: 'toIntervalMinute',
  hour: 'toIntervalHour',
  day: 'toIntervalDay',
  week: 'toIntervalWeek',
  month: 'toIntervalMonth',
  quarter: 'toIntervalQuarter',
  year: 'toIntervalYear',
} as const;

/** The column's name, with `expression` an item of a SELECT. */
export function columnName(expression: Expression, options: NamingOptions = {}): string {
  const { kind } = expression;
  switch (kind) {
    case 'literal':
      return literalName(expression.literal);
    case 'name':
      return options.name?.(expression.parts) ?? expression.parts.at(-1) ?? '';
    case 'star':
      return '*';
    case 'parameter':
      return parameterName(expression, options);
    case 'call':
      return callName(expression, options);
    case 'cast':
      return castName(expression, options);
    case 'array':
      return `[${names(expression.items, options)}]`;
    case 'tuple':
      return `(${names(expression.items, options)})`;
    case 'lambda': {
      const { names: variables, body } = expression;
      return `lambda(tuple(${variables.join(', ')}), ${columnName(body, options)})`;
    }
    case 'subquery':
      return options.subquery?.(expression.query) ?? '_subquery_1';
    case 'in':
      return inName(expression, options);
    case 'interval':
      return `${intervalNames[expression.unit]}(${columnName(expression.value, options)})`;
    case 'alias':
      return expression.name;
    default:
      return assertNever(kind);
  }
}

function names(expressions: readonly Expression[], options: NamingOptions): string {
  return expressions.map((expression) => columnName(expression, options)).join(', ');
}

const largestUInt64 = 2n ** 64n - 1n;
const smallestInt64 = -(2n ** 63n);

/** Integers beyond 64 bits are floats in ClickHouse. */
function literalName(literal: LiteralValue): string {
  if (literal.kind === 'string') return nameString(literal.value);
  if (literal.kind !== 'integer') return printLiteral(literal);
  const { value } = literal;
  const wide = value > largestUInt64 || value < smallestInt64;
  return wide ? printFloat(Number(value)) : String(value);
}

function parameterName(
  { name, type }: Extract<Expression, { readonly kind: 'parameter' }>,
  options: NamingOptions,
): string {
  return options.parameter?.(name, type) ?? `{${name}:${type}}`;
}

function callName(
  call: Extract<Expression, { readonly kind: 'call' }>,
  options: NamingOptions,
): string {
  const { name, parameters, arguments: list } = call;
  const onlyStar = list.length === 1 && list[0]?.kind === 'star';
  const inner = onlyStar && name.toLowerCase() === 'count' ? '' : names(list, options);
  const first = parameters === undefined ? '' : `(${names(parameters, options)})`;
  if (parameters === undefined && call.distinct !== true) {
    if (name === 'tuple') return `(${inner})`;
    if (name === 'array') return `[${inner}]`;
  }
  return `${name}${call.distinct === true ? 'Distinct' : ''}${first}(${inner})`;
}

function castName(
  cast: Extract<Expression, { readonly kind: 'cast' }>,
  options: NamingOptions,
): string {
  const type = cast.typeText ?? formatType(cast.type);
  const value =
    cast.literalText === undefined ? columnName(cast.value, options) : quote(cast.literalText);
  return `CAST(${value}, ${quote(type)})`;
}

function quote(text: string): string {
  return nameString(encodeUtf8(text));
}

function inName(
  { value, set, negated }: Extract<Expression, { readonly kind: 'in' }>,
  options: NamingOptions,
): string {
  return `${negated ? 'notIn' : 'in'}(${columnName(value, options)}, ${columnName(set, options)})`;
}
