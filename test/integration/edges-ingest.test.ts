// Edges of INSERT: odd bytes, bad rows, inputs larger than the memory budget, clients that leave,
// tables that go while rows arrive, questions while rows arrive, and limits.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MusterProcess } from '../../bench/muster-process.ts';
import { builtMain } from './places.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-ingest-'));
const plain = 'e.p (tag String, n Int32, d Nullable(DateTime))';
const users = 'users AggregateFunction(groupBitmap, UInt64)';
let muster: MusterProcess;

beforeAll(async () => {
  muster = await MusterProcess.start(builtMain, ['--data', folder]);
  await muster.query('CREATE DATABASE e');
  await muster.query(`CREATE TABLE ${plain} ENGINE = MergeTree ORDER BY n`);
  await muster.query(
    `CREATE TABLE e.t (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`,
  );
});
afterAll(async () => {
  await muster.stop();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (sql: string, data: string | Buffer) => muster.query(sql, [Buffer.from(data)]);
const rows = (order = 'n, tag') =>
  muster.query(`SELECT * FROM e.p ORDER BY ${order} FORMAT JSONCompactEachRow`);

/** The message of the error that it must be. */
async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => expect.fail('accepted'),
    (error: unknown) => String(error),
  );
}

describe('odd bytes', () => {
  const mark = '\ufeff';
  it('byte order marks, CR LF and line ends in quotes', async () => {
    await insert(
      'INSERT INTO e.p FORMAT CSVWithNames',
      `${mark}"tag","n","d"\r\n"a\r\nb",1,"2024-01-01 00:00:00"\r\n"q""x",2,\\N\r\nplain,3,\r\n`,
    );
    await insert('INSERT INTO e.p FORMAT CSV', `${mark}"bom",7,\r\n`);
    await insert('INSERT INTO e.p FORMAT TSV', `${mark}tsv\t8\t\\N\r\n`);
    await insert(
      'INSERT INTO e.p FORMAT JSONEachRow',
      `${mark}{"tag":"json","n":9}\r\n\r\n{"tag":"","n":10}`,
    );
    expect(await rows()).toBe(
      [
        '["a\\r\\nb", 1, "2024-01-01 00:00:00"]',
        '["q\\"x", 2, null]',
        '["plain", 3, null]',
        '["bom", 7, null]',
        '["tsv", 8, null]',
        '["json", 9, null]',
        '["", 10, null]',
        '',
      ].join('\n'),
    );
    await muster.query('TRUNCATE TABLE e.p');
  });

  it('nothing at all', async () => {
    for (const format of ['CSV', 'CSVWithNames', 'TSV', 'JSONEachRow', 'RowBinary', 'Values']) {
      for (const data of ['', '\n', '\ufeff']) {
        if (data !== '' && /RowBinary|Names|Values/.test(format)) continue;
        await insert(`INSERT INTO e.p FORMAT ${format}`, data);
      }
    }
    expect(await muster.query('SELECT count() FROM e.p')).toBe('0\n');
  });

  it('a line end in the middle of a chunk, of a character, of a number', async () => {
    const data = Buffer.from('{"tag":"é日😀","n":12345}\r\n{"tag":"x","n":-7}\r\n');
    for (let at = 1; at < data.length; at++) {
      await muster.query('INSERT INTO e.p FORMAT JSONEachRow', [
        data.subarray(0, at),
        data.subarray(at),
      ]);
    }
    expect(await muster.query('SELECT tag, n, count() FROM e.p GROUP BY tag, n ORDER BY n')).toBe(
      `x\t-7\t${data.length - 1}\né日😀\t12345\t${data.length - 1}\n`,
    );
    await muster.query('TRUNCATE TABLE e.p');
  });
});

