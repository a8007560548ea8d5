// Backfills over files in memory: what arrives, that it arrives once, and what bad rows do.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { type BackfillJob, parseSetWish } from '../../../engine/backfill/backfill-job.ts';
import { dryRun } from '../../../engine/backfill/dry-run.ts';
import type { FileProblem } from '../../../engine/backfill/load-files.ts';
import { type BackfillEvent, runBackfill } from '../../../engine/backfill/run-backfill.ts';
import type { FileSource } from '../../../engine/backfill/source-files.ts';
import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import { Session } from '../queries/session.ts';
import {
  bitmapValue,
  databend,
  roaring32,
  roaring64,
} from '../../storage-format/foreign/writers.ts';
import { memorySource } from './memory-source.ts';

const table =
  'CREATE TABLE sets (dt Date, seg String, ids AggregateFunction(groupBitmap, UInt32)) ENGINE = MergeTree ORDER BY (dt, seg) SETTINGS muster_groups = 2';

async function session(): Promise<Session> {
  const opened = await Session.open();
  await opened.engine.execute({
    queryId: 'test',
    text: 'CREATE DATABASE bm',
    database: 'bm',
    parameters: new Map(),
    settings: new Map(),
  });
  await opened.ask(table);
  return opened;
}

function job(changes: Partial<BackfillJob> = {}): BackfillJob {
  return {
    name: 'history',
    database: 'bm',
    table: 'sets',
    structure: 'seg String, ids String',
    sets: {},
    onError: 'stop',
    settings: {},
    ...changes,
  };
}

interface Told {
  readonly events: BackfillEvent[];
  readonly problems: readonly FileProblem[];
  readonly loaded: number;
  readonly known: number;
}

async function run(
  { engine }: Session,
  source: FileSource,
  changes: Partial<BackfillJob> = {},
): Promise<Told> {
  const events: BackfillEvent[] = [];
  await runBackfill({
    engine,
    source,
    job: job(changes),
    clock: systemClock,
    signal: new AbortController().signal,
    share: { index: 0, of: 1 },
    onEvent: (event) => events.push(event),
  });
  const files = (kind: 'loaded' | 'known') =>
    events.reduce((sum, event) => (event.kind === kind ? sum + event.files : sum), 0);
  const problems = events.flatMap((event) => (event.kind === 'problem' ? [event.problem] : []));
  return { events, problems, loaded: files('loaded'), known: files('known') };
}

const state = (...ids: number[]) =>
  encodeState(BigUint64Array.from(ids.map(BigInt)).sort(), 'UInt32');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const wide = (...ids: number[]) => ids.map(BigInt);

const counts = 'SELECT dt, seg, groupBitmapMerge(ids) FROM sets GROUP BY dt, seg ORDER BY dt, seg';
const members =
  'SELECT seg, arraySort(bitmapToArray(groupBitmapMergeState(ids))) FROM sets GROUP BY seg ORDER BY seg';

