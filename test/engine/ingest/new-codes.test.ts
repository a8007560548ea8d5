// Ids that are encoded run of groups by run of groups get the codes that they get at once, and so do
// the segments.
import { expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { openCatalog } from '../../../catalog/catalog.ts';
import type { DictionaryId } from '../../../catalog/schema.ts';
import { createDictionaryCaches } from '../../../engine/dictionary/dictionary-reader.ts';
import { inGroupOrder } from '../../../engine/ingest/grouped-keys.ts';
import { InsertUpload } from '../../../engine/ingest/insert-upload.ts';
import { encodePlacedRows } from '../../../engine/ingest/new-codes.ts';
import type { StagedRows } from '../../../engine/ingest/row-stage.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { Session } from '../queries/session.ts';

it.each([
  ['a new dictionary', 0],
  ['one that knows some of them', 1000],
])('in %s', async (_, known) => {
  const store = new MemoryStore();
  const catalog = await openCatalog(store);
  const session = await Session.open({ store, catalog });
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE t (ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tuple() SETTINGS muster_groups = 5',
  );
  if (known > 0) {
    await session.run(`INSERT INTO t SELECT groupBitmapState(number * 7) FROM numbers(${known})`);
  }
  const snapshot = await catalog.snapshot('bm');
  const dictionary = [...snapshot.dictionaries.keys()][0] as DictionaryId;
  const values = BigUint64Array.from({ length: 30_000 }, (_unused, i) => BigInt(i % 25_000));
  const keys = { domain: 'integer', values } as const;
  const ordinals = Uint32Array.from(values.keys());
  const staged: StagedRows = {
    rows: 1,
    scalars: new Map(),
    members: new Map([[1, { keys, offsets: Uint32Array.of(0, values.length), ordinals }]]),
    keys: new Map([[dictionary, keys]]),
  };
  const encode = async (rows: StagedRows, roundKeys: number) => {
    const signal = new AbortController().signal;
    const dictionaryCaches = createDictionaryCaches(1e7);
    const context = { store, clock: systemClock, dictionaryCaches, signal };
    const upload = new InsertUpload({ store, clock: systemClock, namespace: snapshot.namespace });
    const { all, segments } = await encodePlacedRows([rows], {
      snapshot,
      context,
      upload,
      roundKeys,
    });
    await upload.finish();
    const encoded = all[0]!.encoded.get(dictionary)!;
    const own = rows.keys.get(dictionary)!.values as BigUint64Array;
    const places = Array.from(own, (id, i) => [id, encoded.groups[i], encoded.codes[i]] as const);
    return {
      places: places.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))),
      segments: segments.map((finish) => {
        const { group, base, count, hashMin, hashMax, place } = finish();
        return { group, base, count, hashMin, hashMax, checksum: place.checksum };
      }),
    };
  };
  const ordered = inGroupOrder(staged, snapshot, 1);
  expect(ordered.groupStarts?.get(dictionary)?.length).toBe(6);
  const atOnce = await encode(staged, 1);
  expect(atOnce.segments).toHaveLength(5);
  for (const roundKeys of [1, 11_000, 1e6]) {
    expect(await encode(ordered, roundKeys)).toEqual(atOnce);
  }
});
