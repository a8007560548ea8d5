// Many small inserts, over a directory: what each costs in requests and bytes, how many a second one
// client gets in, what a count takes with all that they leave, and what compaction makes of it: off, when it is
// asked for, and on. ClickHouse takes the same inserts beside it.
//
// Usage: node dist/bench/small-inserts-bench.js [--inserts 1000] [--rows 10] [--full] [--clients 32]
// --full: 10,000 inserts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { openCatalog } from '../catalog/catalog.ts';
import { InProcessInvoker } from '../engine/batch/in-process-invoker.ts';
import { Engine } from '../engine/engine.ts';
import { formatResult } from '../engine/formats/output.ts';
import { createWorkerEnvironment } from '../engine/worker/worker-environment.ts';
import { CountingStore } from '../object-store/counting-store.ts';
import { DirectoryStore } from '../object-store/directory-store.ts';
import { ClickHouseOracle } from './clickhouse-oracle.ts';

const { values: options } = parseArgs({
  options: {
    inserts: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '10' },
    full: { type: 'boolean', default: false },
    clients: { type: 'string', default: '32' },
  },
});
const inserts = options.full ? 10_000 : Number(options.inserts);
const rows = Number(options.rows);
const tagsMax = 1000;
const peopleMax = 100_000;
const columns = 'tag String, users AggregateFunction(groupBitmap, UInt64)';
const count = 'SELECT count(), sum(n) FROM (SELECT tag, bitmapCardinality(users) AS n FROM t)';
const union = 'SELECT groupBitmapMerge(users) FROM t';
const root = mkdtempSync(join(tmpdir(), 'muster-small-inserts-'));

interface Row {
  readonly tag: string;
  readonly id: bigint;
}

/** The same ones every time: tags and sparse ids by a generator of their own. */
function rowsOf(insert: number): readonly Row[] {
  let state = (insert + 1) * 2_654_435_761;
  const next = (max: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state % max;
  };
  return Array.from({ length: rows }, () => {
    const id = BigInt.asUintN(64, BigInt(next(peopleMax)) * 0x9e37_79b9_7f4a_7c15n);
    return { tag: `tag ${next(tagsMax)}`, id };
  });
}

class Place {
  readonly store: CountingStore;
  readonly engine: Engine;

  private constructor(store: CountingStore, engine: Engine) {
    this.store = store;
    this.engine = engine;
  }

  static async open(folder: string): Promise<Place> {
    const store = new CountingStore(await DirectoryStore.open(join(root, folder), systemClock));
    const catalog = await openCatalog(store);
    const invoker = new InProcessInvoker(createWorkerEnvironment(store));
    return new Place(store, new Engine({ catalog, store, invoker }));
  }

  async ask(text: string, settings: Readonly<Record<string, string>> = {}, body = '') {
    const result = await this.engine.execute({
      queryId: 'bench',
      text,
      database: 'bench',
      parameters: new Map(),
      settings: new Map(Object.entries(settings)),
      ...(body === '' ? {} : { body: once(body) }),
    });
    if (result.kind === 'done') return '';
    const chunks = [...formatResult('TabSeparated', result, { settings: new Map() })];
    return Buffer.concat(chunks).toString().trim();
  }

  async insert(n: number, settings: Readonly<Record<string, string>>): Promise<void> {
    const lines = rowsOf(n).map(({ tag, id }) => `{"tag":"${tag}","users":["${id}"]}\n`);
    await this.ask('INSERT INTO t FORMAT JSONEachRow', settings, lines.join(''));
  }

