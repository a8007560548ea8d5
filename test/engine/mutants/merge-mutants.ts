// Mistakes of merging: the answers of all slices put together by a wrong rule. The wrong result
// travels as the first slice's answer, and the others say that they have nobody.

import type { Answer, Ask } from '../../../engine/batch/batch.ts';
import { type Invoke, type KeyAnswer, keyRows, lists, type Mutant, nobody } from './mutant.ts';

export const mergeMutants: readonly Mutant[] = [
  {
    name: 'the largest count of a slice is the count',
    mistake: 'decided by a count before it is whole',
    invoke: merging('card', (answers) => {
      const counts = answers[0]!.counts.map((_, r) =>
        Math.max(...answers.map((a) => a.counts[r]!)),
      );
      return { ask: 'card', counts };
    }),
  },
  {
    name: 'flags are summed',
    mistake: 'rows whose slice is empty',
    invoke: merging('any', (answers) => {
      const flags = answers[0]!.flags.map((_, r) => answers.reduce((s, a) => s + a.flags[r]!, 0));
      return { ask: 'any', flags };
    }),
  },
  {
    name: 'a flag holds only if it holds in every slice',
    mistake: 'rows whose slice is empty',
    invoke: merging('any', (answers) => {
      const flags = answers[0]!.flags.map((_, r) => Math.min(...answers.map((a) => a.flags[r]!)));
      return { ask: 'any', flags };
    }),
  },
  {
    name: 'each slice gives its own least ids',
    mistake: 'ranks and replacements by slice',
    invoke: merging('least', (answers) => joined('least', answers)),
  },
  {
    name: 'the first slice with ids gives the least',
    mistake: 'ranks and replacements by slice',
    invoke: merging('least', (answers) => {
      const rows = answers.map(keyRows);
      const firsts = rows[0]!.map((_, r) => rows.map((one) => one[r]!).find((x) => x.length > 0));
      return lists(
        'least',
        firsts.map((row) => row ?? []),
      );
    }),
  },
  {
    name: 'the greatest ids are sought among the least',
    mistake: 'ranks and replacements by slice',
    invoke: merging('greatest', (answers, { n }) => {
      const rows = keyRows(joined('greatest', answers));
      return lists(
        'greatest',
        rows.map((row, r) => row.sort(ascending).slice(0, n[r])),
      );
    }),
  },
  {
    name: 'ids stay in the order of slices',
    mistake: 'ranks and replacements by slice',
    invoke: merging('ids', (answers) => joined('ids', answers)),
  },
  {
    name: 'ids are ordered as signed numbers',
    mistake: 'ranks and replacements by slice',
    invoke: merging('ids', (answers) => {
      const signed = (id: bigint) => BigInt.asIntN(64, id);
      const rows = keyRows(joined('ids', answers));
      return lists(
        'ids',
        rows.map((row) => row.sort((a, b) => ascending(signed(a), signed(b)))),
      );
    }),
  },
  {
    name: 'a slice without ids gives a row of the default',
    mistake: 'rows whose slice is empty',
    invoke: merging('ids', (answers) =>
      joined(
        'ids',
        answers.map((answer) =>
          lists(
            'ids',
            keyRows(answer).map((row) => (row.length === 0 ? [0n] : row)),
          ),
        ),
      ),
    ),
  },
];

type AnswerOf<K extends Answer['ask']> = Extract<Answer, { readonly ask: K }>;
type AskOf<K extends Ask['ask']> = Extract<Ask, { readonly ask: K }>;

/** All answers to one kind of ask merged by `merge`, the other kinds as they should be. */
function merging<K extends Answer['ask']>(
  kind: K,
  merge: (answers: readonly AnswerOf<K>[], ask: AskOf<K>) => Answer,
): Invoke {
  return async (asked, run) => {
    const replies = await run(asked);
    const merged = asked.batch.asks.map((ask, a) =>
      ask.ask === kind
        ? merge(
            replies.map(({ answers }) => answers[a] as AnswerOf<K>),
            ask as AskOf<K>,
          )
        : undefined,
    );
    return replies.map(({ slice, answers }, s) => ({
      slice,
      answers: answers.map((answer, a) => {
        const wrong = merged[a];
        if (wrong === undefined) return answer;
        return s === 0 ? wrong : nobody(answer);
      }),
    }));
  };
}

function joined(ask: KeyAnswer['ask'], answers: readonly KeyAnswer[]): KeyAnswer {
  const rows = answers.map(keyRows);
  return lists(
    ask,
    rows[0]!.map((_, r) => rows.flatMap((one) => one[r]!)),
  );
}

function ascending(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
