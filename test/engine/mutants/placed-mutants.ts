// Mistakes about rows that lie whole in one group: read by more than one slice, taken for whole before
// they are merged, or done without some group.

import type { Batch, PlacedWork, SetColumn, Slice } from '../../../engine/batch/batch.ts';
import { codesEnd } from '../../../engine/batch/slices.ts';
import { take } from '../../../engine/library/columns/take.ts';
import { noKeys } from '../../../storage-format/key-list.ts';
import { bySlice, changeSets, type Mutant, nobody } from './mutant.ts';
import { renumbered } from './row-mutants.ts';

export const placedMutants: readonly Mutant[] = [
  {
    name: 'rows that lie with their ids are dealt out, and counted as if they lay there',
    mistake: 'detail ids counted by slice',
    invoke: async (asked, run) =>
      await run({
        ...asked,
        batch: changePlaced(asked.batch, (placed) =>
          placed.nodes[0]?.operator.op === 'scan' && placed.nodes[0].operator.byGroup === true
            ? { ...placed, dictionaries: [] }
            : placed,
        ),
      }),
  },
  {
    name: 'every code range of a group reads its rows',
    mistake: 'rows counted by slice',
    invoke: async (asked, run) => {
      if (!isPlaced(asked.batch)) return await run(asked);
      const replies = await Promise.all(
        asked.slices.map(async (slice) => {
          const [reply] = await run({ ...asked, slices: [wholeGroup(slice)] });
          return { slice, answers: reply!.answers };
        }),
      );
      return renumbered(replies);
    },
  },
  {
    name: 'rows to be merged are taken as they lie',
    mistake: 'keys ragged between slices',
    invoke: async (asked, run) =>
      await run({
        ...asked,
        batch: changePlaced(asked.batch, (placed) => ({
          ...placed,
          partitions: placed.partitions.map((partition, i) => `${partition}${i}`),
        })),
      }),
  },
  {
    name: 'the rows of the first group are forgotten',
    mistake: 'keys ragged between slices',
    invoke: async (asked, run) => {
      const replies = await run(asked);
      if (!isPlaced(asked.batch)) return replies;
      return replies.map(({ slice, answers }) => ({
        slice,
        answers: slice.group > 0 ? answers : answers.map((a) => (a.ask === 'rows' ? nobody(a) : a)),
      }));
    },
  },
  {
    name: 'conditions on counts are not asked where rows lie',
    mistake: 'rows counted by slice',
    invoke: async (asked, run) =>
      await run({
        ...asked,
        batch: changePlaced(asked.batch, (placed) => ({
          ...placed,
          nodes: placed.nodes.filter(({ operator }) => operator.op !== 'filter'),
        })),
      }),
  },
  {
    name: 'sets made of rows are taken in the order of their groups, not by keys',
    mistake: 'keys ragged between slices',
    invoke: async (asked, run) =>
      await run({
        ...asked,
        batch: changeSets(asked.batch, (column) =>
          column.op === 'grouped'
            ? { ...column, keys: column.keys.map((key) => take(key, reversed(column.length))) }
            : column,
        ),
      }),
  },
  {
    name: 'rows look their ids up in the sets of the first group alone',
    mistake: 'a set joined to rows sees its own slice',
    invoke: bySlice(({ batch, slices }) => ({
      slices,
      batch:
        slices[0]!.group === 0
          ? batch
          : changeSets(batch, (column, node) =>
              isLookedUp(batch, node) ? nobodyIn(batch, column) : column,
            ),
    })),
  },
];

/** The empty set in place of the one row of a node. */
function nobodyIn(batch: Batch, column: SetColumn): SetColumn {
  const dictionary = 'dictionary' in column ? column.dictionary : 0;
  const { domain } = batch.dictionaries[dictionary]!;
  const none = { offsets: new Uint32Array(2), ordinals: new Uint32Array(0) };
  return { op: 'raw', dictionary, ids: { keys: noKeys(domain), ...none } };
}

function isLookedUp(batch: Batch, node: number): boolean {
  return batch.fragments.some(({ placed }) => placed?.sets?.some(({ set }) => set === node));
}

function reversed(length: number): Int32Array {
  return Int32Array.from({ length }, (_, row) => length - 1 - row);
}

function isPlaced(batch: Batch): boolean {
  return batch.fragments.some(({ placed }) => placed !== undefined);
}

function wholeGroup({ group }: Slice): Slice {
  return { group, codes: { start: 0, end: codesEnd } };
}

function changePlaced(batch: Batch, change: (placed: PlacedWork) => PlacedWork): Batch {
  const fragments = batch.fragments.map((fragment) =>
    fragment.placed === undefined ? fragment : { ...fragment, placed: change(fragment.placed) },
  );
  return { ...batch, fragments };
}
