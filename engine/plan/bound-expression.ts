// Bound expressions: names resolved to columns of the input relation, every node with its type.
// Plain data. `ask`, `aggregate` and `array-join` nodes live only while a SELECT is being planned:
// they are lifted into plan nodes of their own and replaced by columns (lift.ts, aggregation.ts).
//
// A set is never a value. Set-valued expressions (type Bitmap) are columns that hold sets, `set`
// operators over them, scalars, and `choose`.

import { type Column, columnLength } from '../../storage-format/column.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';

/** Of the input relation, or of another node of the plan that gives one row (`scalar`). */
export type BoundExpression =
  | { readonly kind: 'column'; readonly type: DataType; readonly index: number }
  /** A column of one row. */
  | { readonly kind: 'constant'; readonly type: DataType; readonly value: Column }
  | {
      readonly kind: 'call';
      readonly type: DataType;
      readonly name: string;
      readonly arguments: readonly BoundExpression[];
    }
  | { readonly kind: 'cast'; readonly type: DataType; readonly value: BoundExpression }
  /** Of the single row of plan node `node`. */
  | {
      readonly kind: 'scalar';
      readonly type: DataType;
      readonly node: number;
      readonly column: number;
    }
  /** Membership in the first columns of plan node `node`; UInt8. */
  | {
      readonly kind: 'in-node';
      readonly type: DataType;
      readonly value: readonly BoundExpression[];
      readonly node: number;
    }
  | {
      readonly kind: 'set';
      readonly type: DataType;
      readonly op: SetOperator;
      readonly arguments: readonly BoundExpression[];
    }
  | AskExpression
  | AggregateExpression
  | { readonly kind: 'array-join'; readonly type: DataType; readonly value: BoundExpression };

/**
 * and, or, xor, andnot: two sets. literal: an array of ids. single: one id. range: a set and UInt64
 * bounds [from, to). choose: condition, then, else (both sets).
 */
export type SetOperator =
  | 'and'
  | 'or'
  | 'xor'
  | 'andnot'
  | 'literal'
  | 'single'
  /** Of one code, in a worker: the row's own id (coded-scan.ts). */
  | 'coded'
  /** From the bytes of a state. */
  | 'state'
  | 'range'
  | 'choose';

/** What is asked of the sets; `state` is ids written as ClickHouse's aggregate state. */
type AskName = 'card' | 'any' | 'ids' | 'least' | 'greatest' | 'state';

export interface AskExpression {
  readonly kind: 'ask';
  readonly type: DataType;
  readonly ask: AskName;
  /** The set; `least`: how many and from which id; `greatest`: how many. */
  readonly arguments: readonly BoundExpression[];
}

export type AggregateCall =
  | {
      readonly what: 'plain';
      readonly name: string;
      readonly arguments: readonly BoundExpression[];
    }
  /** Folds sets. */
  | {
      readonly what: 'fold';
      readonly how: 'or' | 'and' | 'xor';
      readonly arguments: readonly [BoundExpression];
    }
  /** Gathers ids of plain rows into a set. */
  | { readonly what: 'intern'; readonly arguments: readonly [BoundExpression] }
  /** The same of their codes, in a worker (coded-scan.ts). */
  | { readonly what: 'codes'; readonly arguments: readonly [BoundExpression] }
  /** Sets that stay where rows lie: a column of what is made there, told by its keys. */
  | { readonly what: 'grouped'; readonly arguments: readonly [BoundExpression] }
  /** One of the sets; argMin and argMax order by the second argument. */
  | {
      readonly what: 'pick';
      readonly how: 'any' | 'anyLast' | 'argMin' | 'argMax';
      readonly arguments: readonly BoundExpression[];
    };

export interface AggregateExpression {
  readonly kind: 'aggregate';
  readonly type: DataType;
  readonly call: AggregateCall;
  /** -If: only rows where this is true. */
  readonly condition?: BoundExpression;
}

export function isSet(expression: BoundExpression): boolean {
  return expression.type.kind === 'Bitmap';
}