describe('a backfill', () => {
  it('loads rows of all text formats, with columns from the path, packed or not', async () => {
    const bm = await session();
    const source = memorySource({
      'dt=2026-01-01/a.csv': 'seg,ids\nx,"[1,2,3]"\ny,[]\n',
      'dt=2026-01-01/b.tsv': 'x\t[3,4]\n',
      'dt=2026-01-02/c.jsonl': '{"seg":"x","ids":[7]}\n{"ids":[8,9],"seg":"z"}\n',
      'dt=2026-01-02/d.csv.gz': gzipSync('ids,seg\n"[5]",y\n'),
    });
    const { loaded } = await run(bm, source);
    expect(loaded).toBe(4);
    expect((await bm.ask(counts)).text.split('\n')).toEqual([
      '2026-01-01\tx\t4',
      '2026-01-01\ty\t0',
      '2026-01-02\tx\t1',
      '2026-01-02\ty\t1',
      '2026-01-02\tz\t2',
    ]);
  });

  it('loads sets of other systems, found out or named, a form per file', async () => {
    const bm = await session();
    const many = Array.from({ length: 50 }, (_, i) => 3 * i);
    const source = memorySource({
      'ch.csv': `a,${hex(state(1, 2, 3))}\nb,${hex(state(...many))}\n`,
      'ch64.jsonl': `{"seg":"c","ids":"${base64(state(...many))}"}\n`,
      'doris.tsv': `d\t${base64(bitmapValue(wide(1, 5, 9), { set: 'v1', native: false }))}\n`,
      'roaring.csv': `e,${base64(roaring32(many))}\nf,\n`,
      'roaring64.csv': `g,${hex(roaring64(wide(7, 8)))}\n`,
      'databend.csv': `h,${hex(databend(wide(4), 'header'))}\n`,
    });
    await run(bm, source);
    const list = `[${many.join(',')}]`;
    expect((await bm.ask(members)).text.split('\n')).toEqual([
      'a\t[1,2,3]',
      `b\t${list}`,
      `c\t${list}`,
      'd\t[1,5,9]',
      `e\t${list}`,
      'f\t[]',
      'g\t[7,8]',
      'h\t[4]',
    ]);
    const named = memorySource({ 'n.csv': `n,${hex(Uint8Array.of(1, 7, 0, 0, 0))}\n` });
    const sets = Object.fromEntries([parseSetWish('ids=starrocks:hex')]);
    await run(bm, named, { name: 'named', sets });
    const found = await bm.ask("SELECT groupBitmapMerge(ids) FROM sets WHERE seg = 'n'");
    expect(found.text).toBe('1');
  });

  it('through a SELECT: detail rows become sets, states are transformed', async () => {
    const bm = await session();
    const rows = memorySource({ 'dt=2026-02-03/r.csv': '1,x\n2,x\n2,y\n1,x\n' });
    await run(bm, rows, {
      structure: 'uid UInt32, seg String',
      select:
        'SELECT toDate(dt) AS dt, seg, groupBitmapState(uid) AS ids FROM input() GROUP BY dt, seg',
    });
    expect((await bm.ask(counts)).text).toBe('2026-02-03\tx\t2\n2026-02-03\ty\t1');
    const sets = memorySource({ 's.csv': `${hex(state(1, 2, 3))},z\n` });
    await run(bm, sets, {
      name: 'second',
      structure: 'bytes AggregateFunction(groupBitmap, UInt32), seg String',
      sets: { bytes: {} },
      select:
        "SELECT toDate('2026-02-04') AS dt, concat(seg, _file) AS seg, bitmapAnd(bytes, bitmapBuild([toUInt32(2), 3, 4])) AS ids FROM input()",
    });
    const last = (await bm.ask(counts)).text.split('\n').at(-1);
    expect(last).toBe('2026-02-04\tzs.csv\t2');
  });

  it('run again, or by two at once, is as if it ran once', async () => {
    const bm = await session();
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`f${100 + i}.csv`, `s${i % 3},"[${i},${i + 1}]"\n`]),
    );
    const source = memorySource(files);
    const other = await bm.reopen();
    const [a, b] = await Promise.all([run(bm, source), run(other, source)]);
    expect(a.loaded + b.loaded).toBe(30);
    const again = await run(await bm.reopen(), source);
    expect([again.loaded, again.known]).toEqual([0, 30]);
    const rows = await bm.ask('SELECT count() FROM sets');
    expect(rows.text).toBe('30');
    await run(bm, memorySource({ ...files, 'f131.csv': 's9,"[1]"\n' }));
    expect((await bm.ask('SELECT count() FROM sets')).text).toBe('31');
  });

  it('a file that has grown since is refused, another job loads it', async () => {
    const bm = await session();
    await run(bm, memorySource({ 'a.csv': 'x,"[1]"\n' }));
    const grown = memorySource({ 'a.csv': 'x,"[1]"\ny,"[2]"\n' });
    await expect(run(bm, grown)).rejects.toThrow(/had 8 bytes, and has 16 now/);
    expect((await run(bm, grown, { name: 'other' })).loaded).toBe(1);
  });

  it('stops at the first bad row, with file, row and column, and keeps whole files', async () => {
    const bm = await session();
    const source = memorySource({
      'a.csv': 'x,"[1]"\n',
      'b.csv': `x,${hex(state(1))}\ny,${hex(state(1)).slice(4)}\n`,
    });
    const failing = run(bm, source);
    await expect(failing).rejects.toThrow(/^b\.csv, row 2, column ids: /);
    await expect(failing).rejects.toMatchObject({ errorName: 'INCORRECT_DATA' });
  });

  it('skips bad rows and bad files, reports them, and tries bad files again', async () => {
    const bm = await session();
    const files = {
      'a.csv': `x,${hex(state(1, 2))}\ny,ffff\nz,${hex(state(3))}\n`,
      'b.jsonl': 'nonsense\n{"seg":"x","ids":[4]}\n{"seg":"y","ids":"?"}\n{"seg" 1}\n',
      'c.csv': 'x,"[5]"\n',
      'd.csv.gz': Buffer.from('no gzip'),
      'e.unknown': 'x',
    };
    const wished: Partial<BackfillJob> = {
      onError: 'skip',
    };
    const { problems, loaded } = await run(bm, memorySource(files), wished);
    expect(loaded).toBe(3);
    const told = problems.map(({ file, row, column }) => `${file} ${row} ${column}`);
    expect(told.toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      'a.csv 2 ids',
      'b.jsonl 1 undefined',
      'b.jsonl 3 ids',
      'b.jsonl 4 undefined',
      'd.csv.gz undefined undefined',
      'e.unknown undefined undefined',
    ]);
    expect((await bm.ask(counts)).text).toBe('1970-01-01\tx\t4\n1970-01-01\tz\t1');
    const fixed = { ...files, 'd.csv.gz': gzipSync('x,"[6]"\n') };
    const again = await run(bm, memorySource(fixed), wished);
    expect([again.loaded, again.known]).toEqual([1, 3]);
  });

  it('refuses a file of which nearly all rows are bad, as a whole', async () => {
    const bm = await session();
    const source = memorySource({ 'a.csv': 'x,"[1]"\n' + 'x\n'.repeat(10_001) });
    const { problems, loaded } = await run(bm, source, { onError: 'skip' });
    expect(loaded).toBe(0);
    expect(problems).toMatchObject([{ file: 'a.csv', row: 10_002 }]);
  });

  it('dry: says what is there and writes nothing', async () => {
    const bm = await session();
    await run(bm, memorySource({ 'a.csv': 'x,"[1,2,3]"\n' }));
    const source = memorySource({
      'a.csv': 'x,"[1,2,3]"\n',
      'b.csv': 'x,"[2,3,4]"\ny,"[4,5]"\n',
      'c.csv': 'x,bad\n',
    });
    const before = await bm.store.list({ prefix: '', max: 1000 });
    const request = {
      queryId: 'dry',
      text: '',
      database: 'bm',
      parameters: new Map<string, string>(),
      settings: new Map<string, string>(),
    };
    const { problems, ...found } = await bm.engine.within(request, async (context) =>
      dryRun(await source.list(context.signal), job(), context),
    );
    expect(found).toEqual({
      files: 2,
      known: 1,
      bytes: 28,
      rows: 2,
      memberships: 5,
      ids: 4,
      newIds: 2,
    });
    expect(problems).toHaveLength(1);
    expect((await bm.store.list({ prefix: '', max: 1000 })).objects).toEqual(before.objects);
  });

  it('of an empty file is finished too', async () => {
    const bm = await session();
    const source = memorySource({ 'a.csv': '', 'b.csv': 'seg,ids\n' });
    expect((await run(bm, source)).loaded).toBe(2);
    expect((await run(bm, source)).known).toBe(2);
    expect((await bm.ask('SELECT count() FROM sets')).text).toBe('0');
  });
});

describe('what a column of sets is said to be', () => {
  it('has a format, and perhaps an encoding', () => {
    expect(parseSetWish('ids=doris:base64')).toEqual([
      'ids',
      { format: 'doris', encoding: 'base64' },
    ]);
    expect(parseSetWish('a=b=list')).toEqual(['a=b', { text: 'list' }]);
    for (const text of ['ids', '=doris', 'ids=dorys', 'ids=doris:b64', 'ids=doris:hex:x']) {
      expect(() => parseSetWish(text), text).toThrow(MusterError);
    }
  });
});
