// Where rows come from: stored tables, numbers(), the data of an INSERT, system tables. Blocks of at
// most 65,536 rows, read as they are asked for.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { internedLists } from '../batch/sorted-lists.ts';
import type { InsertBlock } from '../ingest/insert-block.ts';
import type { Operator } from '../plan/physical-plan.ts';
import { plain, type Relation, type RelationColumn } from '../rows/relation.ts';
import type { Evaluation } from './evaluation.ts';
import { systemRows } from './system-tables.ts';
import { blockRows, scanTable } from './table-scan.ts';

interface SourceOptions {
  readonly needed: readonly boolean[];
  readonly evaluation: Evaluation;
}

export async function* sourceBlocks(
  operator: Operator,
  options: SourceOptions,
): AsyncGenerator<Relation> {
  const { evaluation } = options;
  switch (operator.op) {
    case 'scan':
      yield* scanTable({ operator, ...options });
      return;
    case 'numbers':
      yield* numberBlocks(operator.from, operator.count, evaluation);
      return;
    case 'input': {
      const source = defined(evaluation.context.input, 'the data of the INSERT');
      const opened = source.open(operator.structure);
      for await (const block of opened.blocks) {
        evaluation.context.progress.readRows += block.rows;
        yield inputRelation(block, evaluation);
      }
      return;
    }
    case 'files': {
      const source = defined(evaluation.context.fileSources[operator.source], operator.label);
      for await (const block of source.blocks(options.needed)) {
        yield inputRelation(block, evaluation);
      }
      return;
    }
    case 'system':
      yield await systemRows(operator.table, evaluation.context);
      return;
    default:
      throw new MusterError('LOGICAL_ERROR', `${operator.op} is no source`);
  }
}

function* numberBlocks(from: bigint, count: bigint, evaluation: Evaluation): Generator<Relation> {
  for (let done = 0n; done < count; done += BigInt(blockRows)) {
    const left = count - done;
    const rows = left < BigInt(blockRows) ? Number(left) : blockRows;
    checkNumbers(rows, evaluation);
    yield { rows, columns: [plain({ kind: 'wide', values: consecutive(from + done, rows) })] };
  }
}

function checkNumbers(rows: number, { context }: Evaluation): void {
  context.progress.readRows += rows;
  const { maxRowsToRead } = context.settings;
  if (maxRowsToRead === 0 || context.progress.readRows <= maxRowsToRead) return;
  throw new MusterError(
    'TOO_MANY_ROWS',
    `Limit for rows to read exceeded, maximum: ${maxRowsToRead} (setting max_rows_to_read)`,
  );
}

/** Written by 32-bit halves: BigInt arithmetic per row would cost more than all that follows. */
function consecutive(from: bigint, rows: number): BigUint64Array {
  const values = new BigUint64Array(rows);
  const halves = new Uint32Array(values.buffer);
  let low = Number(BigInt.asUintN(32, from));
  let high = Number(BigInt.asUintN(32, from >> 32n));
  for (let i = 0; i < rows; i++) {
    halves[2 * i] = low;
    halves[2 * i + 1] = high;
    if (++low === 0x1_0000_0000) {
      low = 0;
      high++;
    }
  }
  return values;
}

function inputRelation(block: InsertBlock, evaluation: Evaluation): Relation {
  const columns = block.columns.map((column): RelationColumn => {
    if (column.kind !== 'ids' && column.kind !== 'lists') return plain(column);
    const ids = column.kind === 'ids' ? column.ids : internedLists(column.lists);
    return { kind: 'set', node: evaluation.graph.raw(ids), constant: false };
  });
  return { rows: block.rows, columns };
}
