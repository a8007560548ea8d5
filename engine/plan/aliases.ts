// The aliases of one SELECT. A name may be given more than once only to the same expression.

import { MusterError } from '../../base/errors.ts';
import type { Expression, Select } from '../sql/ast.ts';
import { located, type Planning } from './planning.ts';
import { partsOf } from './scope.ts';

/**
 * Those given anywhere in its own expressions, not in its subqueries. Throws
 * MULTIPLE_EXPRESSIONS_FOR_ALIAS (179) with the place of the second.
 */
export function aliasesOf(select: Select, planning: Planning): ReadonlyMap<string, Expression> {
  const aliases = new Map<string, Expression>();
  const roots: (Expression | undefined)[] = [
    ...select.items,
    ...select.groupBy,
    select.prewhere,
    select.where,
    select.having,
    ...select.orderBy.map((item) => item.value),
    ...(select.limitBy?.by ?? []),
  ];
  for (const root of roots) if (root !== undefined) collect(root, aliases, planning);
  for (const item of select.with) {
    const alias = aliases.get(item.name);
    if (item.kind === 'query' || alias === undefined) continue;
    if (!isSame(item.name, item.value, alias)) throw conflict(item.name, alias, planning);
  }
  return aliases;
}

function collect(
  expression: Expression,
  aliases: Map<string, Expression>,
  planning: Planning,
): void {
  if (expression.kind === 'alias') {
    const { name, value } = expression;
    const known = aliases.get(name);
    if (known === undefined) aliases.set(name, value);
    else if (!isSame(name, known, value)) throw conflict(name, value, planning);
  }
  for (const part of partsOf(expression)) collect(part, aliases, planning);
}

function isSame(name: string, a: Expression, b: Expression): boolean {
  if (a === b || (isItself(name, a) && isItself(name, b))) return true;
  return shape(a) === shape(b);
}

/** `t.a AS a` names what it is. */
function isItself(name: string, value: Expression): boolean {
  return value.kind === 'name' && value.parts.at(-1) === name;
}

const incidental: ReadonlySet<string> = new Set(['at', 'typeText', 'literalText']);

/** The expression without its places in the text, its spelling and the aliases inside. */
function shape(expression: Expression): string {
  return JSON.stringify(expression, (key, value: unknown) => {
    if (incidental.has(key)) return undefined;
    if (typeof value === 'bigint') return `${value}n`;
    const node = value as Expression | null;
    return typeof node === 'object' && node?.kind === 'alias' ? unnamed(node) : value;
  });
}

function unnamed(expression: Expression): Expression {
  return expression.kind === 'alias' ? unnamed(expression.value) : expression;
}

function conflict(name: string, { at }: Expression, planning: Planning): unknown {
  const message = `Multiple expressions for alias ${name}`;
  return located(planning, at, new MusterError('MULTIPLE_EXPRESSIONS_FOR_ALIAS', message));
}