describe('a bad row refuses the whole insert and says where', () => {
  const many = (row: (i: number) => string, bad: string) =>
    Array.from({ length: 150_000 }, (_, i) => (i === 100_000 ? bad : row(i))).join('\n');
  const cases = [
    [
      'JSONEachRow',
      (i: number) => `{"tag":"t","n":${i}}`,
      '{"tag":"t","n":"x1"}',
      'line 100001, column 16',
      27,
    ],
    ['CSV', (i: number) => `"t",${i},`, '"two\nlines",zz,', 'line 100002, column 8', 27],
    [
      'TSV',
      (i: number) => `t\t${i}\t\\N`,
      't\t2\t2024-13-45 00:00:00',
      'line 100001, column 5',
      41,
    ],
    ['TSV', (i: number) => `t\t${i}\t\\N`, 't\t2', 'line 100001, column 4', 27],
    ['CSV', (i: number) => `t,${i},`, 't,99999999999,', 'line 100001, column 3', 321],
  ] as const;
  for (const [format, row, bad, place, code] of cases) {
    it(`${format}: ${JSON.stringify(bad)}`, async () => {
      const said = await refusal(insert(`INSERT INTO e.p FORMAT ${format}`, many(row, bad)));
      expect(said).toContain(`Code: ${code}.`);
      expect(said).toContain(place);
      expect(said).toContain('row 100001');
      expect(await muster.query('SELECT count() FROM e.p')).toBe('0\n');
    });
  }

  it('ids that do not fit', async () => {
    for (const [ids, code] of [
      ['18446744073709551616', 321],
      ['-1', 72],
      ['1.5', 27],
      ['"x"', 27],
      ['[1]', 27],
    ] as const) {
      const data = `{"tag":"ok","users":[1]}\n{"tag":"a","users":[1,2,${ids}]}\n`;
      const said = await refusal(insert('INSERT INTO e.t FORMAT JSONEachRow', data));
      expect(said).toMatch(new RegExp(`Code: ${code}\\..*line 2, column`, 's'));
    }
    expect(await muster.query('SELECT count() FROM e.t')).toBe('0\n');
  });
});

it('duplicate ids in one insert and across inserts count once; NULL ids not at all', async () => {
  const data = '{"tag":"a","users":[1,1,null,5]}\n{"tag":"a","users":[5,"9007199254740993"]}\n';
  await insert('INSERT INTO e.t FORMAT JSONEachRow', data);
  await insert('INSERT INTO e.t FORMAT JSONEachRow', data);
  await insert('INSERT INTO e.t FORMAT JSONEachRow', '{"tag":"b","users":null}\n{"tag":"c"}\n');
  expect(await muster.query('SELECT tag, bitmapToArray(users) FROM e.t ORDER BY tag')).toBe(
    'a\t[1,5,9007199254740993]\nb\t[]\nc\t[]\n',
  );
  await muster.query('TRUNCATE TABLE e.t');
});

it('an input far larger than the memory budget streams', async () => {
  const resident = () => residentMb(muster.pid);
  const before = resident();
  let most = before;
  function* chunks(): Generator<Buffer> {
    for (let chunk = 0; chunk < 160; chunk++) {
      const lines = Array.from({ length: 8192 }, (_, i) => {
        const n = chunk * 8192 + i;
        return `tag${n % 1000}\t${n}\t\\N and a long text to fill the row ${'x'.repeat(120)}${n}\n`;
      });
      most = Math.max(most, resident());
      yield Buffer.from(lines.join(''));
    }
  }
  await muster.query(
    'CREATE TABLE e.long (tag String, n UInt64, s String) ENGINE = MergeTree ORDER BY n',
  );
  await muster.query(
    'INSERT INTO e.long SETTINGS max_memory_usage = 33554432 FORMAT TSV',
    chunks(),
  );
  // 250 MB of text in a budget of 32 MiB; what is allowed beyond it is Node's own garbage.
  expect(most - before).toBeLessThan(220);
  expect(await muster.query('SELECT count(), sum(n) FROM e.long')).toBe(
    `${160 * 8192}\t${(160 * 8192 * (160 * 8192 - 1)) / 2}\n`,
  );
  await muster.query('DROP TABLE e.long');
});

it('GROUP BY beyond the budget is error 241 and names the setting', async () => {
  function* chunks(): Generator<Buffer> {
    for (let chunk = 0; chunk < 120; chunk++) {
      const lines = Array.from({ length: 8192 }, (_, i) => `g${i % 50}\t${chunk * 8192 + i}\n`);
      yield Buffer.from(lines.join(''));
    }
  }
  const said = await refusal(
    muster.query(
      "INSERT INTO e.t SELECT tag, groupBitmapState(id) FROM input('tag String, id UInt64') GROUP BY tag SETTINGS max_memory_usage = 4194304 FORMAT TSV",
      chunks(),
    ),
  );
  expect(said).toMatch(/Code: 241\..*max_memory_usage/s);
  expect(await muster.query('SELECT count() FROM e.t')).toBe('0\n');
});

