// Keys in the order of their groups: each group's run has the keys of that group, and every row the ids
// that it had before.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DictionaryId, DictionarySchema } from '../../../catalog/schema.ts';
import { groupsOfHashes } from '../../../engine/dictionary/key-groups.ts';
import { inGroupOrder } from '../../../engine/ingest/grouped-keys.ts';
import type { StagedRows } from '../../../engine/ingest/row-stage.ts';
import { hashKeys, type KeyList } from '../../../storage-format/key-list.ts';

const id = 1 as DictionaryId;

function dictionaries(groups: number, rule: DictionarySchema['groupBy'] = { rule: 'id' }) {
  const schema: DictionarySchema = {
    id,
    name: 'users',
    domain: 'integer',
    groups,
    groupBy: rule,
    hashFunction: 1,
    valueEncoding: 1,
  };
  return { dictionaries: new Map([[id, schema]]) };
}

/** One row for every list; as ordinals that count, or that repeat and are in any order. */
function staged(lists: readonly (readonly bigint[])[], asTheyCame: boolean): StagedRows {
  const all = lists.flat();
  const distinct = asTheyCame ? all : [...new Set(all)];
  const keys: KeyList = { domain: 'integer', values: BigUint64Array.from(distinct) };
  let end = 0;
  const offsets = Uint32Array.from([0, ...lists.map((list) => (end += list.length))]);
  const ordinals = Uint32Array.from(all, (key, i) => (asTheyCame ? i : distinct.indexOf(key)));
  return {
    rows: lists.length,
    scalars: new Map(),
    members: new Map([[7, { keys, offsets, ordinals }]]),
    keys: new Map([[id, keys]]),
  };
}

function listsOf({ members }: StagedRows): bigint[][] {
  const { keys, offsets, ordinals } = members.get(7)!;
  return Array.from({ length: offsets.length - 1 }, (_, row) =>
    Array.from(
      ordinals.subarray(offsets[row], offsets[row + 1]),
      (ordinal) => keys.values[ordinal] as bigint,
    ),
  );
}

const key = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 2n ** 64n - 1n));
const lists = fc.array(fc.array(key, { maxLength: 40 }), { minLength: 1, maxLength: 5 });

it('keeps the ids of rows, and puts each key into the run of its group', () => {
  fc.assert(
    fc.property(lists, fc.constantFrom(1, 2, 3, 16), fc.boolean(), (given, groups, asTheyCame) => {
      const rows = staged(given, asTheyCame);
      const before = listsOf(rows);
      const ordered = inGroupOrder(rows, dictionaries(groups), 1);
      expect(listsOf(ordered)).toEqual(before);
      expect(listsOf(rows)).toEqual(before);
      if (given.flat().length === 0) return;
      const keys = ordered.keys.get(id)!;
      const starts = ordered.groupStarts!.get(id)!;
      expect(starts.at(-1)).toBe(keys.values.length);
      const expected = [...groupsOfHashes(hashKeys(keys), groups)];
      const told = expected.map((_, i) => starts.findLastIndex((start) => start <= i));
      expect(told).toEqual(expected);
    }),
  );
});

it('hashes more keys than one step takes', () => {
  const many = [Array.from({ length: 70_000 }, (_, i) => BigInt(i) * 0x9e37_79b9n)];
  const ordered = inGroupOrder(staged(many, true), dictionaries(4), 1);
  expect(listsOf(ordered)).toEqual(many);
});

it('leaves few keys, and those of dictionaries by columns', () => {
  const rows = staged([[1n, 2n]], true);
  expect(inGroupOrder(rows, dictionaries(4)).groupStarts?.size).toBe(0);
  const byColumns = dictionaries(4, { rule: 'columns', columns: ['tag'] });
  expect(inGroupOrder(rows, byColumns, 1).groupStarts?.size).toBe(0);
});
