// New keys put into pages by runs and one by one: the codes are those of a Map, the pages those of the
// naive twin, whatever is known already, however many groups and threads there are.

import { afterAll, describe, expect, test } from 'vitest';
import { countPieces, fillTables, sumByGroup } from '../../../engine/dictionary/fresh-filling.ts';
import { FreshTables } from '../../../engine/dictionary/fresh-tables.ts';
import { KernelTeam } from '../../../engine/dictionary/kernel-team.ts';
import { placeKeys } from '../../../engine/dictionary/key-batch.ts';
import { groupsOfHashes } from '../../../engine/dictionary/key-groups.ts';
import { selectHashes } from '../../../engine/dictionary/key-selection.ts';
import { buildTable, homePage, tableShape } from '../../../storage-format/hash-table.ts';
import { hashKeys, type KeyDomain, type KeyList } from '../../../storage-format/key-list.ts';
import { packStrings } from '../../../storage-format/packed-keys.ts';
import { someKeys } from '../../kernels/naive-kernels.ts';

const teams = [new KernelTeam(1), new KernelTeam(2), new KernelTeam(3)];
afterAll(async () => await Promise.all(teams.map((team) => team.close())));

interface Filled {
  readonly how: string;
  readonly codes: Uint32Array;
  readonly tables: readonly {
    readonly group: number;
    readonly count: number;
    readonly keys: BigUint64Array | Uint32Array;
    readonly pages: Uint8Array | undefined;
  }[];
}

async function fill(
  team: KernelTeam,
  keys: KeyList,
  { groups, known }: { readonly groups: number; readonly known: Uint8Array },
): Promise<Filled> {
  const { heap } = team;
  const before = heap.bytes;
  const batch = placeKeys(heap, keys.domain === 'integer' ? keys.values : packStrings(keys));
  heap.memory.u16(batch.groups, batch.count).set(groupsOfHashes(hashKeys(keys), groups));
  heap.memory.u8(batch.known, batch.count).set(known);
  const pieces = await countPieces(team, batch, groups);
  const unknown = sumByGroup(pieces.counts, groups);
  const nextCodes = unknown.map((_, group) => 1000 * group);
  const tables = new FreshTables(heap, { domain: keys.domain, nextCodes, unknown });
  const how = await fillTables(team, batch, { tables, pieces, seal: false });
  const codes = heap.memory.u32(batch.codes, batch.count).slice();
  const taken = tables.takeOut().map((table) => {
    const { group, count, pages } = table;
    const held = pages && heap.memory.u8(pages.block.at, pages.block.length).slice();
    const listed = table.keys.slice();
    table.close();
    return { group, count, keys: listed, pages: held };
  });
  tables.close();
  heap.give(batch.keys);
  expect(heap.bytes).toBe(before);
  return { how, codes, tables: taken };
}

/** Codes of a Map; positions of what is new of each group. */
function naive(keys: KeyList, groups: number, known: Uint8Array) {
  const of = groupsOfHashes(hashKeys(keys), groups);
  const map = new Map<bigint | string, number>();
  const fresh = Array.from({ length: groups }, (): number[] => []);
  const codes = [...keys.values].map((key: bigint | string, i) => {
    if (known[i] !== 0) return undefined;
    const group = of[i]!;
    if (!map.has(key)) map.set(key, 1000 * group + fresh[group]!.push(i) - 1);
    return map.get(key);
  });
  return { codes, fresh };
}

function expectFilled(filled: Filled, keys: KeyList, groups: number, known: Uint8Array): void {
  const expected = naive(keys, groups, known);
  const wrong = expected.codes.filter((code, i) => code !== undefined && code !== filled.codes[i]);
  expect(wrong).toEqual([]);
  const hashes = hashKeys(keys);
  const some = expected.fresh.flatMap((at, group) => (at.length > 0 ? [group] : []));
  expect(filled.tables.map(({ group }) => group)).toEqual(some);
  for (const { group, count, keys: listed, pages } of filled.tables) {
    const at = Uint32Array.from(expected.fresh[group]!);
    expect(count).toBe(at.length);
    const all = keys.domain === 'integer' ? keys.values : undefined;
    const values = all === undefined ? at : BigUint64Array.from([...at], (i) => all[i]!);
    expect(Buffer.compare(bytesOf(listed), bytesOf(values))).toBe(0);
    if (pages === undefined) continue;
    const made = unsealed(keys, at, selectHashes(hashes, at));
    expect(Buffer.compare(slotsOf(pages, count, keys.domain), made)).toBe(0);
  }
}

