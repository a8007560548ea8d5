import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WholeLists } from '../../../engine/batch/whole-lists.ts';
import type { MergedRows } from '../../../engine/ingest/arrange-rows.ts';
import type { EncodedKeys } from '../../../engine/ingest/encode-keys.ts';
import { buildMemberSets } from '../../../engine/ingest/member-sets.ts';
import { setToCodes } from '../../../storage-format/bitmap.ts';
import { setsOf } from '../../../storage-format/set-vector.ts';

/** Rows of ordinals, and rows that merge: [0, 1], [2], ... by `starts`. */
it('gives each group and row the sorted distinct codes of its source rows', () => {
  const row = fc.array(fc.nat(99), { maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 12 }),
      fc.integer({ min: 1, max: 7 }),
      (rows, groups) => {
        const offsets = Uint32Array.from([
          0,
          ...rows.map((_, i) => rows.slice(0, i + 1).flat().length),
        ]);
        const encoded = {
          groupCount: groups,
          groups: Uint16Array.from({ length: 100 }, (_, key) => (key * 7) % groups),
          codes: Uint32Array.from({ length: 100 }, (_, key) => (key * 31) % 101),
          fresh: [],
        };
        const merged = {
          order: Uint32Array.from(rows.map((_, i) => i)),
          starts: Uint32Array.from(
            rows.length === 0 ? [0] : [0, ...rows.map((_, i) => i + 1).filter((i) => i % 2 === 0)],
          ),
        };
        if (rows.length % 2 === 1) {
          merged.starts = Uint32Array.from([...merged.starts, rows.length]);
        }
        const lists = {
          keys: { domain: 'integer', values: new BigUint64Array(100) } as const,
          offsets,
          ordinals: Uint32Array.from(rows.flat()),
        };
        const sets = buildMemberSets(lists, encoded, merged).map(setsOf);
        for (let group = 0; group < groups; group++) {
          for (let i = 0; i + 1 < merged.starts.length; i++) {
            const members = rows.slice(merged.starts[i], merged.starts[i + 1]).flat();
            const codes = members
              .filter((key) => encoded.groups[key] === group)
              .map((key) => encoded.codes[key] ?? 0);
            const expected = [...new Set(codes)].toSorted((a, b) => a - b);
            expect([...setToCodes(sets[group]?.[i] ?? new Uint32Array(1))]).toEqual(expected);
          }
        }
      },
    ),
  );
});

it('builds large sets from codes in any order', () => {
  const count = 100_000;
  const lists = {
    keys: { domain: 'integer', values: new BigUint64Array(count) } as const,
    offsets: Uint32Array.from([0, count]),
    ordinals: Uint32Array.from({ length: count }, (_, i) => count - 1 - i),
  };
  const encoded = {
    groupCount: 1,
    groups: new Uint16Array(count),
    codes: Uint32Array.from({ length: count }, (_, i) => i * 3),
    fresh: [],
  };
  const rows = { order: Uint32Array.of(0), starts: Uint32Array.of(0, 1) };
  const [[set] = []] = buildMemberSets(lists, encoded, rows).map(setsOf);
  expect(setToCodes(set ?? new Uint32Array(0))).toEqual(encoded.codes);
});

it('takes all codes from the next one on for a row of all keys that are new', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(6000), { minLength: 1, maxLength: 5 }), (counts) => {
      const spans = counts.map((count, group) => ({ start: 70 * group, end: 70 * group + count }));
      const groups = Uint16Array.from(
        counts.flatMap((count, g) => new Array<number>(count).fill(g)),
      );
      const codes = Uint32Array.from(
        spans.flatMap(({ start, end }) => {
          return Array.from({ length: end - start }, (_, i) => end - 1 - i);
        }),
      );
      const keys = { domain: 'integer', values: new BigUint64Array(codes.length) } as const;
      const lists = new WholeLists(keys, Uint32Array.of(0, codes.length));
      const rows = { order: Uint32Array.of(0), starts: Uint32Array.of(0, 1) };
      const encoded = { groupCount: counts.length, groups, codes };
      const codesOf = (from: EncodedKeys) =>
        buildMemberSets(lists, from, rows).map((sets) =>
          setsOf(sets).map((set) => setToCodes(set)),
        );
      expect(codesOf({ ...encoded, spans })).toEqual(codesOf(encoded));
    }),
    { numRuns: 30 },
  );
});

it('goes through the members where rows share the keys', () => {
  const keys = { domain: 'integer', values: new BigUint64Array(4) } as const;
  const lists = new WholeLists(keys, Uint32Array.of(0, 1, 4));
  const codes = Uint32Array.of(5, 6, 6, 7);
  const encoded = {
    groupCount: 1,
    groups: new Uint16Array(4),
    codes,
    spans: [{ start: 5, end: 8 }],
  };
  const rows = { order: Uint32Array.of(0, 1), starts: Uint32Array.of(0, 1, 2) };
  const merged = { order: Uint32Array.of(0, 1), starts: Uint32Array.of(0, 2) };
  const codesOf = (of: MergedRows) =>
    buildMemberSets(lists, encoded, of).map((sets) =>
      setsOf(sets).map((set) => [...setToCodes(set)]),
    );
  expect(codesOf(rows)).toEqual([[[5], [6, 7]]]);
  expect(codesOf(merged)).toEqual([[[5, 6, 7]]]);
});
