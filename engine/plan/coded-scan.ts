// Scans of rows that lie with their ids, as workers run them: where ids of rows are gathered into sets, or
// looked for in sets, it is their codes that are. The code stands before the columns of the table, and
// goes with the rows as far as they are rows, or groups of one id.

import type { TableSchema } from '../../catalog/schema.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { codeColumn, idColumn } from '../ddl/grouping.ts';
import {
  type AggregateExpression,
  type AskExpression,
  type BoundExpression,
  contains,
  rewrite,
} from './bound-expression.ts';
import type { Operator, PlacedStep } from './physical-plan.ts';

type Scan = Extract<Operator, { op: 'scan' }>;

/** Of each column, the position in the schema of the table's column that it is, unchanged. */
export type Origins = readonly (number | undefined)[];

export function originsAfter(operator: Operator, from: Origins): Origins {
  const through = (expressions: readonly BoundExpression[]): Origins =>
    expressions.map((one) => (one.kind === 'column' ? from[one.index] : undefined));
  switch (operator.op) {
    case 'project':
      return through(operator.columns);
    case 'aggregate':
      return through([...operator.keys, ...operator.aggregates]);
    default:
      // The others append columns, which are nobody's.
      return from;
  }
}

/** Whether an expression over columns of these origins is the id of their rows. */
export type IdTest = (one: BoundExpression) => boolean;

export function idTest({ table }: Scan, from: Origins): IdTest {
  const idAt = idColumn(table.schema);
  return (one) => one.kind === 'column' && idAt !== undefined && from[one.index] === idAt;
}

/** Whether the question is if a row's own id is in a set that is the same for all rows. */
export function asksOwnId(ask: AskExpression, isId: IdTest): boolean {
  const pair = ask.arguments[0];
  if (ask.ask !== 'any' || pair?.kind !== 'set' || pair.op !== 'and') return false;
  const [set, single] = pair.arguments;
  if (set === undefined || single?.kind !== 'set' || single.op !== 'single') return false;
  return isId(single.arguments[0]!) && !contains(set, isOfRows);
}

function isOfRows({ kind }: BoundExpression): boolean {
  return kind === 'column' || kind === 'ask' || kind === 'array-join' || kind === 'in-node';
}

/** Whether the aggregate gathers ids of rows into a set. */
export function gathersIds({ call }: AggregateExpression, isId: IdTest): boolean {
  return call.what === 'intern' && isId(call.arguments[0]);
}

interface CodedScan {
  readonly scan: Scan;
  /** How many columns stand before those that the scan gave. */
  readonly before: number;
}

/** The scan itself where no codes are needed. */
export function codedScan(scan: Scan): CodedScan {
  const { schema } = scan.table;
  const column = codeColumn(schema);
  const last = lastUse(scan);
  if (scan.byGroup !== true || column === undefined || last < 0) return { scan, before: 0 };
  const { steps: given = [] } = scan;
  const coder = new StepCoder(scan, last);
  const steps = given.map((step, i) => coder.coded(step, i));
  const coded: TableSchema = { ...schema, columns: [...schema.columns, column] };
  const { filter } = scan;
  return {
    scan: {
      ...scan,
      table: { ...scan.table, schema: coded },
      columns: [schema.columns.length, ...scan.columns],
      ...(filter === undefined ? {} : { filter: shifted(filter) }),
      steps,
    },
    before: coder.isCarried ? 1 : 0,
  };
}

const codeType: DataType = { kind: 'UInt32' };
const code: BoundExpression = { kind: 'column', type: codeType, index: 0 };

/** The last step that needs codes; -1: none does. */
function lastUse(scan: Scan): number {
  let from: Origins = scan.columns;
  let last = -1;
  scan.steps?.forEach(({ operator }, i) => {
    if (usesCodes(operator, idTest(scan, from))) last = i;
    from = originsAfter(operator, from);
  });
  return last;
}

function usesCodes(operator: Operator, isId: IdTest): boolean {
  if (operator.op === 'ask') return operator.asks.some((ask) => asksOwnId(ask, isId));
  return operator.op === 'aggregate' && operator.aggregates.some((one) => gathersIds(one, isId));
}

class StepCoder {
  /** Whether the rows at hand begin with their codes. */
  isCarried = true;
  readonly #scan: Scan;
  /** The last step that needs codes. */
  readonly #last: number;
  #from: Origins;

  constructor(scan: Scan, last: number) {
    this.#scan = scan;
    this.#last = last;
    this.#from = scan.columns;
  }

  coded(step: PlacedStep, at: number): PlacedStep {
    const isId = idTest(this.#scan, this.#from);
    this.#from = originsAfter(step.operator, this.#from);
    if (!this.isCarried) return step;
    const operator = this.#operator(step.operator, { isId, at });
    return { operator, types: this.isCarried ? [codeType, ...step.types] : step.types };
  }

  #operator(
    operator: Operator,
    { isId, at }: { readonly isId: IdTest; readonly at: number },
  ): Operator {
    switch (operator.op) {
      case 'filter':
        return { ...operator, condition: shifted(operator.condition) };
      case 'project':
        return { ...operator, columns: [code, ...operator.columns.map(shifted)] };
      case 'array-join':
        return { ...operator, arrays: operator.arrays.map(shifted) };
      case 'ask':
        return { ...operator, asks: operator.asks.map((ask) => codedAsk(ask, isId)) };
      case 'aggregate': {
        this.isCarried = at < this.#last && operator.keys.some(isId);
        const aggregates = operator.aggregates.map((one) => codedAggregate(one, isId));
        const keys = operator.keys.map(shifted);
        return { ...operator, keys: this.isCarried ? [code, ...keys] : keys, aggregates };
      }
      default:
        return operator;
    }
  }
}

function codedAsk(ask: AskExpression, isId: IdTest): AskExpression {
  if (!asksOwnId(ask, isId)) return shifted(ask) as AskExpression;
  return rewrite(ask, (node) =>
    node.kind === 'set' && node.op === 'single' && isId(node.arguments[0]!)
      ? { ...node, op: 'coded', arguments: [code] }
      : node,
  ) as AskExpression;
}

function codedAggregate(aggregate: AggregateExpression, isId: IdTest): AggregateExpression {
  const moved = shifted(aggregate) as AggregateExpression;
  if (!gathersIds(aggregate, isId)) return moved;
  return { ...moved, call: { what: 'codes', arguments: [code] } };
}

/** Behind the code. */
function shifted(expression: BoundExpression): BoundExpression {
  return rewrite(expression, (node) =>
    node.kind === 'column' ? { ...node, index: node.index + 1 } : node,
  );
}
