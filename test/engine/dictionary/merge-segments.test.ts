// Merges: what inserts leave is few segments, no code changes, racing mergers are harmless, and a merge
// whose inputs are gone does nothing.
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { openCatalog } from '../../../catalog/catalog.ts';
import type { SegmentEntry } from '../../../catalog/entry.ts';
import type { DictionaryId } from '../../../catalog/schema.ts';
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { DataObjects } from '../../../engine/dictionary/data-objects.ts';
import {
  createDictionaryCaches,
  DictionaryReader,
} from '../../../engine/dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../../../engine/dictionary/dictionary-ref.ts';
import { planMerges } from '../../../engine/dictionary/merge-plan.ts';
import { mergeSegmentsOf } from '../../../engine/dictionary/merge-segments.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { Session } from '../queries/session.ts';

const users = 1 as DictionaryId;

function segmentOf(base: number, count: number): SegmentEntry {
  const place = { object: 'x', offset: 0, bytes: 24 * count, checksum: 0 };
  const rest = { objectBytes: 0, index: { start: 0, end: 0 }, groupFirst: 0, groupCount: 1 };
  const first = { version: 1 as Snapshot['version'], ordinal: 0 };
  const bounds = { hashMin: 0, hashMax: 0xffff_ffff };
  const placed = { ...place, ...rest, shared: false };
  return { dictionary: users, group: 0, base, count, place: placed, ...bounds, first };
}

describe('the plan', () => {
  test.each([1, 10, 300])('keeps the segments of %i ids an insert few', (count) => {
    let segments: SegmentEntry[] = [];
    let rewritten = 0;
    let most = 0;
    const inserts = 20_000;
    for (let i = 0; i < inserts; i++) {
      segments.push(segmentOf(i * count, count));
      for (let merges = planMerges(segments); merges.length > 0; merges = planMerges(segments)) {
        const [inputs = []] = merges;
        const sum = inputs.reduce((total, input) => total + input.count, 0);
        rewritten += sum;
        const at = segments.indexOf(inputs[0]!);
        const after = segments.slice(at + inputs.length);
        segments = [...segments.slice(0, at), segmentOf(inputs[0]!.base, sum), ...after];
      }
      most = Math.max(most, segments.length);
    }
    expect(segments.reduce((total, segment) => total + segment.count, 0)).toBe(inserts * count);
    // Seven of each class: below 512, then by eights.
    const classes = 2 + Math.max(0, Math.log(inserts * (count / 512)) / Math.log(8));
    expect(most).toBeLessThanOrEqual(7 * Math.ceil(classes));
    expect(rewritten / (inserts * count)).toBeLessThan(45);
  });

  test('keeps them few whatever the order of sizes', () => {
    let segments: SegmentEntry[] = [];
    for (let i = 0; i < 5_000; i++) {
      const base = segments.reduce((sum, segment) => sum + segment.count, 0);
      segments.push(segmentOf(base, [3, 3, 3, 3, 3, 3, 3, 700, 3, 6_000][(i * 7) % 10] ?? 1));
      for (let merges = planMerges(segments); merges.length > 0; merges = planMerges(segments)) {
        const [inputs = []] = merges;
        const sum = inputs.reduce((total, input) => total + input.count, 0);
        const at = segments.indexOf(inputs[0]!);
        const after = segments.slice(at + inputs.length);
        segments = [...segments.slice(0, at), segmentOf(inputs[0]!.base, sum), ...after];
      }
      expect(segments.length).toBeLessThanOrEqual(8 * 6);
    }
  });

  test('makes nothing too large', () => {
    const large = Array.from({ length: 20 }, (_, i) => segmentOf(i * 2 ** 24, 2 ** 24));
    expect(planMerges(large)).toEqual([]);
  });
});

async function inserted(inserts: number): Promise<Session> {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm');
  await session.run(
    'CREATE TABLE t (tag UInt32, users AggregateFunction(groupBitmap, UInt64), names AggregateFunction(groupBitmap, String)) ENGINE = AggregatingMergeTree ORDER BY tag',
  );
  for (let i = 0; i < inserts; i++) {
    await session.run(
      `INSERT INTO t SELECT toUInt32(${i}), groupBitmapState(toUInt64(sipHash64(number + ${5 * i}))), groupBitmapState(toString(number + ${5 * i})) FROM numbers(10)`,
    );
  }
  await session.engine.idle();
  return session;
}

async function allKeys(store: ObjectStore, snapshot: Snapshot) {
  const out: unknown[] = [];
  for (const id of snapshot.dictionaries.keys()) {
    const ref = await dictionaryRef(snapshot, id);
    const data = new DataObjects(store, snapshot.namespace);
    const reader = new DictionaryReader(data, createDictionaryCaches(1 << 24));
    for (const [group, next] of ref.nextCodes.entries()) {
      const codes = Uint32Array.from({ length: next }, (_, code) => code);
      const keys = await reader.decode(group, codes, ref);
      const encoded = await reader.encode(keys, ref);
      expect([encoded.known.every((is) => is === 1), encoded.codes]).toEqual([true, codes]);
      out.push([...keys.values]);
    }
  }
  return out;
}

test('inserts leave few segments; codes and ids stay as they are', async () => {
  const session = await inserted(60);
  const snapshot = await (await openCatalog(session.store)).snapshot('bm');
  for (const id of snapshot.dictionaries.keys()) {
    for (let group = 0; group < 4; group++) {
      const segments = (await snapshot.segments(id)).filter((one) => one.group === group);
      expect(segments.length).toBeLessThanOrEqual(7);
    }
  }
  const keys = await allKeys(session.store, snapshot);
  expect(keys.flat().length).toBe(2 * (5 * 59 + 10));
  const count = 'SELECT groupBitmapMerge(users), groupBitmapMerge(names) FROM t';
  expect((await session.ask(count)).text).toBe(`${5 * 59 + 10}\t${5 * 59 + 10}`);
  const member = 'SELECT sum(bitmapContains(users, sipHash64(toUInt64(7)))) FROM t';
  expect((await session.ask(member)).text).toBe('2');
});

test('racing mergers: one wins, the others find nothing to do', async () => {
  const session = await inserted(7);
  const other = await openCatalog(session.store);
  await session.run(
    `INSERT INTO t SELECT toUInt32(99), groupBitmapState(toUInt64(number)), groupBitmapState(toString(number)) FROM numbers(100)`,
  );
  await session.engine.idle();
  const before = await allKeys(
    session.store,
    await (await openCatalog(session.store)).snapshot('bm'),
  );
  const ports = { store: session.store, clock: systemClock };
  await Promise.all([
    mergeSegmentsOf('bm', { ...ports, catalog: await openCatalog(session.store) }),
    mergeSegmentsOf('bm', { ...ports, catalog: other }),
    mergeSegmentsOf('bm', { ...ports, catalog: await openCatalog(session.store) }),
  ]);
  const snapshot = await other.snapshot('bm');
  expect(await allKeys(session.store, snapshot)).toEqual(before);
  expect(planMerges(await snapshot.segments(users))).toEqual([]);
});
