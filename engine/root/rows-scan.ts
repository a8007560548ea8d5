// Scans whose rows the workers read: of detail rows, and of tables that are grouped by columns.

import type { DataType } from '../../storage-format/data-type.ts';
import { isPlacedScan, type Operator } from '../plan/physical-plan.ts';
import { DetailScan } from './detail-scan.ts';
import type { Evaluation } from './evaluation.ts';
import { PlacedScan } from './placed-scan.ts';

/** Portions are asked for one after another; all that the scan looks up must be there. */
export type RowsScan = DetailScan | PlacedScan;

export async function openRowsScan(options: {
  readonly operator: Extract<Operator, { op: 'scan' }>;
  readonly needed: readonly boolean[];
  readonly types: readonly DataType[];
  readonly evaluation: Evaluation;
}): Promise<RowsScan> {
  const { steps } = options.operator;
  return steps !== undefined || isPlacedScan(options.operator)
    ? await PlacedScan.open(options)
    : await DetailScan.open(options);
}
