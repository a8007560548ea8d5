// Mistakes about detail rows: rows of one slice answered by others, forgotten, not refused, or put
// together in another order. Each slice's rows must come numbered in the order of slices, or merging
// finds out: these number them as they come.

import type { Answer, Batch, Fragment } from '../../../engine/batch/batch.ts';
import { bySlice, type Mutant, nobody, type OneReply } from './mutant.ts';

type RowsAnswer = Extract<Answer, { readonly ask: 'rows' }>;

export const rowMutants: readonly Mutant[] = [
  {
    name: 'every slice reads all stripes',
    mistake: 'rows counted by slice',
    invoke: async (asked, run) => {
      const alone = bySlice((one) => ({ ...one, batch: withSlices(one.batch, one.slices) }));
      return renumbered(await alone(asked, run));
    },
  },
  {
    name: 'the stripes of the last slice are forgotten',
    mistake: 'detail ids counted by slice',
    invoke: async (asked, run) => {
      const replies = await run(asked);
      return replies.map((reply, i) =>
        i < replies.length - 1
          ? reply
          : { ...reply, answers: reply.answers.map((a) => (a.ask === 'rows' ? nobody(a) : a)) },
      );
    },
  },
  {
    name: 'rows that a condition refuses are answered all the same',
    mistake: 'detail ids counted by slice',
    invoke: async (asked, run) => {
      const fragments = asked.batch.fragments.map(unfiltered);
      return await run({ ...asked, batch: { ...asked.batch, fragments } });
    },
  },
  {
    name: 'rows come in the order of arrival',
    mistake: 'decided in order of arrival',
    invoke: async (asked, run) => {
      const replies = await run(asked);
      const arrived = replies.toReversed();
      return renumbered(
        replies.map(({ slice, answers }, i) => ({
          slice,
          answers: answers.map((answer, a) =>
            answer.ask === 'rows' ? arrived[i]!.answers[a]! : answer,
          ),
        })),
      );
    },
  },
];

function unfiltered({ source, columns, answered, rowsMax }: Fragment): Fragment {
  return { source, columns, answered, rowsMax };
}

function withSlices(batch: Batch, slices: NonNullable<Batch['slices']>): Batch {
  return batch.slices === undefined ? batch : { ...batch, slices };
}

/** Rows numbered from 0, slice by slice. */
export function renumbered(replies: readonly OneReply[]): readonly OneReply[] {
  const next = new Map<number, number>();
  return replies.map(({ slice, answers }) => ({
    slice,
    answers: answers.map((answer, a): Answer => {
      if (answer.ask !== 'rows') return answer;
      const start = next.get(a) ?? 0;
      next.set(a, start + answer.rows);
      return numberedFrom(answer, start);
    }),
  }));
}

function numberedFrom(answer: RowsAnswer, start: number): RowsAnswer {
  return { ...answer, rowNumbers: answer.rowNumbers.map((_, i) => start + i) };
}