/** The bytes of ClickHouse's aggregate state, as a String. */
export function askState(set: BoundExpression): AskExpression {
  return { kind: 'ask', type: { kind: 'String' }, ask: 'state', arguments: [set] };
}

/** How many members it has, as a UInt64. */
export function askSize(set: BoundExpression): AskExpression {
  return { kind: 'ask', type: { kind: 'UInt64' }, ask: 'card', arguments: [set] };
}

/** Direct operands, in evaluation order. */
export function operands(expression: BoundExpression): readonly BoundExpression[] {
  switch (expression.kind) {
    case 'column':
    case 'constant':
    case 'scalar':
      return [];
    case 'cast':
    case 'array-join':
      return [expression.value];
    case 'in-node':
      return expression.value;
    case 'aggregate':
      return expression.condition === undefined
        ? expression.call.arguments
        : [...expression.call.arguments, expression.condition];
    default:
      return expression.arguments;
  }
}

/** The same node over other operands (as many). */
export function withOperands(
  expression: BoundExpression,
  next: readonly BoundExpression[],
): BoundExpression {
  switch (expression.kind) {
    case 'column':
    case 'constant':
    case 'scalar':
      return expression;
    case 'cast':
    case 'array-join':
      return { ...expression, value: next[0]! };
    case 'in-node':
      return { ...expression, value: next };
    case 'aggregate': {
      const count = expression.call.arguments.length;
      const call = { ...expression.call, arguments: next.slice(0, count) } as AggregateCall;
      return expression.condition === undefined
        ? { ...expression, call }
        : { ...expression, call, condition: next[count]! };
    }
    default:
      return { ...expression, arguments: next };
  }
}

/** Bottom-up rewriting; nodes whose operands stay the same are kept as they are. */
export function rewrite(
  expression: BoundExpression,
  replace: (node: BoundExpression) => BoundExpression,
): BoundExpression {
  const before = operands(expression);
  if (before.length === 0) return replace(expression);
  const after = before.map((operand) => rewrite(operand, replace));
  const same = after.every((operand, i) => operand === before[i]);
  return replace(same ? expression : withOperands(expression, after));
}

/** Whether any node below (or this one) satisfies the predicate. */
export function contains(
  expression: BoundExpression,
  predicate: (node: BoundExpression) => boolean,
): boolean {
  if (predicate(expression)) return true;
  return operands(expression).some((operand) => contains(operand, predicate));
}

/** Equal text means equal expressions over the same relation. */
export function fingerprint(expression: BoundExpression): string {
  const inner = operands(expression).map(fingerprint).join(',');
  switch (expression.kind) {
    case 'column':
      return `#${expression.index}`;
    case 'constant':
      return `${formatType(expression.type)}:${constantText(expression.value, 0)}`;
    case 'scalar':
      return `@${expression.node}.${expression.column}`;
    case 'call':
      return `${expression.name}(${inner})`;
    case 'cast':
      return `cast(${inner},${formatType(expression.type)})`;
    case 'in-node':
      return `in(${inner},@${expression.node})`;
    case 'set':
      return `set-${expression.op}(${inner}):${formatType(expression.type)}`;
    case 'ask':
      return `ask-${expression.ask}(${inner})`;
    case 'array-join':
      return `arrayJoin(${inner})`;
    default: {
      const { call } = expression;
      const name = call.what === 'plain' ? call.name : call.what;
      const how = 'how' in call ? call.how : '';
      const condition = expression.condition === undefined ? '' : ' if';
      return `aggregate ${name} ${how}${condition}(${inner})`;
    }
  }
}

function constantText(column: Column, row: number): string {
  if (column.kind === 'array') {
    const start = column.offsets[row] ?? 0;
    const end = column.offsets[row + 1] ?? 0;
    const items: string[] = [];
    for (let i = start; i < end; i++) items.push(constantText(column.items, i));
    return `[${items.join(',')}]`;
  }
  if (column.kind === 'tuple') {
    return `(${column.fields.map((field) => constantText(field, row)).join(',')})`;
  }
  if (row >= columnLength(column) || column.nulls?.[row] === 1) return 'NULL';
  const value = column.values[row];
  if (typeof value === 'number' && Object.is(value, -0)) return '-0';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
