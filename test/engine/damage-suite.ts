// Damage through the whole engine: bytes of stored objects flipped, one at a time, and questions asked
// of an engine that has read nothing yet. Each answers right, or says which object is corrupt: never a
// wrong answer, never another error. A byte that a question does not read cannot matter to it, and
// reads don't depend on chance: only what a question reads is flipped.

import { beforeAll, describe, expect, it } from 'vitest';
import { openCatalog } from '../../catalog/catalog.ts';
import type { Catalog } from '../../catalog/port.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import type { ObjectKey } from '../../object-store/port.ts';
import { type TableName, tables } from './damage-tables.ts';
import { DamagedStore } from './damaged-store.ts';
import { Session } from './queries/session.ts';

const catalogSql = tables.unsplit.questions[0];

interface DamagePlan {
  /** Questions that read no more bytes have each of them flipped. */
  readonly smallBytesMax: number;
  /** Of the others, so many bytes. */
  readonly samples: number;
}

export function describeDamage(plan: DamagePlan): void {
  const store = new MemoryStore({ id: 'memory:damage' });
  const right = new Map<string, string>();
  let catalog: Catalog;

  beforeAll(async () => {
    // The smallest of tails: the catalog's pages are written too.
    catalog = await openCatalog(store, { limits: { tailFoldBytes: 1 } });
    const session = await Session.open({ store, catalog });
    await session.run('CREATE DATABASE bm');
    for (const { create, insert, questions } of Object.values(tables)) {
      await session.run(create);
      await session.run(insert);
      for (const sql of questions) right.set(sql, (await session.ask(sql)).text);
    }
  }, 60_000);

  /** The error; undefined for the right answer. */
  async function outcomeOf(sql: string, damaged: DamagedStore, known?: Catalog) {
    let text: string;
    try {
      const given = known === undefined ? {} : { catalog: known };
      text = (await (await Session.open({ store: damaged, ...given })).ask(sql)).text;
    } catch (error) {
      return error as { readonly message: string; readonly code?: number };
    }
    return text === right.get(sql) ? undefined : { message: `wrong answer: ${text}` };
  }

  async function flipEach(sql: string, known?: Catalog): Promise<readonly Flip[]> {
    const whole = new DamagedStore(store);
    expect(await outcomeOf(sql, whole, known)).toBeUndefined();
    const flips: Flip[] = [];
    for (const { key, at } of placesIn(whole.reads, plan)) {
      const damaged = new DamagedStore(store, { key, at, bits: 1 << (at % 8) });
      flips.push({ key, at, error: await outcomeOf(sql, damaged, known) });
    }
    return flips;
  }

  describe('a flipped byte of data', () => {
    const questions = Object.entries(tables).flatMap(([name, table]) =>
      table.questions.map((sql): readonly [string, string] => [name, sql]),
    );
    it.each(questions)('%s: %s', { timeout: 120_000 }, async (_, sql) => {
      const flips = await flipEach(sql, catalog);
      for (const { key, at, error } of flips) {
        if (error === undefined) continue;
        expect({ at, ...codeAndText(error) }).toEqual({
          at,
          code: 246,
          text: expect.stringMatching(new RegExp(`^corrupt part ${key}: (extent|index|envelope)`)),
        });
      }
      // Not all: whole segments are read together with what only other Arrow readers use.
      const told = flips.filter(({ error }) => error !== undefined).length;
      expect(told).toBeGreaterThan(flips.length / 4);
    });

    it('there are all shapes of stripes', async () => {
      const snapshot = await catalog.snapshot('bm');
      for (const shape of ['unsplit', 'batches', 'objects'] satisfies TableName[]) {
        const stripes = await snapshot.stripes(snapshot.tables.get(shape)!.id);
        expect(stripes.map((stripe) => stripe.shape)).toEqual([shape]);
      }
    });
  });

  it('a flipped byte of a head or a page', { timeout: 120_000 }, async () => {
    const flips = await flipEach(catalogSql);
    const ofCatalog = flips.filter(({ key }) => key.startsWith('catalog/'));
    const kinds = ofCatalog.map(({ key }) => key.split('/')[2]);
    expect(new Set(kinds)).toEqual(new Set(['heads', 'pages']));
    for (const { key, at, error } of ofCatalog) {
      const { code, text } = codeAndText(error ?? { message: 'not found' });
      expect({ at, text }).toEqual({ at, text: expect.stringContaining(key) });
      // 363 where the format says that a newer Muster, or somebody else, wrote it.
      expect([246, 363]).toContain(code);
    }
  });
}

interface Flip {
  readonly key: ObjectKey;
  readonly at: number;
  readonly error: { readonly message: string; readonly code?: number } | undefined;
}

function codeAndText(error: { readonly message: string; readonly code?: number }) {
  return { code: error.code, text: error.message };
}

interface Place {
  readonly key: ObjectKey;
  readonly at: number;
}

/** All bytes that were read, or so many of them by a fixed seed and the ends of every read. */
function placesIn(reads: DamagedStore['reads'], plan: DamagePlan): readonly Place[] {
  const total = reads.reduce((sum, { range }) => sum + range.end - range.start, 0);
  const places = new Map<string, Place>();
  const add = (key: ObjectKey, at: number) => places.set(`${key} ${at}`, { key, at });
  if (total <= plan.smallBytesMax) {
    for (const { key, range } of reads) {
      for (let at = range.start; at < range.end; at++) add(key, at);
    }
    return [...places.values()];
  }
  let state = 0x9e3779b9;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let i = 0; i < plan.samples; i++) {
    // Reads of any size alike, so that a few large ones don't hide the small ones.
    const { key, range } = reads[random(reads.length)]!;
    const edges = [range.start, range.end - 1];
    add(key, edges[i % 8] ?? range.start + random(range.end - range.start));
  }
  return [...places.values()];
}
