// One expression asked twice: of the function library, by way of our parser and a small evaluator,
// and of ClickHouse. Answers are a text and a type name, or an error code.

import { query } from 'chdb';
import { MusterError } from '../../base/errors.ts';
import { applyFunction, fullColumn, resolveFunction } from '../../engine/library/apply-function.ts';
import { castColumn } from '../../engine/library/cast.ts';
import { findScalarFunction } from '../../engine/library/registry.ts';
import type { Argument, FunctionContext } from '../../engine/library/scalar-function.ts';
import { integerConstant } from '../../engine/plan/literal.ts';
import type { Expression } from '../../engine/sql/ast.ts';
import { parseExpression } from '../../engine/sql/statement-parser.ts';
import { columnBuilder, columnOf } from '../../engine/values/column-builder.ts';
import { valueParser } from '../../engine/values/value-parser.ts';
import { valuePrinter } from '../../engine/values/value-printer.ts';
import type { Column } from '../../storage-format/column.ts';
import { formatType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';

export const context: FunctionContext = {
  timeZone: 'Etc/UTC',
  now: Date.UTC(2026, 0, 2, 3, 4, 5),
  database: 'default',
  user: 'default',
};

/** Named columns of texts, as both sides read them. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows of text and the type's name, or `error N`. */
export type Outcome = string;

export function askClickHouse(sql: string): Outcome {
  try {
    return query(sql, 'TabSeparated').replace(/\n$/, '');
  } catch (error) {
    const code = /Code: (\d+)/.exec(String(error));
    return `error ${code?.[1] ?? String(error)}`;
  }
}

export function ourOutcome(compute: () => string): Outcome {
  try {
    return compute();
  } catch (error) {
    if (error instanceof MusterError) return `error ${error.code}`;
    return `bug ${String(error)}`;
  }
}

/** `SELECT expression, toTypeName(expression)` over a table; without one, of constants. */
export function clickHouseSql(expression: string, table?: Table): string {
  const select = `SELECT ${expression} AS x, toTypeName(x)`;
  if (table === undefined) return select;
  const names = table.columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  const rows = table.rows.map(
    (row) => `(${row.map((text, k) => literal(text, table.columns[k]?.type ?? '')).join(', ')})`,
  );
  return `${select} FROM values('${names.replaceAll("'", "\\'")}', ${rows.join(', ')})`;
}

function literal(text: string, type: string): string {
  if (text === 'NULL' || type.startsWith('Array') || /^-?\d+$|^nan$|^-?inf$/.test(text)) {
    return type === 'String' ? `'${text}'` : text;
  }
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function oursOf(expression: string, table?: Table): Outcome {
  return ourOutcome(() => {
    const rows = table?.rows.length ?? 1;
    const columns = new Map<string, Argument>();
    table?.columns.forEach(({ name, type }, k) => {
      columns.set(name, tableColumn(type, table, k));
    });
    const result = evaluate(parseExpression(expression), { columns, rows });
    return printed(result, rows);
  });
}

/** An expression over `number` of the rows of numbers(rows), as `clickHouseSql` prints it. */
export function oursOfNumbers(expression: string, rows: number): Outcome {
  return ourOutcome(() => {
    const values = BigUint64Array.from({ length: rows }, (_, i) => BigInt(i));
    const number: Argument = {
      type: { kind: 'UInt64' },
      column: { kind: 'wide', values },
      constant: false,
    };
    const columns = new Map([['number', number]]);
    return printed(evaluate(parseExpression(expression), { columns, rows }), rows);
  });
}

function printed(result: Argument, rows: number): string {
  const column = fullColumn(result, rows);
  const print = valuePrinter(result.type, context, 'escaped');
  const name = formatType(result.type).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const lines = Array.from({ length: rows }, (_, row) => `${utf8(print(column, row))}\t${name}`);
  return lines.join('\n');
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function tableColumn(typeName: string, table: Table, k: number): Argument {
  const type = parseType(typeName);
  const builder = columnBuilder(type);
  const parse = valueParser(type, context);
  for (const row of table.rows) {
    const text = row[k] ?? '';
    if (text === 'NULL') builder.appendNull();
    else parse(Buffer.from(text, 'utf8').toString('latin1'), builder);
  }
  return { type, column: builder.finish(), constant: false };
}

interface Scope {
  readonly columns: ReadonlyMap<string, Argument>;
  readonly rows: number;
}

function evaluate(expression: Expression, scope: Scope): Argument {
  switch (expression.kind) {
    case 'literal':
      return literalArgument(expression);
    case 'name':
      return scope.columns.get(expression.parts.join('.')) ?? unknownName(expression.parts);
    case 'call':
      return callArgument(expression.name, expression.arguments, scope);
    case 'array':
      return callArgument('array', expression.items, scope);
    case 'tuple':
      return callArgument('tuple', expression.items, scope);
    case 'cast': {
      const value = evaluate(expression.value, scope);
      const column = castColumn(value.column, value.type, { to: expression.type, context });
      return { type: expression.type, column, constant: value.constant };
    }
    case 'interval':
      return callArgument(`toInterval${capital(expression.unit)}`, [expression.value], scope);
    case 'alias':
      return evaluate(expression.value, scope);
    default:
      throw new MusterError('NOT_IMPLEMENTED', expression.kind);
  }
}

function unknownName(parts: readonly string[]): never {
  throw new MusterError('UNKNOWN_IDENTIFIER', parts.join('.'));
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

function literalArgument(expression: Expression & { readonly kind: 'literal' }): Argument {
  const { literal: value } = expression;
  const of = (typeName: string, column: Column): Argument => ({
    type: parseType(typeName),
    column,
    constant: true,
  });
  switch (value.kind) {
    case 'integer': {
      const constant = integerConstant(value.value);
      return { type: constant.type, column: constant.value, constant: true };
    }
    case 'float':
      return of('Float64', columnOf({ kind: 'Float64' }, [value.value]));
    case 'string':
      return of('String', columnOf({ kind: 'String' }, [value.value]));
    case 'bool':
      return of('Bool', columnOf({ kind: 'Bool' }, [value.value ? 1 : 0]));
    default: {
      const type = { kind: 'Nullable', inner: { kind: 'Nothing' } } as const;
      return { type, column: columnOf(type, [null]), constant: true };
    }
  }
}

function callArgument(name: string, operands: readonly Expression[], scope: Scope): Argument {
  const found = findScalarFunction(name);
  if (found === undefined) throw new MusterError('UNKNOWN_FUNCTION', name);
  const values = operands.map((operand) => evaluate(operand, scope));
  const types = values.map((v) =>
    v.constant ? { type: v.type, constant: v.column } : { type: v.type },
  );
  const resolved = resolveFunction(found, types, context);
  return applyFunction(resolved, { arguments: values, rows: scope.rows, context });
}
