// The dictionary beside JavaScript's Map over the same ids in the same run: ids that are new, ids that are
// known, strings, bytes an entry, the longest pause while it grows, and what opening a large group reads.
//
// Usage: node dist/bench/dictionary-bench.js [--known 10000000] [--ids 1000000] [--threads 2]
//   [--rounds 5] [--full [--entries 100000000]] [--only integers | strings | opening | growth]
// --full: also a dictionary of so many entries over 4 groups, grown by a million at a time.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { DictionaryRef } from '../engine/batch/batch.ts';
import { BulkTables } from '../engine/dictionary/bulk-tables.ts';
import { DataObjects } from '../engine/dictionary/data-objects.ts';
import {
  createDictionaryCaches,
  DictionaryReader,
} from '../engine/dictionary/dictionary-reader.ts';
import { CountingStore } from '../object-store/counting-store.ts';
import { MemoryStore } from '../object-store/memory-store.ts';
import { packStrings } from '../storage-format/packed-keys.ts';
import { writeSegment } from '../storage-format/segment-writer.ts';
import { DictionaryTable, dropNumbered } from './dictionary/dictionary-table.ts';

const { values: options } = parseArgs({
  options: {
    known: { type: 'string', default: '10000000' },
    ids: { type: 'string', default: '1000000' },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    full: { type: 'boolean', default: false },
    entries: { type: 'string', default: '100000000' },
    only: { type: 'string', default: '' },
  },
});
const known = Number(options.known);
const asked = Number(options.ids);
const rounds = Number(options.rounds);
const groups = 4;
const tables = new BulkTables(Number(options.threads));

console.log(`${asked} ids, ${known} known, ${groups} groups, ${options.threads} threads`);
console.log('best of rounds; BitBooster published 1.8 s for 1 M ids cold, 20 ms warm\n');
console.log('what\tMap ms\tMuster ms\tratio\tMap CPU ms\tMuster CPU ms (all threads)');
const parts = { integers, strings, opening, growth: () => growth(Number(options.entries)) };
for (const [name, part] of Object.entries(parts)) {
  const wanted = options.only === '' ? name !== 'growth' || options.full : options.only === name;
  if (wanted) await part();
}
await tables.close();

async function integers(): Promise<void> {
  const ids = randomIds(known, 1);
  const fresh = randomIds(asked, 2);
  const newMap = await best(() => fillMap(new Map<bigint, number>(), fresh));
  const map = fillMap(new Map<bigint, number>(), ids);
  const some = Uint32Array.from({ length: asked }, (_, i) => (i * 7_919 + 13) % known);
  const wanted = BigUint64Array.from(some, (at) => ids[at] ?? 0n);
  const knownMap = await best(() => findInMap(map, wanted));
  const newOurs = await best(async () =>
    dropNumbered(await new DictionaryTable(tables, 'integer', groups).number(fresh)),
  );
  row('new ids', newMap, newOurs);
  const table = new DictionaryTable(tables, 'integer', groups);
  await table.add(ids, await table.number(ids));
  const found = await table.find(wanted);
  if (found.known.some((is) => is !== 1)) throw new Error('a known id was not found');
  row(`known ids of ${known}`, knownMap, await best(() => table.find(wanted)));
  console.log(`bytes an entry: ${(table.bytes / table.entries).toFixed(1)} (key and index)\n`);
  table.drop();
}

async function strings(): Promise<void> {
  const count = Math.min(known, 10_000_000);
  const texts = randomTexts(count, 3);
  const fresh = randomTexts(asked, 4);
  const packed = packStrings({ domain: 'string', values: fresh });
  const newMap = await best(() => fillMap(new Map<string, number>(), copies(fresh)));
  const numbering = await best(async () => dropNumbered(await newTable().number(packed)));
  row('new strings, bytes', newMap, numbering);
  const packing = await best(async () =>
    dropNumbered(await newTable().number(packStrings({ domain: 'string', values: fresh }))),
  );
  row('new strings, of JavaScript', newMap, packing);
  const table = newTable();
  const all = packStrings({ domain: 'string', values: texts });
  await table.add(all, await table.number(all));
  const map = fillMap(new Map<string, number>(), texts);
  const wanted = Array.from({ length: asked }, (_, i) => texts[(i * 7_919 + 13) % count] ?? '');
  const knownMap = await best(() => findInMap(map, copies(wanted)));
  const keys = packStrings({ domain: 'string', values: wanted });
  const found = await table.find(keys);
  if (found.known.some((is) => is !== 1)) throw new Error('a known string was not found');
  row(
    `known strings of ${count}, ${table.segments} segments`,
    knownMap,
    await best(() => table.find(keys)),
  );
  console.log(`bytes an entry: ${(table.bytes / table.entries).toFixed(1)} (key and index)\n`);
  table.drop();
}

function newTable(): DictionaryTable {
  return new DictionaryTable(tables, 'string', groups);
}

