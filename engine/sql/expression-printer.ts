// Expressions as SQL text that parses to the same tree. Operators are written as operators, with
// parentheses around every operand that is not a single term, so that no precedence is relied on.

import { assertNever, defined } from '../../base/assert.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import { formatType } from '../../storage-format/data-type.ts';
import type { Expression } from './ast.ts';
import { printFunctionName, printLiteral, printName, printString } from './literal-printer.ts';
import { operatorSymbols } from './operators.ts';
import { printQuery } from './query-printer.ts';

type Call = Extract<Expression, { readonly kind: 'call' }>;

export function printExpression(expression: Expression): string {
  const { kind } = expression;
  switch (kind) {
    case 'literal':
      return printLiteral(expression.literal);
    case 'name':
      return expression.parts.map(printName).join('.');
    case 'star':
      return [...expression.qualifier.map(printName), '*'].join('.');
    case 'parameter':
      return `{${printName(expression.name)}:${expression.type}}`;
    case 'call':
      return printCall(expression);
    case 'cast':
      return printCast(expression);
    case 'array':
      return `[${printExpressions(expression.items)}]`;
    case 'tuple':
      return printTuple(expression.items);
    case 'lambda':
      return printLambda(expression);
    case 'subquery':
      return `(${printQuery(expression.query)})`;
    case 'in':
      return printIn(expression);
    case 'interval':
      return `INTERVAL ${printCount(expression.value)} ${expression.unit.toUpperCase()}`;
    case 'alias':
      return `${printAliased(expression.value)} AS ${printName(expression.name)}`;
    default:
      return assertNever(kind);
  }
}

/** With commas between. */
export function printExpressions(expressions: readonly Expression[]): string {
  return expressions.map(printExpression).join(', ');
}

function printUnnamed(value: Expression): string {
  return value.kind === 'alias' || value.kind === 'lambda'
    ? `(${printExpression(value)})`
    : printExpression(value);
}

/** An interval's value; a bare string could be read as value and unit in one. */
function printCount(value: Expression): string {
  const string = value.kind === 'literal' && value.literal.kind === 'string';
  return string ? `(${printExpression(value)})` : printUnnamed(value);
}

/** What AS names: a lambda needs no parentheses before it. */
function printAliased(value: Expression): string {
  return value.kind === 'lambda' ? printExpression(value) : printUnnamed(value);
}

/** In parentheses, unless it is a single term. */
function printTerm(value: Expression): string {
  const text = printExpression(value);
  return isTerm(value) ? text : `(${text})`;
}

function isTerm(value: Expression): boolean {
  switch (value.kind) {
    case 'alias':
    case 'lambda':
    case 'in':
    case 'star':
      return false;
    case 'call':
      return !isInfix(value);
    case 'cast':
      return value.literalText === undefined;
    default:
      return true;
  }
}

/** Whether the call is written as an operator. */
function isInfix(call: Call): boolean {
  const { name, arguments: operands } = call;
  if (isAdorned(call)) return false;
  const count = operands.length;
  if (name === 'and' || name === 'or') return count >= 2;
  if (name === 'not' || name === 'negate') return count === 1;
  if (name === 'isNull' || name === 'isNotNull') return count === 1;
  return count === 2 && (operatorSymbols.has(name) || name === 'arrayElement' || isField(call));
}

function isAdorned(call: Call): boolean {
  return call.parameters !== undefined || call.distinct === true || call.over === true;
}

function isField({ name, arguments: [, field] }: Call): boolean {
  return name === 'tupleElement' && field?.kind === 'literal' && field.literal.kind === 'integer';
}

function printCall(call: Call): string {
  const { name, parameters, arguments: operands } = call;
  if (isInfix(call)) return printOperator(call);
  const distinct = call.distinct === true ? 'DISTINCT ' : '';
  const first = parameters === undefined ? '' : `(${printExpressions(parameters)})`;
  const list = `(${distinct}${printExpressions(operands)})`;
  return `${printFunctionName(name)}${first}${list}${call.over === true ? ' OVER ()' : ''}`;
}

/** Prints each operand once: twice would double the work at every level of nesting. */
function printOperator({ name, arguments: operands }: Call): string {
  if (name === 'arrayElement') {
    return `${printBase(operands[0])}[${printExpression(defined(operands[1], 'index'))}]`;
  }
  if (name === 'tupleElement') return printField(operands);
  const terms = operands.map(printTerm);
  const [first = '', second = ''] = terms;
  switch (name) {
    case 'and':
    case 'or':
      return terms.join(` ${name.toUpperCase()} `);
    case 'not':
      return `NOT ${first}`;
    case 'negate':
      // A number after a minus would become part of the literal.
      return operands[0]?.kind === 'literal' ? `-(${first})` : `-${first}`;
    case 'isNull':
      return `${first} IS NULL`;
    case 'isNotNull':
      return `${first} IS NOT NULL`;
    default:
      return `${first} ${operatorSymbols.get(name)} ${second}`;
  }
}

/** What `[i]` or `.1` follows. */
function printBase(value: Expression | undefined): string {
  const base = defined(value, 'operand');
  if (base.kind === 'call' && isAccess(base)) return printExpression(base);
  const plain = ['name', 'call', 'cast', 'array', 'tuple', 'parameter', 'subquery'].includes(
    base.kind,
  );
  return plain ? printTerm(base) : `(${printExpression(base)})`;
}

function isAccess(call: Call): boolean {
  if (isAdorned(call) || call.arguments.length !== 2) return false;
  return call.name === 'arrayElement' || (isField(call) && printsAsField(call.arguments));
}

/** Whether `.1` can follow the operand. */
function printsAsField([value, field]: readonly Expression[]): boolean {
  if (value?.kind === 'literal' || value?.kind === 'parameter' || value?.kind === 'alias') {
    return false;
  }
  return field?.kind !== 'literal' || field.literal.kind !== 'integer' || field.literal.value >= 0n;
}

function printField(operands: readonly Expression[]): string {
  if (!printsAsField(operands)) return `tupleElement(${printExpressions(operands)})`;
  return `${printBase(operands[0])}.${printExpression(defined(operands[1], 'field'))}`;
}

function printCast(cast: Extract<Expression, { readonly kind: 'cast' }>): string {
  const { value, type, typeText, literalText } = cast;
  const name = typeText ?? formatType(type);
  if (literalText !== undefined) return `${literalText}::${name}`;
  const bytes = encodeUtf8(name);
  return `CAST(${printExpression(value)}, ${printString(bytes)})`;
}

function printTuple(items: readonly Expression[]): string {
  if (items.length >= 2) return `(${printExpressions(items)})`;
  return items.length === 0 ? '()' : `(${printExpressions(items)},)`;
}

function printLambda(lambda: Extract<Expression, { readonly kind: 'lambda' }>): string {
  const { names, body } = lambda;
  const [first = ''] = names;
  const head = names.length === 1 ? printName(first) : `(${names.map(printName).join(', ')})`;
  return `${head} -> ${printUnnamed(body)}`;
}

function printIn(expression: Extract<Expression, { readonly kind: 'in' }>): string {
  const { value, set, negated } = expression;
  const list = set.kind === 'tuple' || set.kind === 'subquery' || set.kind === 'array';
  const right = list ? printExpression(set) : `(${printExpression(set)})`;
  return `${printTerm(value)} ${negated ? 'NOT IN' : 'IN'} ${right}`;
}
