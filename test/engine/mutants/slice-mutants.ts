// Mistakes about who owns what: slices forgotten, cut wrongly, or answering for others.

import type { Answer, SetColumn, Slice } from '../../../engine/batch/batch.ts';
import {
  type Asked,
  bySlice,
  changeSets,
  keyRows,
  lists,
  type Mutant,
  nobody,
  type OneReply,
} from './mutant.ts';

const codesEnd = 2 ** 32;

export const sliceMutants: readonly Mutant[] = [
  {
    name: 'the last slice is forgotten',
    mistake: 'decided by a count before it is whole',
    invoke: async (asked, run) => onlySome(await run(asked), (_, i, all) => i < all.length - 1),
  },
  {
    name: 'a set is its part in one slice',
    mistake: 'a set joined to rows sees its own slice',
    invoke: async (asked, run) => onlySome(await run(asked), (_, i) => i === 0),
  },
  {
    name: 'two sets are one where a slice cannot tell them apart',
    mistake: 'distinct sets by slice',
    invoke: async (asked, run) => onlySome(await run(asked), ({ slice }) => slice.group === 0),
  },
  {
    name: 'each code range answers for its whole group',
    mistake: 'rows counted by slice',
    invoke: bySlice((one) => withCodes(one, { start: 0, end: codesEnd })),
  },
  {
    name: 'ids come once for each code range of their group',
    mistake: 'grouped by a function of the id',
    invoke: bySlice((one) => {
      const ids = one.batch.asks.some(({ ask }) => ask === 'ids');
      return ids ? withCodes(one, { start: 0, end: codesEnd }) : one;
    }),
  },
  {
    name: 'code ranges leave out their first code',
    mistake: 'detail ids counted by slice',
    invoke: bySlice((one) => {
      const { start, end } = one.slices[0]!.codes;
      return withCodes(one, { start: Math.min(start + 1, end - 1), end });
    }),
  },
  {
    name: 'unknown ids belong to no slice',
    mistake: 'ids that nobody knows',
    invoke: bySlice((one) => {
      const { start, end } = one.slices[0]!.codes;
      return withCodes(one, { start, end: Math.min(end, codesEnd - 1) });
    }),
  },
  {
    name: 'unknown ids belong to every code range of their group',
    mistake: 'ids that nobody knows',
    invoke: async (asked, run) => {
      const unowned = ({ slice }: OneReply) => slice.codes.end < codesEnd;
      const replies = await run(asked);
      const lasts = new Map(
        replies.filter((one) => !unowned(one)).map((one) => [one.slice.group, one]),
      );
      return await Promise.all(
        replies.map(async (reply): Promise<OneReply> => {
          if (!unowned(reply)) return reply;
          const last = lasts.get(reply.slice.group)!;
          const codes = { start: last.slice.codes.start, end: codesEnd - 1 };
          const [without] = await run(withCodes({ ...asked, slices: [last.slice] }, codes));
          const answers = reply.answers.map((answer, i) =>
            plusUnknown(answer, last.answers[i]!, without!.answers[i]!),
          );
          return { slice: reply.slice, answers };
        }),
      );
    },
  },
  {
    name: 'literal ids are given to one slice alone',
    mistake: 'ranks and replacements by slice',
    invoke: bySlice((one) => {
      const { group, codes } = one.slices[0]!;
      if (group === 0 && codes.start === 0) return one;
      return { ...one, batch: changeSets(one.batch, withoutLiterals) };
    }),
  },
];

/** The invocation's one slice, of other codes. */
function withCodes(one: Asked, codes: Slice['codes']): Asked {
  return { ...one, slices: one.slices.map(({ group }) => ({ group, codes })) };
}

function onlySome(
  replies: readonly OneReply[],
  keep: (reply: OneReply, i: number, all: readonly OneReply[]) => boolean,
): readonly OneReply[] {
  return replies.map((reply, i) =>
    keep(reply, i, replies) ? reply : { ...reply, answers: reply.answers.map(nobody) },
  );
}

function withoutLiterals(column: SetColumn): SetColumn {
  if (column.op !== 'raw') return column;
  const offsets = new Uint32Array(column.ids.offsets.length);
  return { ...column, ids: { ...column.ids, offsets, ordinals: new Uint32Array(0) } };
}

/** `own` and what `all` has more than `known`: the ids that the dictionary does not know. */
function plusUnknown(own: Answer, all: Answer, known: Answer): Answer {
  if (own.ask === 'card' && all.ask === 'card' && known.ask === 'card') {
    const counts = own.counts.map((count, r) => count + all.counts[r]! - known.counts[r]!);
    return { ask: 'card', counts };
  }
  if (own.ask === 'ids' && all.ask === 'ids' && known.ask === 'ids') {
    const [more, less] = [keyRows(all), keyRows(known)];
    const rows = keyRows(own).map((row, r) => [
      ...row,
      ...more[r]!.filter((id) => !less[r]!.includes(id)),
    ]);
    return lists('ids', rows);
  }
  return own;
}
