// Counts of rows that are taken of fewer ones, as a matrix has them: asked are the fewer, and taken are
// their counts, by who asked. Neither the rows' numbers nor their counts travel. Pure.

import { defined } from '../../base/assert.ts';
import type { Answer, Ask, Batch } from './batch.ts';
import { rowCounts, withoutUnused } from './simplified-batch.ts';

export interface TakenCounts {
  readonly batch: Batch;
  /** From answers to `batch` those to the batch that was given. */
  readonly finish: (answers: readonly Answer[]) => readonly Answer[];
}

export function takenCounts(batch: Batch): TakenCounts {
  const lengths = rowCounts(batch.sets);
  const below = batch.asks.map((ask) => fewerRows(ask, batch, lengths));
  if (below.every((one) => one === undefined)) return { batch, finish: (answers) => answers };
  const asks = batch.asks.map((ask, i): Ask => {
    const of = below[i]?.of;
    return of === undefined || ask.ask === 'rows' ? ask : { ...ask, of };
  });
  return {
    batch: { ...batch, ...withoutUnused(batch.sets, asks) },
    finish: (answers) => answers.map((answer, i) => taken(answer, below[i]?.index)),
  };
}

function fewerRows(
  ask: Ask,
  { sets }: Batch,
  lengths: readonly number[],
): { readonly of: number; readonly index: Int32Array } | undefined {
  if (ask.ask !== 'card' && ask.ask !== 'any') return undefined;
  const column = defined(sets[ask.of], 'an asked node');
  if (column.op !== 'take') return undefined;
  return lengths[column.of]! <= column.index.length ? column : undefined;
}

function taken(answer: Answer, index: Int32Array | undefined): Answer {
  if (index === undefined) return answer;
  if (answer.ask === 'card') {
    const { counts } = answer;
    return { ...answer, counts: Float64Array.from(index, (row) => (row < 0 ? 0 : counts[row]!)) };
  }
  if (answer.ask !== 'any') return answer;
  const { flags } = answer;
  return { ...answer, flags: Uint8Array.from(index, (row) => (row < 0 ? 0 : flags[row]!)) };
}
