import { beforeAll, describe, expect, test } from 'vitest';
import type { DictionaryRef } from '../../../engine/batch/batch.ts';
import { DataObjects } from '../../../engine/dictionary/data-objects.ts';
import {
  createDictionaryCaches,
  DictionaryReader,
} from '../../../engine/dictionary/dictionary-reader.ts';
import { CountingStore } from '../../../object-store/counting-store.ts';
import type { Id } from '../worker/naive-sets.ts';
import { keyList, makeWorld, namespace, type World } from '../worker/world.ts';

const idOf = {
  integer: (i: number): Id => BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
  string: (i: number): Id => `user-${i}\xff`,
};

function reader(world: World, cacheBytes = 64 << 20): DictionaryReader {
  const data = new DataObjects(world.store, namespace);
  return new DictionaryReader(data, createDictionaryCaches(cacheBytes));
}

/** The reference as it was when the first `segments` of each group were all. */
function pinnedAt(ref: DictionaryRef, segments: number): DictionaryRef {
  const kept = Array.from({ length: ref.groups }, (_, group) =>
    ref.segments.filter((segment) => segment.group === group).slice(0, segments),
  );
  const nextCodes = kept.map((list) => (list.at(-1)?.base ?? 0) + (list.at(-1)?.count ?? 0));
  return { ...ref, nextCodes, segments: kept.flat() };
}

/** Every known code of `ids` decodes to its id. */
async function expectRoundTrip(
  here: DictionaryReader,
  ref: DictionaryRef,
  ids: readonly Id[],
): Promise<void> {
  const encoded = await here.encode(keyList(ids.some(isText) ? 'string' : 'integer', ids), ref);
  for (let group = 0; group < ref.groups; group++) {
    const found = ids.flatMap((id, i) =>
      encoded.groups[i] === group && encoded.known[i] === 1
        ? [{ id, code: encoded.codes[i]! }]
        : [],
    );
    found.sort((a, b) => a.code - b.code);
    const codes = Uint32Array.from(found, ({ code }) => code);
    const expected = found.map(({ id }) => id);
    const once = await here.decode(group, codes, ref, { once: true });
    expect([...once.values]).toEqual(expected);
    expect([...(await here.decode(group, codes, ref)).values]).toEqual(expected);
  }
}

function isText(id: Id): boolean {
  return typeof id === 'string';
}

for (const domain of ['integer', 'string'] as const) {
  describe(`${domain} ids`, () => {
    const known = Array.from({ length: 3000 }, (_, i) => idOf[domain](i));
    const strangers = Array.from({ length: 50 }, (_, i) => idOf[domain](1e6 + i));
    let world: World;
    beforeAll(async () => {
      const commits = [0, 1, 2].map((c) => known.slice(c * 1000, (c + 1) * 1000));
      world = await makeWorld({ domain, groups: 3, commits, sources: [] });
    });

    for (const [way, cacheBytes] of [
      ['folded into tables', 64 << 20],
      ['loaded in waves, as few fit at once', 32 << 10],
      ['looked up in place', 0],
    ] as const) {
      test(`are found and found back, ${way}`, async () => {
        const here = reader(world, cacheBytes);
        const encoded = await here.encode(
          keyList(domain, [...known, ...strangers]),
          world.dictionary,
        );
        expect([...encoded.known]).toEqual([...known.map(() => 1), ...strangers.map(() => 0)]);
        const places = new Set(known.map((_, i) => `${encoded.groups[i]}:${encoded.codes[i]}`));
        expect(places.size).toBe(known.length);
        await expectRoundTrip(here, world.dictionary, known);
      });

      test(`of later commits are unknown to an earlier snapshot, ${way}`, async () => {
        const here = reader(world, cacheBytes);
        const keys = keyList(domain, known);
        const now = await here.encode(keys, world.dictionary);
        for (const segments of [1, 0, 2]) {
          const ref = pinnedAt(world.dictionary, segments);
          const then = await here.encode(keys, ref);
          expect([...then.known]).toEqual(known.map((_, i) => (i < 1000 * segments ? 1 : 0)));
          then.known.forEach((is, i) => {
            if (is === 1) expect(then.codes[i]).toBe(now.codes[i]);
          });
        }
      });
    }

    test('segments may be folded in any order', async () => {
      const here = reader(world);
      const late = { ...world.dictionary, segments: world.dictionary.segments.slice(-3) };
      const first = await here.encode(keyList(domain, known), late);
      expect(first.codes.every((code, i) => first.known[i] === 0 || code > 300)).toBe(true);
      expect(first.known.reduce((sum, is) => sum + is, 0)).toBe(1000);
      const encoded = await here.encode(keyList(domain, known), world.dictionary);
      expect(encoded.known.every((is) => is === 1)).toBe(true);
      await expectRoundTrip(here, world.dictionary, known);
    });

    test('of one group only, on demand', async () => {
      const encoded = await reader(world).encode(keyList(domain, known), world.dictionary, {
        group: 1,
      });
      expect(encoded.known.every((is, i) => (is === 1) === (encoded.groups[i] === 1))).toBe(true);
    });
  });
}

