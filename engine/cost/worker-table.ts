// The environments that answered a statement and what each did, as lines of an aligned table.

import { type CostLedger, usagesOf } from './cost-ledger.ts';
import { bytesText } from './query-cost.ts';

interface WorkerSum {
  invocations: number;
  cold: number;
  reads: number;
  bytesRead: number;
  busyMs: number;
}

const header = ['worker', 'invocations', 'cold', 'reads', 'bytes read', 'busy'];
const linesMax = 100;

/** Busiest first; the root last, with its own requests. */
export function workerTable(ledger: CostLedger, rootMs: number): readonly string[] {
  const sums = workerSums(ledger);
  const workers = [...sums].sort(([, a], [, b]) => b.busyMs - a.busyMs);
  const { root } = ledger;
  const rows = [
    header,
    ...workers.slice(0, linesMax).map(([name, sum]) => row(name, sum)),
    ['root', '', '', String(root.reads), bytesText(root.bytesRead), `${rootMs.toFixed(1)} ms`],
  ];
  const more = workers.length - linesMax;
  return [...aligned(rows), ...(more > 0 ? [`and ${more} more workers`] : [])];
}

function workerSums(ledger: CostLedger): ReadonlyMap<string, WorkerSum> {
  const sums = new Map<string, WorkerSum>();
  for (const usage of usagesOf(ledger.dispatches)) {
    const sum = sums.get(usage.worker) ?? {
      invocations: 0,
      cold: 0,
      reads: 0,
      bytesRead: 0,
      busyMs: 0,
    };
    sums.set(usage.worker, sum);
    sum.invocations++;
    sum.cold += Number(usage.cold);
    sum.reads += usage.reads;
    sum.bytesRead += usage.bytesRead;
    sum.busyMs += usage.busyMs;
  }
  return sums;
}

function row(name: string, sum: WorkerSum): readonly string[] {
  const { invocations, cold, reads, bytesRead, busyMs } = sum;
  const counts = [invocations, cold, reads].map(String);
  return [name, ...counts, bytesText(bytesRead), `${busyMs.toFixed(1)} ms`];
}

/** The first column to the left, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = header.map((_, i) => Math.max(...rows.map((cells) => (cells[i] ?? '').length)));
  return rows.map((cells) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('   '),
  );
}