describe('while rows arrive', () => {
  /** An insert that waits: `finish` sends the rest and gives the answer. */
  function opened(sql: string, first: string) {
    const path = `/?query=${encodeURIComponent(sql)}`;
    const call = request(`${muster.url}${path}`, { method: 'POST', agent: false });
    call.on('error', () => undefined);
    call.write(first);
    const answered = new Promise<string>((resolve, reject) => {
      call.once('close', () => reject(new Error('no answer')));
      call.once('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.once('end', () => resolve(text));
      });
    });
    answered.catch(() => undefined);
    return {
      finish: async (rest: string) => {
        call.end(rest);
        return answered;
      },
      leave: () => call.destroy(),
    };
  }
  const row = (tag: string) => `{"tag":"${tag}","users":[1,2,3]}\n`;

  it('nothing is visible before the end', async () => {
    const open = opened('INSERT INTO e.t FORMAT JSONEachRow', row('early').repeat(2000));
    await delay(200);
    expect(await muster.query('SELECT count() FROM e.t')).toBe('0\n');
    expect(await open.finish(row('late'))).toBe('');
    expect(await muster.query('SELECT tag FROM e.t ORDER BY tag')).toBe('early\nlate\n');
    await muster.query('TRUNCATE TABLE e.t');
  });

  it('a client that leaves, leaves nothing', async () => {
    const open = opened('INSERT INTO e.t FORMAT JSONEachRow', row('gone').repeat(2000));
    await delay(200);
    open.leave();
    await delay(200);
    expect(await muster.query('SELECT count() FROM e.t')).toBe('0\n');
  });

  it('a table that is dropped, or made anew under its name, gets none of them', async () => {
    const create = `CREATE TABLE e.brief (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`;
    for (const again of [false, true]) {
      await muster.query(create);
      const open = opened('INSERT INTO e.brief FORMAT JSONEachRow', row('lost').repeat(2000));
      await delay(200);
      await muster.query('DROP TABLE e.brief');
      if (again) await muster.query(create);
      const said = await open.finish(row('lost too'));
      expect(said).toMatch(/Code: 60\..*nothing was inserted/s);
      if (!again) continue;
      expect(await muster.query('SELECT count() FROM e.brief')).toBe('0\n');
      await muster.query('DROP TABLE e.brief');
    }
  });

  it('nor do a database that is dropped and its successor', async () => {
    const create = `CREATE TABLE brief.t (tag String, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`;
    // Within a large budget all rows are staged; within a small one most lie in stripes already.
    for (const budget of [1e9, 1000]) {
      await muster.query('CREATE DATABASE brief');
      await muster.query(create);
      const sql = `INSERT INTO brief.t SETTINGS max_memory_usage = ${budget} FORMAT JSONEachRow`;
      const open = opened(sql, row('lost').repeat(70_000));
      await delay(400);
      await muster.query('DROP DATABASE brief');
      await muster.query('CREATE DATABASE brief');
      await muster.query(create);
      expect(await open.finish(row('lost too'))).toMatch(/Code: (60|81)\./);
      expect(await muster.query('SELECT count() FROM brief.t')).toBe('0\n');
      await muster.query('DROP DATABASE brief');
    }
  });

  it('a truncated table keeps rows whose insert ends later', async () => {
    const open = opened('INSERT INTO e.t FORMAT JSONEachRow', row('kept').repeat(2000));
    await delay(200);
    await muster.query('TRUNCATE TABLE e.t');
    expect(await open.finish(row('kept'))).toBe('');
    expect(await muster.query('SELECT tag, bitmapCardinality(users) FROM e.t')).toBe('kept\t3\n');
    await muster.query('TRUNCATE TABLE e.t');
  });

  it('a question sees one version, in all its parts', async () => {
    const state = { writing: true };
    const writer = (async () => {
      for (let i = 0; i < 40; i++) {
        await muster.query(
          `INSERT INTO e.t SELECT toString(${i}), groupBitmapState(number + ${100 * i}) FROM numbers(100)`,
        );
      }
      state.writing = false;
    })();
    let asked = 0;
    while (state.writing) {
      const answer = await muster.query(
        'SELECT (SELECT count() FROM e.t), (SELECT groupBitmapMerge(users) FROM e.t), (SELECT sum(bitmapCardinality(users)) FROM e.t), count() FROM e.t AS a, e.t AS b WHERE a.tag = b.tag',
      );
      const [count = 0, union, sum, pairs] = answer.trim().split('\t').map(Number);
      expect([union, sum, pairs]).toEqual([100 * count, 100 * count, count]);
      asked++;
    }
    await writer;
    expect(asked).toBeGreaterThan(3);
    await muster.query('TRUNCATE TABLE e.t');
  });
});

