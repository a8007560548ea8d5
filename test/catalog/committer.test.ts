// Commits under interleaving, lost replies, conflicts, thaws and kills: nothing is lost, nothing
// doubled, codes are dense and unique (Invariants C5 and C7). A failing seed is its own recipe.

import { describe, expect, it } from 'vitest';
import { MusterError } from '../../base/errors.ts';
import { openCatalog } from '../../catalog/catalog.ts';
import type { Change, CommitRequest } from '../../catalog/commit.ts';
import { headPrefix } from '../../catalog/keys.ts';
import type { CatalogLimits } from '../../catalog/limits.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { DictionaryId, NamespaceId, TableId } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { CountingStore } from '../../object-store/counting-store.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { addStripe, createTable, propose, sampleSegment, sampleStripe } from './samples.ts';
import { DyingStore, type Faults, noFaults, World } from './simulation.ts';

const t1 = 1 as TableId;
const d1 = 1 as DictionaryId;
const groups = 2;
const hourMs = 3_600_000;
const small: Partial<CatalogLimits> = {
  tailFoldBytes: 900,
  recordBytesMax: 3_000,
  rootBytesMax: 500,
  leafRowsMax: 4,
  innerBytesMax: 900,
};

/** Inserts that know each other's ids only through the catalog. */
class Ledger {
  readonly acknowledged = new Set<number>();
  readonly unknown = new Set<number>();
  readonly refused = new Set<number>();
  readonly #idsOfSegment = new Map<string, readonly number[]>();
  #inserts = 0;
  #objects = 0;

  async insert(catalog: Catalog, ids: readonly number[]): Promise<void> {
    const insert = ++this.#inserts;
    try {
      await catalog.commit('d', this.#request(insert, ids));
      this.acknowledged.add(insert);
    } catch (error) {
      const doubtful = error instanceof MusterError && error.code === 319;
      const expected = doubtful || (error instanceof MusterError && error.action === 'retry');
      if (!expected) throw error;
      (doubtful ? this.unknown : this.refused).add(insert);
    }
  }

  /** Whatever happened, this holds of what is visible. */
  async check(take: () => Promise<Snapshot>): Promise<void> {
    const before = [...this.acknowledged];
    const snapshot = await take();
    const seen = (await snapshot.stripes(t1)).map(({ rows }) => rows);
    expect(new Set(seen).size).toBe(seen.length);
    for (const insert of before) expect(seen).toContain(insert);
    for (const insert of this.refused) expect(seen).not.toContain(insert);
    const next = new Array<number>(groups).fill(0);
    const coded = new Set<number>();
    for (const { group, base, count, place } of await snapshot.segments(d1)) {
      expect(base).toBe(next[group]);
      next[group] = base + count;
      const ids = this.#idsOfSegment.get(place.object) ?? [];
      expect(ids).toHaveLength(count);
      for (const id of ids) {
        expect(coded.has(id)).toBe(false);
        coded.add(id);
      }
    }
    expect(snapshot.nextCodes(d1)).toEqual(next);
  }

  #request(insert: number, ids: readonly number[]): CommitRequest {
    return {
      propose: async (snapshot) => {
        const known = new Set(
          (await snapshot.segments(d1)).flatMap(
            ({ place }) => this.#idsOfSegment.get(place.object) ?? [],
          ),
        );
        const codes = snapshot.nextCodes(d1);
        const changes: Change[] = [{ kind: 'add-stripe', stripe: sampleStripe(1, insert) }];
        for (let group = 0; group < groups; group++) {
          const fresh = [...new Set(ids)].filter((id) => id % groups === group && !known.has(id));
          if (fresh.length === 0) continue;
          const segment = { group, base: codes[group] ?? 0, count: fresh.length };
          const change = sampleSegment(1, segment, 1_000_000 + ++this.#objects);
          this.#idsOfSegment.set(change.place.object, fresh);
          changes.push({ kind: 'add-segment', segment: change });
        }
        return { changes };
      },
    };
  }
}

async function begun(world: World): Promise<Ledger> {
  const work = (async () => {
    const catalog = await openCatalog(world.storeOf(0), { clock: world.clockOf(0), limits: small });
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable('t', groups));
  })();
  await world.run(work);
  return new Ledger();
}

function open(world: World, process: number): Promise<Catalog> {
  return openCatalog(world.storeOf(process), { clock: world.clockOf(process), limits: small });
}

async function checkCold(world: World, ledger: Ledger): Promise<void> {
  const catalog = await openCatalog(world.store);
  await ledger.check(() => catalog.snapshot('d'));
}

const stormy: Faults = { lostReply: 0.15, lostRequest: 0.1, conflict: 0.1 };