function bytesOf(array: BigUint64Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function unsealed(keys: KeyList, at: Uint32Array, hashes: ReturnType<typeof hashKeys>): Uint8Array {
  const shape = tableShape(at.length, keys.domain);
  if (keys.domain === 'integer') return slotsOf(buildTable(hashes, shape), at.length, 'integer');
  const { offsets } = packStrings(keys);
  const places = {
    at: at.map((i) => offsets[i]!),
    lengths: at.map((i) => offsets[i + 1]! - offsets[i]!),
  };
  return slotsOf(buildTable(hashes, shape, places), at.length, keys.domain);
}

/** Pages without their trailers. */
function slotsOf(pages: Uint8Array, count: number, domain: KeyDomain): Uint8Array {
  const { pageBytes } = tableShape(count, domain);
  const copy = pages.slice();
  for (let end = pageBytes; end <= copy.length; end += pageBytes) copy.fill(0, end - 16, end);
  return copy;
}

const integers = (count: number): KeyList => ({ domain: 'integer', values: someKeys(count, 7) });
const strings = (count: number): KeyList => ({
  domain: 'string',
  values: Array.from(someKeys(count, 9), (key, i) => `${key}`.slice(0, 1 + (i % 25)) + `-${i}`),
});

describe.each([
  { what: 'integers', make: integers },
  { what: 'strings', make: strings },
])('$what', ({ make }) => {
  test.each([
    { count: 32_767, groups: 1, how: 'one by one' },
    { count: 32_768, groups: 1, how: 'by runs' },
    { count: 50_001, groups: 3, how: 'by runs' },
    { count: 40_000, groups: 256, how: 'by runs' },
    { count: 40_000, groups: 257, how: 'one by one' },
    { count: 200_000, groups: 2, how: 'by runs' },
  ])('$count in $groups groups go in $how', async ({ count, groups, how }) => {
    const keys = make(count);
    const known = new Uint8Array(count);
    for (const team of teams) {
      const filled = await fill(team, keys, { groups, known });
      expect(filled.how).toBe(how);
      expect(filled.tables.every(({ pages }) => pages !== undefined)).toBe(true);
      expectFilled(filled, keys, groups, known);
    }
  });

  test('known ones between them are left out', async () => {
    const keys = make(120_000);
    const known = Uint8Array.from({ length: 120_000 }, (_, i) =>
      (i * i) % 7 < 2 ? 1 + (i % 2) : 0,
    );
    known.fill(1, 60_000, 70_000);
    for (const team of teams) {
      const filled = await fill(team, keys, { groups: 4, known });
      expect(filled.how).toBe('by runs');
      expectFilled(filled, keys, 4, known);
    }
  });

  test.each([
    { first: 0, second: 1 },
    { first: 10, second: 49_999 },
    { first: 49_998, second: 49_999 },
  ])('of two that are the same ($first, $second) one counts', async ({ first, second }) => {
    const { domain, values } = make(50_000);
    const doubled = { domain, values: values.slice() } as { domain: never; values: unknown[] };
    doubled.values[second] = doubled.values[first];
    const known = new Uint8Array(50_000);
    for (const team of teams) {
      const filled = await fill(team, doubled as never, { groups: 1, known });
      expect(filled.how).toBe('one by one');
      expect(filled.tables[0]?.pages).toBeUndefined();
      expectFilled(filled, doubled as never, 1, known);
    }
  });

  test('a page that overflows goes on in the next', async () => {
    const count = 40_000;
    const many = make(12 * count);
    const { low } = hashKeys(many);
    const { pages, slots } = tableShape(count, many.domain);
    const crowded: number[] = [];
    for (let i = 0; crowded.length < slots + 20; i++) {
      if (homePage(low[i]!, pages) === pages - 1) crowded.push(i);
    }
    const set = new Set(crowded);
    for (let i = 12 * count - 1; set.size < count; i--) set.add(i);
    const values = [...set].map((i) => many.values[i]!);
    const keys = (
      many.domain === 'integer'
        ? { domain: 'integer', values: BigUint64Array.from(values as bigint[]) }
        : { domain: many.domain, values }
    ) as KeyList;
    const known = new Uint8Array(count);
    for (const team of teams) {
      const filled = await fill(team, keys, { groups: 1, known });
      expect(filled.how).toBe('one by one');
      expect(filled.tables[0]?.pages).toBeDefined();
      expectFilled(filled, keys, 1, known);
    }
  });
});
