// What a second thread brings: the same questions to servers with one worker thread and with two, over
// the same directory. A hundredth of the ids outside the first of four groups, one huge set, forty
// thousand small ones: work is shared out by what there is to do, not by groups or by sets. By the
// clock, and by the processor time of the root's thread and the busiest worker, which other work on
// the machine leaves alone.

import { groupOfHash, hashInteger } from '../../kernels/hash64.ts';
import { encodeState } from '../../storage-format/clickhouse-state.ts';
import { sortKeys } from '../../kernels/key-sort.ts';
import { median } from '../median.ts';
import type { MusterProcess } from '../muster-process.ts';
import { randomFrom, sampleOf, sparseIds } from './samples.ts';
import { load, taggedRow } from './side-by-side.ts';
import { criticalMs, threadTimes } from './thread-times.ts';

const groups = 4;
const structure = 'tag UInt32, users AggregateFunction(groupBitmap, UInt64)';

export interface Servers {
  readonly rounds: number;
  readonly scale: number;
  /** Over one directory; stopped by the caller. */
  readonly start: (workers: number) => Promise<MusterProcess>;
}

interface Question {
  readonly name: string;
  readonly sql: string;
  readonly atLeast: number;
}

const pairs = (table: string) =>
  'SELECT sum(bitmapAndCardinality(a.users, b.users) + bitmapXorCardinality(a.users, b.users)) ' +
  `FROM ${table} AS a CROSS JOIN ${table} AS b`;

const questions: readonly Question[] = [
  { name: '99 % of the work in one group', sql: pairs('skewed'), atLeast: 1.8 },
  {
    name: 'least and greatest ids of a huge set and of a part of it',
    sql: 'SELECT min(bitmapMin(users)), max(bitmapMax(users)) FROM huge',
    atLeast: 1.5,
  },
  {
    name: 'union of forty thousand small sets',
    sql: 'SELECT groupBitmapMerge(users) FROM many',
    atLeast: 1.5,
  },
];

export async function twoThreads({ rounds, scale, start }: Servers): Promise<void> {
  const one = await start(1);
  await loadAll(one, scale);
  await one.stop();
  const alone = await start(1);
  const times = await timesOf(alone, rounds);
  await alone.stop();
  const two = await start(2);
  const both = await timesOf(two, rounds);
  await two.stop();
  console.log(
    'question\t1 thread ms\t2 threads ms\tratio\tby processor time\tfloor\tread MB\tequal',
  );
  questions.forEach(({ name, atLeast }, i) => {
    const [slow, fast] = [times[i], both[i]];
    if (slow === undefined || fast === undefined) return;
    const ratio = (a: number, b: number) => `${(a / b).toFixed(2)}x`;
    const columns = [
      name,
      slow.ms.toFixed(1),
      fast.ms.toFixed(1),
      ratio(slow.ms, fast.ms),
      ratio(slow.criticalMs, fast.criticalMs),
      `>= ${atLeast}x`,
      `${(slow.bytesRead / 1e6).toFixed(2)} / ${(fast.bytesRead / 1e6).toFixed(2)}`,
      slow.text === fast.text ? 'equal' : 'DIFFERS',
    ];
    console.log(columns.join('\t'));
  });
}

interface Timed {
  readonly text: string;
  readonly ms: number;
  readonly criticalMs: number;
  /** By the first question, which finds nothing kept. */
  readonly bytesRead: number;
}

async function timesOf(muster: MusterProcess, rounds: number): Promise<readonly Timed[]> {
  const found: Timed[] = [];
  for (const { sql } of questions) {
    const { bytesRead, text } = await muster.ask(sql);
    for (let i = 0; i < 4; i++) await muster.query(sql);
    const before = threadTimes(muster.pid);
    const times: number[] = [];
    for (let i = 0; i < rounds; i++) times.push((await muster.ask(sql)).ms);
    const path = criticalMs(muster.pid, before, threadTimes(muster.pid)) / rounds;
    found.push({ text, ms: median(times), criticalMs: path, bytesRead });
  }
  return found;
}

async function loadAll(muster: MusterProcess, scale: number): Promise<void> {
  const skewed = skewedIds(4_000_000 * scale);
  const rows = Array.from({ length: 160 }, (_, tag) =>
    taggedRow(tag, encodeState(picked(skewed, tag), 'UInt64')),
  );
  await load({ table: 'skewed', structure, chunks: rows }, { muster });
  const size = 100_000_000 * scale;
  const huge = [size, size / 2].map((many, tag) =>
    taggedRow(tag, encodeState(sparseIds(sampleOf(size, many, tag)), 'UInt64')),
  );
  await load({ table: 'huge', structure, chunks: huge }, { muster });
  const many = Array.from({ length: 40_000 }, (_, tag) =>
    taggedRow(tag, encodeState(sparseIds(sampleOf(1_000_000, 200, tag)), 'UInt64')),
  );
  await load({ table: 'many', structure, chunks: many }, { muster });
}

/** Ids of which 99 in 100 are in group 0, ascending. */
function skewedIds(count: number): BigUint64Array {
  const ids = new BigUint64Array(count);
  const halves = new Uint32Array(ids.buffer);
  const random = randomFrom(5);
  const hash = { low: 0, high: 0 };
  for (let i = 0; i < count; ) {
    const low = Math.floor(random() * 2 ** 32);
    const high = Math.floor(random() * 2 ** 32);
    hashInteger(low, high, hash);
    const first = groupOfHash(hash.high, hash.low, groups) === 0;
    if (first === (i % 100 === 0)) continue;
    halves[2 * i] = low;
    halves[2 * i + 1] = high;
    i++;
  }
  sortKeys(ids);
  return ids;
}

function picked(ids: BigUint64Array, seed: number): BigUint64Array {
  const random = randomFrom(seed);
  const share = 0.02 + random() * 0.5;
  return ids.filter(() => random() < share);
}