/** One group of all known ids, in a store that counts. */
async function opening(): Promise<void> {
  const ids = randomIds(known, 5);
  const { bytes, checksum, index, hashMin, hashMax } = writeSegment({
    domain: 'integer',
    values: ids,
  });
  const store = new CountingStore(new MemoryStore());
  const data = new DataObjects(store, 1);
  await store.put(data.key('a'.repeat(32)), bytes);
  const place = {
    object: 'a'.repeat(32),
    objectBytes: bytes.length,
    offset: 0,
    bytes: bytes.length,
    checksum,
    index,
    groupFirst: 0,
    groupCount: 1,
    shared: false,
  };
  const ref: DictionaryRef = {
    dictionary: 1,
    domain: 'integer',
    groups: 1,
    nextCodes: [known],
    segments: [{ group: 0, base: 0, count: known, place, hashMin, hashMax }],
  };
  const reader = () => new DictionaryReader(data, createDictionaryCaches(1 << 30));
  const cost = async (what: string, work: () => Promise<unknown>) => {
    store.reset();
    const began = performance.now();
    await work();
    const { reads, rounds: made, bytesRead } = store.counts();
    const ms = (performance.now() - began).toFixed(0);
    console.log(`${what}\t${ms} ms\t${made} rounds\t${reads} reads\t${bytesRead} bytes`);
  };
  const keys = (values: BigUint64Array) => ({ domain: 'integer', values }) as const;
  await cost('a group opened and asked', () => reader().encode(keys(ids.slice(0, 100_000)), ref));
  await cost('one id encoded', () => reader().encode(keys(ids.slice(5, 6)), ref));
  await cost('one code decoded', () => reader().decode(0, Uint32Array.of(known >> 1), ref));
}

async function growth(total: number): Promise<void> {
  const table = new DictionaryTable(tables, 'integer', groups);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const began = performance.now();
  delay.enable();
  let merges = 0;
  for (let at = 0; at < total; at += asked) {
    const ids = distinctIds(at, asked);
    const numbered = await table.number(ids);
    await table.add(ids, numbered);
    merges += await table.merge();
  }
  delay.disable();
  const seconds = (performance.now() - began) / 1000;
  console.log(`\n${table.entries} entries in ${seconds.toFixed(0)} s, ${merges} merges`);
  console.log(`${table.segments} segments, ${(table.bytes / 2 ** 30).toFixed(2)} GiB`);
  console.log(
    `longest pause ${(delay.max / 1e6).toFixed(0)} ms, 99.9 % ${(delay.percentile(99.9) / 1e6).toFixed(0)} ms`,
  );
}

/** On a machine that others use the processor's time says more than the clock. */
interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

function row(what: string, map: Spent, ours: Spent): void {
  const ratio = `${(map.ms / ours.ms).toFixed(1)}x`;
  const times = [map.ms, ours.ms].map((ms) => ms.toFixed(1)).join('\t');
  console.log(`${what}\t${times}\t${ratio}\t${map.cpuMs.toFixed(1)}\t${ours.cpuMs.toFixed(1)}`);
}

async function best(work: () => unknown): Promise<Spent> {
  let least: Spent = { ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round++) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    await work();
    const ms = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    least = { ms: Math.min(least.ms, ms), cpuMs: Math.min(least.cpuMs, (user + system) / 1000) };
  }
  return least;
}

/** As an ingest would: an id keeps its code, a new one gets the next. */
function fillMap<K>(map: Map<K, number>, ids: Iterable<K>): Map<K, number> {
  for (const id of ids) if (map.get(id) === undefined) map.set(id, map.size);
  return map;
}

function findInMap<K>(map: Map<K, number>, ids: Iterable<K>): number {
  let sum = 0;
  for (const id of ids) sum += map.get(id) ?? 0;
  return sum;
}

/** Strings that nobody has hashed yet, as parsed input is. */
function copies(texts: readonly string[]): string[] {
  const all = Buffer.from(texts.join(''), 'latin1').toString('latin1');
  let at = 0;
  return texts.map((text) => all.slice(at, (at += text.length)));
}

function randomIds(count: number, seed: number): BigUint64Array {
  const ids = new BigUint64Array(count);
  const words = new Uint32Array(ids.buffer);
  let state = (seed * 0x9e3779b9) >>> 0;
  for (let i = 0; i < words.length; i++) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    words[i] = (mixed ^ (mixed >>> 14)) >>> 0;
  }
  return ids;
}

/** No id twice for whatever `first`, as far as 2^32: the low half is a bijection of the position. */
function distinctIds(first: number, count: number): BigUint64Array {
  const ids = randomIds(count, 1_000 + first);
  const words = new Uint32Array(ids.buffer);
  for (let i = 0; i < count; i++) {
    let mixed = Math.imul((first + i) ^ ((first + i) >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    words[2 * i] = (mixed ^ (mixed >>> 16)) >>> 0;
  }
  return ids;
}

/** 16 to 32 bytes each. */
function randomTexts(count: number, seed: number): string[] {
  const ids = new Uint32Array(randomIds(count, seed).buffer);
  return Array.from({ length: count }, (_, i) => {
    const head = (ids[2 * i] ?? 0).toString(16).padStart(8, '0');
    const tail = (ids[2 * i + 1] ?? 0).toString(36).padStart(8, '0');
    return head + tail + 'abcdefghijklmnop'.slice(0, (ids[2 * i] ?? 0) % 17);
  });
}
