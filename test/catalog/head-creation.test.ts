// Each outcome of a create, followed to its end (SPEC.md, "Outcomes").

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { openCatalog } from '../../catalog/catalog.ts';
import { headKey } from '../../catalog/keys.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { CatalogVersion, NamespaceId, TableId } from '../../catalog/schema.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import type { CreateOutcome, ObjectKey } from '../../object-store/port.ts';
import { addStripe, createTable } from './samples.ts';

const hourMs = 3_600_000;
type Answer = (send: () => Promise<CreateOutcome>) => Promise<CreateOutcome>;

/** A memory store whose next creates are answered by the test. */
class ScriptedStore extends MemoryStore {
  readonly bodies: Uint8Array[] = [];
  readonly time: { now: number };
  answers: Answer[] = [];

  constructor() {
    const time = { now: 1_700_000_000_000 };
    super({ clock: { now: () => time.now } });
    this.time = time;
  }

  override async create(key: ObjectKey, body: Uint8Array): Promise<CreateOutcome> {
    const answer = this.answers.shift();
    this.bodies.push(body.slice());
    return answer === undefined ? super.create(key, body) : answer(() => super.create(key, body));
  }
}

const lost: Answer = async () => ({ outcome: 'unknown', cause: new Error('reset') });
const storedThenLost: Answer = async (send) => {
  await send();
  return { outcome: 'unknown', cause: new Error('reset') };
};
const conflict: Answer = async () => ({ outcome: 'conflict', date: 1_700_000_000_000 });
const t1 = 1 as TableId;

async function begun(limits = {}): Promise<{ store: ScriptedStore; catalog: Catalog }> {
  const store = new ScriptedStore();
  const clock = { ...systemClock, sleep: async () => {}, now: () => store.time.now };
  const catalog = await openCatalog(store, { clock, limits });
  await catalog.createDatabase('d');
  await catalog.commit('d', createTable());
  store.bodies.length = 0;
  return { store, catalog };
}

async function rowsOf(catalog: Catalog): Promise<number[]> {
  return (await (await catalog.snapshot('d')).stripes(t1)).map(({ rows }) => rows);
}

describe('outcomes', () => {
  it('a lost reply is found out by reading back: one commit, the same bytes each time', async () => {
    const { store, catalog } = await begun();
    store.answers = [conflict, lost, storedThenLost];
    await catalog.commit('d', addStripe(1));
    expect(await rowsOf(catalog)).toEqual([1]);
    expect(store.bodies).toHaveLength(4);
    for (const body of store.bodies) expect(body).toEqual(store.bodies[0]);
  });

  it('what stays unknown is 319, says so, and deletes nothing', async () => {
    const { store, catalog } = await begun({ doubtMs: 0 });
    store.answers = [lost];
    await expect(catalog.commit('d', addStripe(1))).rejects.toMatchObject({
      code: 319,
      message: expect.stringContaining('it may have happened, and nothing was deleted'),
    });
    await catalog.commit('d', addStripe(2));
    expect(await rowsOf(catalog)).toEqual([2]);
  });

  it('a definite refusal is passed on, and the next commit works', async () => {
    const { store, catalog } = await begun();
    store.answers = [() => Promise.reject(new MusterError('NOT_ENOUGH_SPACE', 'disk full'))];
    await expect(catalog.commit('d', addStripe(1))).rejects.toThrow('disk full');
    await catalog.commit('d', addStripe(2));
    expect(await rowsOf(catalog)).toEqual([2]);
  });

  it('conflicts without an end are 341 and nothing landed', async () => {
    const { store, catalog } = await begun({ doubtMs: 0 });
    store.answers = [conflict, conflict];
    await expect(catalog.commit('d', addStripe(1))).rejects.toMatchObject({ code: 341 });
    expect(await rowsOf(catalog)).toEqual([]);
  });

  it('nothing is sent past the deadline', async () => {
    const { store, catalog } = await begun();
    const request = { ...addStripe(1), deadline: store.time.now - 1 };
    await expect(catalog.commit('d', request)).rejects.toMatchObject({ code: 159 });
    expect(store.bodies).toHaveLength(0);
  });
});

describe('Invariant C8: late creates', () => {
  it('that landed above the newest head are committed', async () => {
    const { store, catalog } = await begun();
    store.time.now += 13 * hourMs;
    await catalog.commit('d', addStripe(1));
    expect(await rowsOf(catalog)).toEqual([1]);
  });

  it('that landed in a hole which the sweeper left are fenced', async () => {
    const { store, catalog } = await begun();
    const other = await openCatalog(store);
    store.answers = [
      async (send) => {
        // Meanwhile, for a day and more: others commit, and old heads are swept.
        for (let n = 10; n < 13; n++) await other.commit('d', addStripe(n));
        const namespace = 1 as NamespaceId;
        const swept = [1, 2, 3, 4].map((version) => headKey(namespace, version as CatalogVersion));
        await store.remove(swept);
        store.time.now += 30 * hourMs;
        return send();
      },
    ];
    await expect(catalog.commit('d', addStripe(1))).rejects.toMatchObject({
      errorName: 'ABORTED',
      message: expect.stringContaining('nothing of it is visible'),
    });
    expect(await rowsOf(catalog)).toEqual([10, 11, 12]);
    expect(await rowsOf(await openCatalog(store))).toEqual([10, 11, 12]);
  });
});
