// A physical plan as lines of text: stage by stage, the root's nodes and the questions of the batch.

import { decodeUtf8 } from '../../base/utf8.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import { type Value, valueAt } from '../values/column-builder.ts';
import type { AggregateExpression, BoundExpression } from './bound-expression.ts';
import { isDetailScan, type Operator, type Plan, type PlanNode } from './physical-plan.ts';

export function printPlan(plan: Plan): readonly string[] {
  const lines: string[] = [];
  for (let stage = 0; stage <= plan.stages; stage++) {
    lines.push(stage === 0 ? 'Stage 0' : `Stage ${stage} (one dispatch)`);
    plan.nodes.forEach((node, id) => {
      if (!node.used || node.stage !== stage) return;
      lines.push(`  #${id} ${printOperator(node)}`);
      if (node.operator.op === 'ask') lines.push(...printAsks(node).map((line) => `    ${line}`));
    });
  }
  return lines;
}

function printAsks(node: PlanNode): readonly string[] {
  if (node.operator.op !== 'ask') return [];
  const first = node.needed.length - node.operator.asks.length;
  return node.operator.asks.flatMap((ask, i) =>
    node.needed[first + i] === true
      ? [`ask ${ask.ask}(${ask.arguments.map(printExpression).join(', ')}) -> $${first + i}`]
      : [],
  );
}

function printOperator(node: PlanNode): string {
  const { operator } = node;
  switch (operator.op) {
    case 'scan':
      return `${isDetailScan(operator) ? 'Rows' : 'Scan'} ${operator.table.database}.${operator.table.schema.name}${printScanned(operator, node)}`;
    case 'one-row':
      return 'OneRow';
    case 'numbers':
      return `Numbers ${operator.from} + ${operator.count}`;
    case 'input':
      return 'Input';
    case 'system':
      return `System ${operator.table}`;
    case 'filter':
      return `Filter #${operator.input}: ${printExpression(operator.condition)}`;
    case 'project':
      return `Project #${operator.input}: ${printNeeded(operator.columns, node)}`;
    case 'ask':
      return `Ask #${operator.input}`;
    case 'array-join':
      return `${operator.left ? 'Left' : ''}ArrayJoin #${operator.input}: ${printList(operator.arrays)}`;
    case 'aggregate':
      return `Aggregate #${operator.input}: keys [${printList(operator.keys)}], ${operator.aggregates.map(printAggregate).join(', ')}`;
    case 'join':
      return `Join ${operator.how} #${operator.left}, #${operator.right}${printKeys(operator)}`;
    default:
      return printOrdering(operator);
  }
}

function printOrdering(operator: Operator): string {
  switch (operator.op) {
    case 'sort': {
      const keys = operator.keys.map(
        (key) => `${printExpression(key.value)}${key.descending ? ' DESC' : ''}`,
      );
      return `Sort #${operator.input}: ${keys.join(', ')}`;
    }
    case 'limit':
      return `Limit #${operator.input}: ${operator.limit ?? 'all'} from ${operator.offset}`;
    case 'limit-by':
      return `LimitBy #${operator.input}: ${operator.limit} by ${printList(operator.by)}`;
    case 'distinct':
      return `Distinct #${operator.input}`;
    case 'union':
      return `Union ${operator.inputs.map((id) => `#${id}`).join(', ')}`;
    case 'single-row':
      return `SingleRow #${operator.input}`;
    default:
      return operator.op;
  }
}

function printScanned(operator: Extract<Operator, { op: 'scan' }>, node: PlanNode): string {
  const columns = operator.columns
    .filter((_, i) => node.needed[i] === true)
    .map((at) => operator.table.schema.columns[at])
    .map(
      (column) => `${column?.name ?? '?'}${column?.type.kind === 'Bitmap' ? ' (stored sets)' : ''}`,
    );
  const filter = operator.filter === undefined ? '' : ` where ${printExpression(operator.filter)}`;
  const limit = operator.limit === undefined ? '' : ` first ${operator.limit}`;
  return `: ${columns.join(', ')}${filter}${limit}`;
}

function printNeeded(columns: readonly BoundExpression[], node: PlanNode): string {
  return printList(columns.filter((_, i) => node.needed[i] === true));
}

function printKeys(operator: Extract<Operator, { op: 'join' }>): string {
  if (operator.leftKeys.length === 0) return '';
  return `: [${printList(operator.leftKeys)}] = [${printList(operator.rightKeys)}]`;
}

function printAggregate(aggregate: AggregateExpression): string {
  const { call, condition } = aggregate;
  const how = 'how' in call ? ` ${call.how}` : '';
  const name = call.what === 'plain' ? call.name : `${call.what}${how}`;
  const when = condition === undefined ? '' : ` if ${printExpression(condition)}`;
  return `${name}(${printList(call.arguments)})${when}`;
}

function printList(expressions: readonly BoundExpression[]): string {
  return expressions.map(printExpression).join(', ');
}

export function printExpression(expression: BoundExpression): string {
  switch (expression.kind) {
    case 'column':
      return `$${expression.index}`;
    case 'constant':
      return printConstant(expression.value);
    case 'scalar':
      return `scalar(#${expression.node})`;
    case 'call':
      return `${expression.name}(${printList(expression.arguments)})`;
    case 'cast':
      return `cast(${printExpression(expression.value)})`;
    case 'in-node':
      return `in(${printList(expression.value)}, #${expression.node})`;
    case 'set':
      return `set.${expression.op}(${printList(expression.arguments)})`;
    case 'ask':
      return `ask.${expression.ask}(${printList(expression.arguments)})`;
    case 'array-join':
      return `arrayJoin(${printExpression(expression.value)})`;
    case 'aggregate':
      return printAggregate(expression);
  }
}

function printConstant(column: Column): string {
  return columnLength(column) === 0 ? '' : printValue(valueAt(column, 0));
}

function printValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  return typeof value === 'string' ? `'${decodeUtf8(value)}'` : String(value);
}