describe('commits of several processes', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))('with faults, seed %i', async (seed) => {
    const world = new World(seed, seed % 3 === 0 ? noFaults : stormy);
    const ledger = await begun(world);
    const writer = async (process: number): Promise<void> => {
      const catalog = await open(world, process);
      for (let round = 0; round < 5; round++) {
        const ids = Array.from({ length: 4 }, () => Math.floor(world.random() * 40));
        const pair = [ids, ids.map((id) => id + 3)];
        await Promise.all(pair.map((some) => ledger.insert(catalog, some)));
        await ledger.check(() => catalog.snapshot('d'));
      }
    };
    await world.run(Promise.all([1, 2, 3].map(writer)));
    expect(ledger.acknowledged.size).toBe(30);
    await checkCold(world, ledger);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed))('with kills, seed %i', async (seed) => {
    const world = new World(1_000 + seed, stormy);
    const ledger = await begun(world);
    const writer = async (process: number): Promise<void> => {
      const catalog = await open(world, process);
      for (let round = 0; round < 6; round++) {
        await ledger.insert(catalog, [round, round + 1, round * process]);
      }
    };
    const doomed = [1, 2, 3].map(writer);
    for (const work of doomed) work.catch(() => undefined);
    let steps = 0;
    await world.run(writer(4), () => {
      steps++;
      for (const process of [1, 2, 3]) if (steps === process * (8 + seed)) world.kill(process);
    });
    await checkCold(world, ledger);
  });

  it.each(Array.from({ length: 16 }, (_, seed) => seed))('with thaws, seed %i', async (seed) => {
    const world = new World(2_000 + seed, seed % 2 === 0 ? noFaults : stormy);
    const ledger = await begun(world);
    const writer = async (process: number): Promise<void> => {
      const catalog = await open(world, process);
      for (let round = 0; round < 6; round++) await ledger.insert(catalog, [round, process, 7]);
    };
    let steps = 0;
    await world.run(Promise.all([1, 2].map(writer)), async () => {
      steps++;
      if (steps % 20 === 10) world.freeze();
      if (steps % 20 === 15) {
        world.time += 30 * hourMs;
        await sweepHeads(world);
      }
      if (steps % 20 === 19) world.thaw();
    });
    await checkCold(world, ledger);
  });
});

describe('a kill at every call', () => {
  it('of a scripted run leaves a store that opens, with all that was acknowledged', async () => {
    for (let at = 0, over = false; !over; at++) {
      for (const moment of ['before', 'after'] as const) {
        const inner = new MemoryStore();
        const dying = new DyingStore(inner, { at, moment });
        const done: string[] = [];
        over = await Promise.race([script(dying, done), dying.death]);
        const catalog = await openCatalog(inner, { limits: small });
        await catalog.createDatabase('d');
        const snapshot = await catalog.snapshot('d');
        if (done.includes('table')) expect([...snapshot.tables.keys()]).toEqual(['t']);
        const rows = (await snapshot.stripes(t1)).map((stripe) => stripe.rows);
        const acknowledged = done.flatMap((what) => (/^\d/.test(what) ? [Number(what)] : []));
        expect(rows.slice(0, acknowledged.length)).toEqual(acknowledged);
        expect(rows.length).toBeLessThanOrEqual(acknowledged.length + 1);
        if (!snapshot.tables.has('t')) await catalog.commit('d', createTable('t'));
        await catalog.commit('d', addStripe(99));
        expect(await (await catalog.snapshot('d')).stripes(t1)).toHaveLength(rows.length + 1);
      }
    }
  });
});

async function script(store: DyingStore, done: string[]): Promise<boolean> {
  const catalog = await openCatalog(store, { limits: small });
  await catalog.createDatabase('d');
  await catalog.commit('d', createTable('t'));
  done.push('table');
  for (let n = 1; n <= 12; n++) {
    await catalog.commit('d', addStripe(n));
    done.push(`${n}`);
  }
  return true;
}

/** Removes all heads but the newest, as a sweeper would after KEEP. */
async function sweepHeads({ store }: World): Promise<void> {
  const { objects } = await store.list({ prefix: headPrefix(1 as NamespaceId), max: 10_000 });
  await store.remove(objects.slice(1).map(({ key }) => key));
}

describe('group commit', () => {
  it('puts proposals that arrive together into one head', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    store.reset();
    const inserts = Array.from({ length: 20 }, (_, i) => catalog.commit('d', addStripe(i + 1)));
    const results = await Promise.all(inserts);
    expect(store.counts().creates).toBeLessThanOrEqual(2);
    const stripes = await results.at(-1)!.snapshot.stripes(t1);
    expect(new Set(stripes.map(({ rows }) => rows)).size).toBe(20);
  });

  it('asks only for the proposals that no longer fit, and each gets its codes', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('d');
    await catalog.commit('d', createTable());
    const attempts: number[] = [];
    const numbered = (): CommitRequest => ({
      propose: async (snapshot, attempt) => {
        attempts.push(attempt);
        const base = snapshot.nextCodes(d1)[0] ?? 0;
        const segment = sampleSegment(1, { group: 0, base, count: 5 });
        return { changes: [{ kind: 'add-segment', segment }] };
      },
    });
    await Promise.all([numbered(), numbered(), numbered()].map((r) => catalog.commit('d', r)));
    const snapshot = await catalog.snapshot('d');
    expect((await snapshot.segments(d1)).map(({ base }) => base)).toEqual([0, 5, 10]);
    expect(attempts.filter((attempt) => attempt === 0)).toHaveLength(3);
    expect(attempts.length).toBeLessThanOrEqual(6);
  });

  it('a proposal that does not fit its own head is a bug, not a loop', async () => {
    const catalog = await openCatalog(new MemoryStore());
    await catalog.createDatabase('d');
    await expect(catalog.commit('d', addStripe(1))).rejects.toThrow('does not fit its own head');
  });
});

describe('giving up', () => {
  it('is believed of the newest head alone', async () => {
    const store = new MemoryStore();
    const behind = await openCatalog(store);
    const ahead = await openCatalog(store);
    await behind.createDatabase('d');
    await behind.commit('d', createTable());
    await ahead.commit('d', propose({ kind: 'drop-table', table: t1 }));
    const seen: boolean[] = [];
    await behind.commit('d', {
      propose: async ({ tables }) => {
        seen.push(tables.has('t'));
        return undefined;
      },
    });
    expect(seen).toEqual([true, false]);
  });

  it('throws what propose throws, and sends nothing', async () => {
    const store = new CountingStore(new MemoryStore());
    const catalog = await openCatalog(store);
    await catalog.createDatabase('d');
    store.reset();
    const request = { propose: () => Promise.reject(new Error('a bad row')) };
    await expect(catalog.commit('d', request)).rejects.toThrow('a bad row');
    expect(store.counts().creates).toBe(0);
  });
});