describe('limits', () => {
  it('of rows in an answer', async () => {
    const rowsOf = (n: number, settings: string) =>
      muster.query(`SELECT number FROM numbers(${n}) SETTINGS ${settings}`);
    expect((await rowsOf(10, 'max_result_rows = 10')).split('\n').length).toBe(11);
    expect(await refusal(rowsOf(11, 'max_result_rows = 10'))).toMatch(
      /Code: 396\..*max_result_rows/s,
    );
    const some = await rowsOf(100_000, "max_result_rows = 10, result_overflow_mode = 'break'");
    expect(some).toBe(await rowsOf(10, 'max_threads = 1'));
    expect(await refusal(rowsOf(1e9, 'max_memory_usage = 10000000'))).toMatch(/Code: 241\./);
  });

  it('of a statement, but not of its data', async () => {
    const long = `SELECT '${'x'.repeat(2 * 1024 * 1024)}'`;
    expect(await refusal(muster.query(long))).toMatch(/^Error: 413.*Code: 232\./s);
    const list = Array.from({ length: 300_000 }, (_, i) => `('t', ${i}, NULL)`).join(',');
    await muster.query(`INSERT INTO e.p VALUES ${list}`);
    expect(await muster.query('SELECT count(), sum(n) FROM e.p')).toBe('300000\t44999850000\n');
    await muster.query('TRUNCATE TABLE e.p');
  });

  it('of nesting, of time, of partitions', async () => {
    const deep = `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)}`;
    expect(await refusal(muster.query(deep))).toMatch(/Code: (62|167|168|306)\./);
    const slow = 'SELECT count() FROM numbers(10000000000) WHERE sipHash64(number) = 1';
    expect(await refusal(muster.query(`${slow} SETTINGS max_execution_time = 1`))).toMatch(
      /Code: 159\./,
    );
    await muster.query(
      'CREATE TABLE e.parts (n UInt32) ENGINE = MergeTree PARTITION BY n ORDER BY n',
    );
    expect(
      await refusal(muster.query('INSERT INTO e.parts SELECT number FROM numbers(300000)')),
    ).toMatch(/Code: 252\..*max_partitions_per_insert_block/s);
    expect(await muster.query('SELECT count() FROM e.parts')).toBe('0\n');
  });

  it('a client that leaves ends its question: the server is free at once', async () => {
    await muster.query(
      `CREATE TABLE e.pairs (tag UInt32, ${users}) ENGINE = AggregatingMergeTree ORDER BY tag`,
    );
    await muster.query(
      'INSERT INTO e.pairs SELECT number % 400, groupBitmapState(toUInt64(number * 7 % 1000003)) FROM numbers(1000000) GROUP BY 1',
    );
    const slow = [
      'SELECT sum(bitmapOrCardinality(a.users, b.users)), sum(bitmapXorCardinality(a.users, b.users)) FROM e.pairs AS a, e.pairs AS b',
      'SELECT count() FROM numbers(10000000000) WHERE sipHash64(number) = 1',
      'SELECT sum(length(bitmapToArray(a.users))) FROM e.pairs AS a, e.pairs AS b',
    ];
    for (const sql of slow) {
      const call = request(muster.url, { method: 'POST', agent: false });
      call.on('error', () => undefined);
      call.end(sql);
      await delay(300);
      call.destroy();
      await delay(700);
      const before = cpuMs(muster.pid);
      await delay(500);
      expect(cpuMs(muster.pid) - before, sql).toBeLessThan(250);
    }
  });
});

/** Processor time that a process has used. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