test('many tiny segments are read once and then cost nothing', async () => {
  const commits = Array.from({ length: 200 }, (_, i) => [BigInt(i)]);
  const world = await makeWorld({ domain: 'integer', groups: 1, commits, sources: [] });
  const store = new CountingStore(world.store);
  const here = reader({ ...world, store });
  const keys = keyList('integer', commits.flat());
  await here.encode(keys, world.dictionary);
  expect(store.counts().reads).toBe(200);
  const again = await here.encode(keys, world.dictionary);
  expect(store.counts().reads).toBe(200);
  expect([...again.codes]).toEqual(commits.map((_, i) => i));
});

test('of segments that do not fit at once those that are here are used first, and none is read in place', async () => {
  const ids = Array.from({ length: 60_000 }, (_, i) => idOf.integer(i));
  const commits = Array.from({ length: 6 }, (_, c) => ids.slice(c * 10_000, (c + 1) * 10_000));
  const world = await makeWorld({ domain: 'integer', groups: 1, commits, sources: [] });
  const store = new CountingStore(world.store);
  const [segment] = world.dictionary.segments;
  // Three quarters are for segments held whole.
  const here = reader({ ...world, store }, (4 * 3.5 * segment!.place.bytes) / 3);
  const keys = keyList('integer', ids);
  for (let round = 1; round <= 3; round++) {
    const found = await here.encode(keys, world.dictionary);
    expect(found.known.every((is) => is === 1)).toBe(true);
    expect(store.counts().reads).toBe(6 + 3 * (round - 1));
  }
});

test('few ids of a large segment take two rounds of small reads', async () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => idOf.integer(i));
  const world = await makeWorld({ domain: 'integer', groups: 1, commits: [ids], sources: [] });
  const store = new CountingStore(world.store);
  const here = reader({ ...world, store });
  const asked = [ids[77_777] ?? 0n, ids[5] ?? 0n];
  const encoded = await here.encode(keyList('integer', asked), world.dictionary);
  expect([...encoded.codes]).toEqual([77_777, 5]);
  expect(store.counts().rounds).toBeLessThanOrEqual(2);
  expect(store.counts().bytesRead).toBeLessThan(400_000);
});

test('a million integers are told known from unknown', async () => {
  const ids = Array.from({ length: 500_000 }, (_, i) => idOf.integer(i));
  const world = await makeWorld({ domain: 'integer', groups: 4, commits: [ids], sources: [] });
  const here = reader(world, 512 << 20);
  const keys = keyList(
    'integer',
    Array.from({ length: 1_000_000 }, (_, i) => idOf.integer(i)),
  );
  const { known } = await here.encode(keys, world.dictionary);
  expect(known.reduce((sum, is) => sum + is, 0)).toBe(500_000);
});