  /** Stripes, and segments of the group that has most. */
  async entries(): Promise<{ readonly stripes: number; readonly segments: number }> {
    const snapshot = await (await openCatalog(this.store)).snapshot('bench');
    const stripes = await snapshot.stripes(snapshot.tables.get('t')!.id);
    const groups = new Map<number, number>();
    for (const id of snapshot.dictionaries.keys()) {
      for (const { group } of await snapshot.segments(id)) {
        groups.set(group, (groups.get(group) ?? 0) + 1);
      }
    }
    return { stripes: stripes.length, segments: Math.max(...groups.values()) };
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

async function spent(work: () => Promise<unknown>): Promise<Spent> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

function perSecond({ ms }: Spent): string {
  return (inserts / (ms / 1000)).toFixed(0);
}

function written(store: CountingStore): string {
  const { puts, creates, bytesWritten } = store.counts();
  const each = ((puts + creates) / inserts).toFixed(2);
  return `${each} PUTs and ${(bytesWritten / inserts / 1024).toFixed(1)} KiB an insert`;
}

/** In a process of its own as far as caches go, then again, warm. */
async function question(folder: string, text: string): Promise<string> {
  const place = await Place.open(folder);
  await place.ask('SELECT 1');
  place.store.reset();
  const cold = await spent(() => place.ask(text));
  const { reads, rounds, bytesRead } = place.store.counts();
  const data = place.store.calls.filter(({ key }) => key.startsWith('data/'));
  const objects = new Set(data.map(({ key }) => key)).size;
  let warm = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) warm = Math.min(warm, (await spent(() => place.ask(text))).ms);
  const read = `${reads} reads of ${objects} objects in ${rounds} rounds, ${(bytesRead / 1024).toFixed(0)} KiB`;
  return `cold ${cold.ms.toFixed(0)} ms (${read}), warm ${warm.toFixed(1)} ms`;
}

async function report(place: Place, folder: string): Promise<void> {
  const { stripes, segments } = await place.entries();
  console.log(`  ${stripes} stripes, at most ${segments} dictionary segments a group`);
  console.log(`  count: ${await question(folder, count)}`);
  console.log(`  union: ${await question(folder, union)}`);
  const one = rowsOf(0)[0]!.id;
  const member = `SELECT sum(bitmapContains(users, toUInt64('${one}'))) FROM t`;
  console.log(`  one id: ${await question(folder, member)}`);
}

async function muster(folder: string, settings: Readonly<Record<string, string>>, clients = 1) {
  const place = await Place.open(folder);
  await place.ask('CREATE DATABASE bench');
  await place.ask(`CREATE TABLE t (${columns}) ENGINE = AggregatingMergeTree ORDER BY tag`);
  place.store.reset();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < inserts) await place.insert(next++, settings);
  };
  const whole = await spent(() => Promise.all(Array.from({ length: clients }, client)));
  const behind = await spent(() => place.engine.idle());
  console.log(
    `  ${perSecond(whole)} inserts/s, ${(whole.cpuMs / inserts).toFixed(2)} ms of processor each; ` +
      `${written(place.store)}; ${behind.ms.toFixed(0)} ms until nothing goes on behind them`,
  );
  return place;
}

function clickHouse(): string {
  const oracle = ClickHouseOracle.open(
    fileURLToPath(new URL('../../test/package.json', import.meta.url)),
  );
  try {
    oracle.query(`CREATE TABLE t (${columns}) ENGINE = AggregatingMergeTree ORDER BY tag`);
    const start = performance.now();
    for (let i = 0; i < inserts; i++) {
      const values = rowsOf(i).map(({ tag, id }) => `('${tag}', ${id})`);
      oracle.query(
        `INSERT INTO t SELECT tag, groupBitmapState(id) FROM values('tag String, id UInt64', ${values.join(', ')}) GROUP BY tag`,
      );
    }
    const ms = performance.now() - start;
    const parts = oracle.query("SELECT count() FROM system.parts WHERE table = 't' AND active");
    const asked = performance.now();
    const answer = oracle.query(count.replace('FROM t', 'FROM t FINAL'));
    const countMs = performance.now() - asked;
    const unionAt = performance.now();
    const people = oracle.query(union);
    const unionMs = performance.now() - unionAt;
    console.log(
      `  ${(inserts / (ms / 1000)).toFixed(0)} inserts/s; ${parts.trim()} parts; count with FINAL ` +
        `${countMs.toFixed(0)} ms, union ${unionMs.toFixed(0)} ms`,
    );
    return `${answer.trim()} ${people.trim()}`;
  } finally {
    oracle.close();
  }
}

try {
  console.log(`${inserts} inserts of ${rows} rows over a directory`);
  const off = { muster_background_compaction: '0' };
  console.log('one client, without compaction');
  const plain = await muster('off', off);
  await report(plain, 'off');
  console.log('one client, compacted behind the inserts');
  const compacted = await muster('on', {});
  await report(compacted, 'on');
  console.log(`${options.clients} clients with async_insert = 1`);
  const together = await muster('async', { async_insert: '1' }, Number(options.clients));
  await report(together, 'async');
  console.log('OPTIMIZE TABLE of what the first one left');
  plain.store.reset();
  const optimized = await spent(() => plain.ask('OPTIMIZE TABLE t'));
  const { reads, puts, creates, bytesWritten } = plain.store.counts();
  console.log(
    `  ${optimized.ms.toFixed(0)} ms, ${optimized.cpuMs.toFixed(0)} ms of processor; ${reads} reads, ` +
      `${puts + creates} PUTs, ${(bytesWritten / 1024).toFixed(0)} KiB written`,
  );
  await report(plain, 'off');
  const answers = await Promise.all(
    [plain, compacted, together].map(
      async (place) => `${await place.ask(count)} ${await place.ask(union)}`,
    ),
  );
  console.log('ClickHouse (chdb)');
  const theirs = clickHouse();
  const isEqual = answers.every((answer) => answer === theirs);
  console.log(
    isEqual ? 'all answers are equal' : `answers differ: ${[...answers, theirs].join(' | ')}`,
  );
  if (!isEqual) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
