// EXPLAIN: the stages of a query with the root's operators and the questions of each stage's batch. The
// plan alone (nothing is read but the catalog), or ANALYZE: run, with what it took. SYNTAX prints the
// statement, ESTIMATE what tables would be read, in ClickHouse's columns.

import { MusterError } from '../base/errors.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import type { Column } from '../storage-format/column.ts';
import type { NamedType } from '../storage-format/data-type.ts';
import { estimatedNotes, measuredNotes, millis } from './cost/plan-notes.ts';
import { PlanTrace } from './cost/plan-trace.ts';
import { costText, countText } from './cost/query-cost.ts';
import { estimateScans } from './cost/scan-estimate.ts';
import { workerTable } from './cost/worker-table.ts';
import { printPlan } from './plan/plan-printer.ts';
import type { QueryContext } from './query-context.ts';
import { planFor, runPlan } from './root/run-select.ts';
import type { Query, Statement } from './sql/ast.ts';
import { printStatement } from './sql/statement-printer.ts';

type Explain = Extract<Statement, { readonly kind: 'explain' }>;

interface Rows {
  readonly columns: readonly NamedType[];
  readonly block: { readonly rows: number; readonly columns: readonly Column[] };
}

export async function explainStatement(
  { what, statement }: Explain,
  context: QueryContext,
): Promise<Rows> {
  if (what === 'syntax') return lineRows(printStatement(statement).split('\n'));
  if (statement.kind !== 'select') {
    const name = what === 'plan' ? '' : ` ${what.toUpperCase()}`;
    throw new MusterError('NOT_IMPLEMENTED', `EXPLAIN${name} is supported for SELECT only`);
  }
  switch (what) {
    case 'plan': {
      const plan = await planFor(statement.query, context, 'state');
      return lineRows(printPlan(plan, await estimatedNotes(plan, context)));
    }
    case 'estimate':
      return await estimateRows(statement.query, context);
    case 'analyze':
      return lineRows(await analyzedLines(statement.query, context));
  }
}

/** Runs the query; its answer is thrown away. */
async function analyzedLines(query: Query, given: QueryContext): Promise<readonly string[]> {
  const { clock, cost, functionSize } = given;
  const trace = new PlanTrace(clock);
  const context = { ...given, trace };
  const began = clock.monotonic();
  const plan = await planFor(query, context, 'state');
  const planned = clock.monotonic();
  const { block } = await runPlan(plan, context);
  trace.leave();
  const ended = clock.monotonic();
  const total = cost.total(ended - began, functionSize);
  const workers = workerTable(cost, ended - began);
  const notes = await measuredNotes(plan, context, trace);
  const times = `${millis(planned - began)} planning, ${millis(ended - planned)} running`;
  return [
    `Answer: ${countText(block.rows, 'row')} in ${millis(ended - began)} (${times})`,
    `Cost: ${costText(total)}`,
    '',
    ...printPlan(plan, notes),
    '',
    ...workers,
  ];
}

/** One row a table: stripes in place of parts, and as marks the parts to open. */
async function estimateRows(query: Query, context: QueryContext): Promise<Rows> {
  const plan = await planFor(query, context, 'state');
  const scans = await estimateScans(plan.nodes, context);
  const tables = new Map<string, { names: readonly string[]; counts: [number, number, number] }>();
  for (const [id, { kept, rows }] of scans) {
    const operator = plan.nodes[id]?.operator;
    if (operator?.op !== 'scan') continue;
    const names = [operator.table.database, operator.table.schema.name];
    const found = tables.get(names.join('.')) ?? { names, counts: [0, 0, 0] };
    tables.set(names.join('.'), found);
    [kept.length, rows, kept.flatMap(({ parts }) => parts).length].forEach(
      (count, i) => (found.counts[i]! += count),
    );
  }
  const all = [...tables.values()];
  const texts = ['database', 'table'].map((name, i) => ({
    named: { name, type: { kind: 'String' } as const },
    column: { kind: 'string', values: all.map((one) => encodeUtf8(one.names[i]!)) } as const,
  }));
  const counts = ['parts', 'rows', 'marks'].map((name, i) => ({
    named: { name, type: { kind: 'UInt64' } as const },
    column: {
      kind: 'wide',
      values: BigUint64Array.from(all, (one) => BigInt(one.counts[i]!)),
    } as const,
  }));
  const columns = [...texts, ...counts];
  return {
    columns: columns.map(({ named }) => named),
    block: { rows: all.length, columns: columns.map(({ column }) => column) },
  };
}

function lineRows(lines: readonly string[]): Rows {
  const values = lines.map((line) => encodeUtf8(line));
  return {
    columns: [{ name: 'explain', type: { kind: 'String' } }],
    block: { rows: values.length, columns: [{ kind: 'string', values }] },
  };
}
