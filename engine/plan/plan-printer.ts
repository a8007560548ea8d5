// A physical plan as lines of text: stage by stage, the root's nodes and the questions of the batch,
// with what is known of them beside and below: estimates, or how they ran.

import type { BoundExpression } from './bound-expression.ts';
import {
  type ColumnNames,
  printAggregate,
  printExpression,
  printExpressions,
} from './bound-printer.ts';
import { codedScan } from './coded-scan.ts';
import { nodeNames } from './node-names.ts';
import {
  inputsOf,
  isWorkerScan,
  type NodeId,
  type Operator,
  type Plan,
  type PlanNode,
} from './physical-plan.ts';
import { placedNodes, readColumns } from './placed-steps.ts';

/** What is printed beside the plan itself. */
export interface PlanNotes {
  /** After the stage's name. */
  stage(stage: number): string;
  /** Under a node. */
  below(node: NodeId): readonly string[];
  /** At the right of a node, in a column of its own. */
  beside(node: NodeId): string | undefined;
}

interface Line {
  readonly text: string;
  readonly beside?: string | undefined;
}

/** Longer lines don't push the column at the right further. */
const besideAtMost = 100;

export function printPlan(plan: Plan, notes?: PlanNotes): readonly string[] {
  const names = nodeNames(plan);
  const lines: Line[] = [];
  for (let stage = 0; stage <= plan.stages; stage++) {
    const name = `Stage ${stage}`;
    lines.push({ text: notes === undefined ? name : `${name}: ${notes.stage(stage)}` });
    plan.nodes.forEach((node, id) => {
      if (!node.used || node.stage !== stage) return;
      const result = id === plan.output ? ` -> ${columnNames(plan)}` : '';
      const text = `  #${id} ${printOperator(node, names)}${result}`;
      lines.push({ text: oneLine(text), beside: notes?.beside(id) });
      const below = [
        ...printSteps(node),
        ...printAsks(node, inputNames(node, names)),
        ...(notes?.below(id) ?? []),
      ];
      lines.push(...below.map((line) => ({ text: oneLine(`       ${line}`) })));
    });
  }
  return aligned(lines);
}

function inputNames({ operator }: PlanNode, names: readonly ColumnNames[]): ColumnNames {
  return inputsOf(operator).flatMap((id) => names[id] ?? []);
}

function columnNames(plan: Plan): string {
  return plan.columns.map(({ name }) => name).join(', ');
}

/** Names and constants may hold anything. */
function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}

/** Notes at the right begin where the longest line ends that is not too long, and end together. */
function aligned(lines: readonly Line[]): readonly string[] {
  const noted = lines.filter(({ beside }) => beside !== undefined);
  const lengths = noted.map(({ text }) => text.length).filter((length) => length <= besideAtMost);
  const width = Math.max(0, ...lengths) + 2;
  const notesWidth = Math.max(0, ...noted.map(({ beside = '' }) => beside.length));
  return lines.map(({ text, beside }) => {
    if (beside === undefined) return text;
    const room = Math.max(beside.length + 2, width + notesWidth - text.length);
    return (text + beside.padStart(room)).trimEnd();
  });
}

/** What is done with rows where they lie; `#0` are the scan's. */
function printSteps({ operator, needed }: PlanNode): readonly string[] {
  if (operator.op !== 'scan' || operator.steps === undefined) return [];
  const { scan, before } = codedScan(operator);
  const nodes = placedNodes(scan, neededAfter(before, needed));
  const names = nodeNames({ nodes, output: nodes.length - 1, columns: [], stages: 0 });
  return nodes
    .slice(1)
    .flatMap((node, i) => [
      `there #${i + 1} ${printOperator(node, names)}`,
      ...printAsks(node, inputNames(node, names)).map((line) => `  ${line}`),
    ]);
}

/** Of the columns that stand before, none is read. */
function neededAfter(before: number, needed: readonly boolean[]): readonly boolean[] {
  return [...new Array<boolean>(before).fill(false), ...needed];
}

