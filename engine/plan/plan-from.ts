// FROM: tables, common tables, subqueries, table functions and joins as plan nodes, with the names
// under which their columns can be used.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { systemTable } from '../root/system-tables.ts';
import type { Expression, TableExpression } from '../sql/ast.ts';
import { bindExpression } from './bind-expression.ts';
import { parseStructure } from './input-structure.ts';
import { constantValue } from './literal.ts';
import type { NodeId } from './physical-plan.ts';
import { planJoin } from './plan-join.ts';
import { located, type PlannedFiles, type PlannedQuery, type Planning } from './planning.ts';
import { createScope, type Definitions, type ScopeColumn } from './scope.ts';

export interface Source {
  readonly node: NodeId;
  readonly columns: readonly ScopeColumn[];
  /** Positions of columns that a star leaves out (the right side of USING). */
  readonly hidden: ReadonlySet<number>;
}

export function planFrom(
  from: TableExpression | undefined,
  planning: Planning,
  definitions: Definitions,
): Source {
  if (from === undefined) {
    return { node: planning.builder.add({ op: 'one-row' }, []), columns: [], hidden: new Set() };
  }
  try {
    return planTable(from, planning, definitions);
  } catch (error) {
    throw located(planning, from.at, error);
  }
}

function planTable(from: TableExpression, planning: Planning, definitions: Definitions): Source {
  switch (from.kind) {
    case 'join':
      return planJoin(from, planning, definitions);
    case 'subquery': {
      const planned = planning.planQuery(from.query, definitions);
      return sourceOf(planned, from.alias === undefined ? [] : [from.alias], planning);
    }
    case 'function':
      return planFunction(from, planning, definitions);
    case 'table':
      return planNamed(from, planning, definitions);
  }
}

function sourceOf(
  planned: PlannedQuery,
  qualifiers: readonly string[],
  planning: Planning,
): Source {
  const { node, names } = planned;
  const { types } = planning.builder.node(node);
  const columns = names.map((name, i) => ({ name, type: types[i]!, qualifiers, table: 0 }));
  return { node, columns, hidden: new Set() };
}

function planNamed(
  { name, alias }: Extract<TableExpression, { kind: 'table' }>,
  planning: Planning,
  definitions: Definitions,
): Source {
  const common = name.database === undefined ? definitions.tables.get(name.table) : undefined;
  if (common !== undefined) {
    common.planned ??= planning.planQuery(common.query, common.definitions);
    return sourceOf(common.planned, [alias ?? name.table], planning);
  }
  if (name.database === 'system') return planSystem(name.table, alias, planning);
  const table = planning.table(name);
  const columns = table.schema.columns.map((_, i) => i);
  const types = table.schema.columns.map((column) => column.type);
  const node = planning.builder.add({ op: 'scan', table, columns }, types);
  const names = table.schema.columns.map((column) => column.name);
  const qualifiers =
    alias === undefined ? [name.table, `${table.database}.${name.table}`] : [alias];
  return sourceOf({ node, names }, qualifiers, planning);
}

function planSystem(name: string, alias: string | undefined, planning: Planning): Source {
  const table = systemTable(name);
  if (table === 'numbers') {
    const operator = { op: 'numbers', from: 0n, count: 0xffff_ffff_ffff_ffffn } as const;
    const node = planning.builder.add(operator, [{ kind: 'UInt64' }]);
    return sourceOf({ node, names: ['number'] }, [alias ?? name], planning);
  }
  const node = planning.builder.add(
    { op: 'system', table: name, columns: table.map((_, i) => i) },
    table.map((column) => column.type),
  );
  const names = table.map((column) => column.name);
  return sourceOf({ node, names }, [alias ?? name, `system.${name}`], planning);
}

function planFunction(
  from: Extract<TableExpression, { kind: 'function' }>,
  planning: Planning,
  definitions: Definitions,
): Source {
  const qualifiers = [from.alias ?? from.name];
  if (from.name === 'numbers') {
    const [a, b] = from.arguments.map((one) => integerArgument(one, planning, definitions));
    if (from.arguments.length === 3) {
      throw new MusterError('NOT_IMPLEMENTED', 'numbers with a step is not supported');
    }
    if (a === undefined || from.arguments.length > 3) throw wrongArguments('numbers', 'one or two');
    const range = b === undefined ? { from: 0n, count: a } : { from: a, count: b };
    const node = planning.builder.add({ op: 'numbers', ...range }, [{ kind: 'UInt64' }]);
    return sourceOf({ node, names: ['number'] }, qualifiers, planning);
  }
  const files = planning.files.get(from);
  if (files !== undefined) return planFiles(files, qualifiers, planning);
  if (from.name === 'input') return planInput(from.arguments, qualifiers, planning);
  throw new MusterError(
    'UNKNOWN_FUNCTION',
    `Unknown table function ${from.name}${suggestion(from.name, tableFunctions)}`,
  );
}

const tableFunctions = ['numbers', 'input', 'file', 's3', 'url'];

function planFiles(
  { label, columns, virtualColumns, source }: PlannedFiles,
  qualifiers: readonly string[],
  planning: Planning,
): Source {
  const types = columns.map((column) => column.type);
  const node = planning.builder.add({ op: 'files', label, source }, types);
  const names = columns.map((column) => column.name);
  const own = columns.length - virtualColumns;
  const hidden = new Set(Array.from({ length: virtualColumns }, (_, i) => own + i));
  return { ...sourceOf({ node, names }, qualifiers, planning), hidden };
}

function planInput(
  operands: readonly Expression[],
  qualifiers: readonly string[],
  planning: Planning,
): Source {
  if (operands.length > 1) throw wrongArguments('input', 'at most one');
  const [text] = operands;
  const columns = planning.inputColumns();
  if (columns === undefined) {
    throw new MusterError('BAD_ARGUMENTS', 'Table function input() is for INSERT ... SELECT only');
  }
  if (text === undefined) {
    const types = columns.map((column) => column.type);
    const node = planning.builder.add({ op: 'input' }, types);
    return sourceOf({ node, names: columns.map((column) => column.name) }, qualifiers, planning);
  }
  if (text.kind !== 'literal' || text.literal.kind !== 'string') {
    throw new MusterError('BAD_ARGUMENTS', 'input() takes its structure as a string');
  }
  const structure = parseStructure(decodeUtf8(text.literal.value));
  const types = structure.map((column) => column.type);
  const node = planning.builder.add({ op: 'input', structure }, types);
  return sourceOf({ node, names: structure.map((column) => column.name) }, qualifiers, planning);
}

function integerArgument(
  expression: Expression,
  planning: Planning,
  definitions: Definitions,
): bigint {
  const scope = createScope([], new Map(), definitions);
  const bound = bindExpression(expression, { planning, scope });
  const value = bound.kind === 'constant' ? constantValue(bound) : undefined;
  if (typeof value === 'bigint' && value >= 0n) return value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return BigInt(value);
  throw new MusterError('BAD_ARGUMENTS', 'Table function numbers takes constant whole numbers');
}

function wrongArguments(name: string, expected: string): MusterError {
  return new MusterError(
    'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
    `Table function ${name} takes ${expected} arguments`,
  );
}
