// A scan of detail rows from the root's side: which stripes to ask the workers for, portion by portion
// so that memory stays bounded however large the table is, and rows of answers as relations.

import { assert } from '../../base/assert.ts';
import type { StripeEntry } from '../../catalog/entry.ts';
import { type Answer, stripeRef } from '../batch/batch.ts';
import { type BoundExpression, contains, rewrite } from '../plan/bound-expression.ts';
import type { Operator } from '../plan/physical-plan.ts';
import { columnBytes } from '../rows/column-bytes.ts';
import { evaluate } from '../rows/evaluate.ts';
import { absent, plain, type Relation, type RelationColumn } from '../rows/relation.ts';
import type { Evaluation } from './evaluation.ts';
import type { RowsQuestion } from './question-dispatch.ts';
import { portionOf, portionRowsMax } from './scan-portions.ts';
import { type ScannedStripes, scannedStripes } from './scanned-stripes.ts';

type ScanOperator = Extract<Operator, { op: 'scan' }>;

interface DetailScanOptions {
  readonly operator: ScanOperator;
  readonly needed: readonly boolean[];
  readonly evaluation: Evaluation;
}

/** Where a few rows may be enough, portions begin small and double. */
const firstRowsUnderLimit = 64 * 1024;

export class DetailScan {
  readonly #options: DetailScanOptions;
  readonly #scanned: ScannedStripes;
  readonly #filter: BoundExpression | undefined;
  /** Positions in the operator's columns: those answered, then those that only the filter reads. */
  readonly #reads: readonly number[];
  readonly #answered: number;
  #at = 0;
  #portionRows: number;

  private constructor(
    options: DetailScanOptions,
    filter: BoundExpression | undefined,
    scanned: ScannedStripes,
  ) {
    const { operator, needed } = options;
    this.#options = options;
    this.#scanned = scanned;
    const answered = operator.columns.flatMap((_, i) => (needed[i] === true ? [i] : []));
    this.#answered = answered.length;
    this.#reads = [...new Set([...answered, ...(filter === undefined ? [] : columnsOf(filter))])];
    this.#filter = filter === undefined ? undefined : movedColumns(filter, this.#reads);
    this.#portionRows = operator.limit === undefined ? portionRowsMax : firstRowsUnderLimit;
  }

  /** All that the filter looks up must be there. */
  static async open(options: DetailScanOptions): Promise<DetailScan> {
    const { operator, evaluation } = options;
    const filter =
      operator.filter === undefined ? undefined : withoutScalars(operator.filter, evaluation);
    const scanned = await scannedStripes(
      filter === undefined ? operator : { ...operator, filter },
      evaluation.context,
    );
    return new DetailScan(options, filter, scanned);
  }

  /** The next portion of rows; undefined after the last. */
  next(): RowsQuestion | undefined {
    const stripes = this.#portion();
    if (stripes.length === 0) return undefined;
    const { operator, evaluation } = this.#options;
    const { columns } = operator.table.schema;
    const condition = this.#filter;
    return {
      namespace: this.#scanned.snapshot.namespace,
      source: {
        groups: 1,
        stripes: stripes.map(stripeRef),
      },
      fragment: {
        columns: this.#reads.map((i) => columns[operator.columns[i]!]!.id),
        answered: this.#answered,
        rowsMax: stripes.reduce((sum, stripe) => sum + stripe.rows, 0),
        ...(condition === undefined
          ? {}
          : { filter: { condition, functions: evaluation.functions } }),
        ...(operator.limit === undefined ? {} : { limit: operator.limit }),
      },
    };
  }

  relation(answer: Answer): Relation {
    assert(answer.ask === 'rows', 'rows are answered with rows');
    const { operator, evaluation } = this.#options;
    for (const column of answer.columns) {
      evaluation.context.progress.readBytes += columnBytes(column);
    }
    const columns = operator.columns.map((_, i): RelationColumn => {
      const at = this.#reads.indexOf(i);
      const column = at < 0 || at >= this.#answered ? undefined : answer.columns[at];
      return column === undefined ? absent : plain(column);
    });
    return { rows: answer.rows, columns };
  }

  #portion(): readonly StripeEntry[] {
    const portion = portionOf(this.#scanned.stripes, this.#at, this.#portionRows);
    this.#at += portion.length;
    this.#portionRows = Math.min(portionRowsMax, 2 * this.#portionRows);
    return portion;
  }
}

function columnsOf(expression: BoundExpression): readonly number[] {
  const found = new Set<number>();
  contains(expression, (node) => {
    if (node.kind === 'column') found.add(node.index);
    return false;
  });
  return [...found];
}

/** Column i of the operator is where `reads` has it. */
function movedColumns(expression: BoundExpression, reads: readonly number[]): BoundExpression {
  return rewrite(expression, (node) =>
    node.kind === 'column' ? { ...node, index: reads.indexOf(node.index) } : node,
  );
}

/** Values of subqueries are constants by now; sets stay. */
export function withoutScalars(
  expression: BoundExpression,
  evaluation: Evaluation,
): BoundExpression {
  return rewrite(expression, (node) => {
    if (node.kind !== 'scalar' || node.type.kind === 'Bitmap') return node;
    const value = evaluate(node, { rows: 1, columns: [] }, evaluation);
    assert(value.kind === 'plain', 'a filter of rows looks no sets up');
    return { kind: 'constant', type: node.type, value: value.column };
  });
}
