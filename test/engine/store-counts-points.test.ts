// What it costs to ask about one person, or a few: requests and bytes, whatever the size of the set.

import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { coldCost } from './queries/cold-cost.ts';
import { Session } from './queries/session.ts';

interface Shape {
  readonly groups: number;
  /** People of the dictionary. */
  readonly people: number;
  /** One in so many is in a set. */
  readonly step: number;
  readonly sets: number;
}

/** All sets have the same members. */
async function fill({ groups, people, step, sets }: Shape): Promise<MemoryStore> {
  const store = new MemoryStore();
  const session = await Session.open({ store });
  await session.run('CREATE DATABASE bm');
  await session.run(
    `CREATE TABLE t (tag String, users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag SETTINGS muster_groups = ${groups}`,
  );
  for (const name of ['people', 'members']) {
    await session.run(
      `CREATE TABLE ${name} (users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tuple() SETTINGS muster_groups = ${groups}`,
    );
  }
  await session.run(`INSERT INTO people SELECT groupBitmapState(number) FROM numbers(${people})`);
  await session.run(
    `INSERT INTO members SELECT groupBitmapState(number) FROM numbers(${people}) WHERE intHash32(number) % ${step} = 0`,
  );
  await session.run(
    `INSERT INTO t SELECT concat('tag', toString(number)), (SELECT groupBitmapMergeState(users) FROM members) FROM numbers(${sets})`,
  );
  return store;
}

const shapes: readonly Shape[] = [4, 16].flatMap((groups) => [
  { groups, people: 1_000, step: 1, sets: 1 },
  { groups, people: 100_000, step: 2, sets: 1 },
  { groups, people: 300_000, step: 2, sets: 1 },
  { groups, people: 10_000, step: 2, sets: 1000 },
]);

describe.each(shapes)('$people people, one in $step, $sets sets, $groups groups', (shape) => {
  const at = `FROM t WHERE tag = 'tag0'`;
  const person = 31_337 % shape.people;
  const isIn = (id: number) => `intHash32(toUInt64(${id})) % ${shape.step} = 0`;

  it('is at most six requests and 64 KB for one person', async () => {
    const store = await fill(shape);
    const one = await coldCost(
      store,
      `SELECT bitmapContains(users, toUInt64(${person})) = (${isIn(person)}) ${at}`,
    );
    expect(one.text).toBe('1');
    expect(one.requests).toBeLessThanOrEqual(6);
    expect(one.bytes).toBeLessThanOrEqual(64 * 1024);
    for (const sql of [
      `SELECT bitmapHasAny(users, bitmapBuild([toUInt64(${person}), toUInt64(5)])) = (${isIn(person)} OR ${isIn(5)}) ${at}`,
      `SELECT bitmapHasAll(users, bitmapBuild([toUInt64(${person}), toUInt64(5)])) = (${isIn(person)} AND ${isIn(5)}) ${at}`,
      `SELECT bitmapAndCardinality(users, bitmapBuild([toUInt64(${person})])) = (${isIn(person)}) ${at}`,
      `SELECT bitmapContains((SELECT groupBitmapMergeState(users) ${at}), toUInt64(${person})) = (${isIn(person)})`,
    ]) {
      const few = await coldCost(store, sql);
      expect(few.text).toBe('1');
      expect(few.bytes).toBeLessThanOrEqual(128 * 1024);
    }
  }, 120_000);
});