function printAsks(node: PlanNode, names: ColumnNames): readonly string[] {
  if (node.operator.op !== 'ask') return [];
  const first = node.needed.length - node.operator.asks.length;
  return node.operator.asks.flatMap((ask, i) =>
    node.needed[first + i] === true
      ? [`ask ${ask.ask}(${printExpressions(ask.arguments, names)}) -> $${first + i}`]
      : [],
  );
}

function printOperator(node: PlanNode, all: readonly ColumnNames[]): string {
  const { operator } = node;
  const names = inputNames(node, all);
  switch (operator.op) {
    case 'scan':
      return printScan(operator, node);
    case 'one-row':
      return 'OneRow';
    case 'numbers':
      return `Numbers ${operator.from} + ${operator.count}`;
    case 'input':
      return 'Input';
    case 'files':
      return `Files ${operator.label}`;
    case 'system':
      return `System ${operator.table}`;
    case 'filter':
      return `Filter #${operator.input}: ${printExpression(operator.condition, names)}`;
    case 'project':
      return `Project #${operator.input}: ${printNeeded(operator.columns, node, names)}`;
    case 'ask':
      return `Ask #${operator.input}`;
    case 'array-join': {
      const name = operator.left ? 'LeftArrayJoin' : 'ArrayJoin';
      return `${name} #${operator.input}: ${printExpressions(operator.arrays, names)}`;
    }
    case 'aggregate': {
      const made = operator.aggregates.filter((_, i) => node.needed[operator.keys.length + i]);
      const aggregates = made.map((one) => printAggregate(one, names));
      const keys = printExpressions(operator.keys, names);
      return `Aggregate #${operator.input}: keys [${keys}], ${aggregates.join(', ')}`;
    }
    case 'join':
      return `Join ${operator.how} #${operator.left}, #${operator.right}${printKeys(operator, all)}`;
    default:
      return printOrdering(operator, names);
  }
}

function printOrdering(operator: Operator, names: ColumnNames): string {
  switch (operator.op) {
    case 'sort': {
      const keys = operator.keys.map(
        (key) => `${printExpression(key.value, names)}${key.descending ? ' DESC' : ''}`,
      );
      return `Sort #${operator.input}: ${keys.join(', ')}`;
    }
    case 'limit':
      return `Limit #${operator.input}: ${operator.limit ?? 'all'} from ${operator.offset}`;
    case 'limit-by': {
      const by = printExpressions(operator.by, names);
      return `LimitBy #${operator.input}: ${operator.limit} by ${by}`;
    }
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

function printScan(plain: Extract<Operator, { op: 'scan' }>, node: PlanNode): string {
  const { scan: operator, before } = codedScan(plain);
  const { database, schema } = operator.table;
  const all = operator.columns.map((at) => schema.columns[at]);
  const read = readColumns(operator, neededAfter(before, node.needed));
  const columns = all
    .filter((_, i) => read[i] === true)
    .map((one) => `${one?.name ?? '?'}${one?.type.kind === 'Bitmap' ? ' (stored sets)' : ''}`);
  const names = all.map((one) => one?.name ?? '?');
  const { filter, limit } = operator;
  const what = isWorkerScan(operator) ? 'Rows' : 'Scan';
  const where = filter === undefined ? '' : ` where ${printExpression(filter, names)}`;
  const first = limit === undefined ? '' : ` first ${limit}`;
  return `${what} ${database}.${schema.name}: ${columns.join(', ')}${where}${first}`;
}

function printNeeded(
  columns: readonly BoundExpression[],
  node: PlanNode,
  names: ColumnNames,
): string {
  return printExpressions(
    columns.filter((_, i) => node.needed[i] === true),
    names,
  );
}

function printKeys(
  operator: Extract<Operator, { op: 'join' }>,
  all: readonly ColumnNames[],
): string {
  if (operator.leftKeys.length === 0) return '';
  const left = printExpressions(operator.leftKeys, all[operator.left]);
  return `: [${left}] = [${printExpressions(operator.rightKeys, all[operator.right])}]`;
}
