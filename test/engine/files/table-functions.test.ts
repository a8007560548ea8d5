// file() and url() through the engine: what is read, what is written, what is refused. s3() has its
// integration test.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCatalog } from '../../../catalog/catalog.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { Engine } from '../../../engine/engine.ts';
import type { FileServices } from '../../../engine/files/file-services.ts';
import { formatResult } from '../../../engine/formats/output.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';

const outer = mkdtempSync(join(tmpdir(), 'muster-files-'));
const folder = join(outer, 'allowed');
let asks: (text: string, parameters?: Record<string, string>) => Promise<string>;
let server: Server;
let address = '';
const posted: string[] = [];

async function engineWith(files: FileServices): Promise<typeof asks> {
  const store = new MemoryStore({ id: `memory:files-${Math.random()}` });
  const catalog = await openCatalog(store);
  await catalog.createDatabase('default');
  const invoker = new InProcessInvoker(createWorkerEnvironment(store));
  const engine = new Engine({ catalog, store, invoker, files });
  return async (text, parameters = {}) => {
    const result = await engine.execute({
      queryId: 'q',
      text,
      database: 'default',
      parameters: new Map(Object.entries(parameters)),
      settings: new Map(),
    });
    if (result.kind === 'done') return '';
    const options = { settings: new Map<string, string>() };
    return Buffer.concat([...formatResult('CSV', result, options)]).toString('utf8');
  };
}

beforeAll(async () => {
  mkdirSync(join(folder, 'day=1'), { recursive: true });
  mkdirSync(join(folder, 'day=2'));
  writeFileSync(join(folder, 'day=1/a.csv'), 'id,name\n1,one\n2,two\n');
  writeFileSync(join(folder, 'day=2/b.csv.gz'), gzipSync('3,three\n'));
  writeFileSync(join(outer, 'secret.csv'), '9,secret\n');
  symlinkSync(join(outer, 'secret.csv'), join(folder, 'link.csv'));
  symlinkSync(outer, join(folder, 'out'));
  server = createServer((request, response) => {
    if (request.method === 'POST') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        posted.push(body);
        response.end();
      });
    } else if (request.url === '/moved.csv') {
      response.writeHead(302, { location: '/a.csv' }).end();
    } else if (request.url === '/a.csv') {
      response.end('1,one\n2,two\n');
    } else {
      response.writeHead(404).end('a page that says too much');
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  asks = await engineWith({ folder, urls: 'all' });
});

afterAll(() => {
  server.close();
  rmSync(outer, { recursive: true });
});

const csv = "'CSV', 'id UInt64, name String'";

test('patterns, packed files, virtual columns', async () => {
  const all = `file('day={1..3}/*.csv*', ${csv})`;
  expect(await asks(`SELECT * FROM ${all} ORDER BY id`)).toBe('1,"one"\n2,"two"\n3,"three"\n');
  expect(await asks(`SELECT _file, count() FROM ${all} GROUP BY _file ORDER BY 1`)).toBe(
    '"a.csv",2\n"b.csv.gz",1\n',
  );
  expect(
    await asks(`SELECT count() FROM file('**/*.csv', ${csv}) WHERE _path LIKE '%day=1%'`),
  ).toBe('2\n');
  expect(await asks(`SELECT max(id) FROM file({p:String}, ${csv})`, { p: 'day=1/a.csv' })).toBe(
    '2\n',
  );
});

test('what is written is read, into a table too', async () => {
  await asks(
    "INSERT INTO FUNCTION file('made/new.parquet') SELECT number AS n, toString(number) AS s FROM numbers(100000)",
  );
  expect(readFileSync(join(folder, 'made/new.parquet')).subarray(0, 4).toString()).toBe('PAR1');
  expect(await asks("SELECT count(), sum(n), max(s) FROM file('made/*.parquet')")).toBe(
    '100000,4999950000,"99999"\n',
  );
  await asks(
    "INSERT INTO FUNCTION file('made/new.csv.gz', 'CSVWithNames') SELECT n, s FROM file('made/new.parquet') WHERE n < 3",
  );
  expect(gunzipSync(readFileSync(join(folder, 'made/new.csv.gz'))).toString()).toBe(
    '"n","s"\n0,"0"\n1,"1"\n2,"2"\n',
  );
  await asks(
    'CREATE TABLE t (k UInt8, ids AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k',
  );
  await asks("INSERT INTO t SELECT 1, groupBitmapState(n) FROM file('made/new.parquet')");
  await asks("INSERT INTO FUNCTION file('made/sets.parquet') SELECT k, ids FROM t");
  await asks(
    "INSERT INTO t SELECT k + 1, ids FROM file('made/sets.parquet', 'Parquet', 'k UInt8, ids AggregateFunction(groupBitmap, UInt64)')",
  );
  expect(await asks('SELECT k, groupBitmapMerge(ids) FROM t GROUP BY k ORDER BY k')).toBe(
    '1,100000\n2,100000\n',
  );
  await asks('CREATE TABLE plain (id UInt64, name String) ENGINE = MergeTree ORDER BY id');
  await asks("INSERT INTO plain SELECT * FROM file('day=1/a.csv')");
  expect(await asks('SELECT * FROM plain ORDER BY id')).toBe('1,"one"\n2,"two"\n');
});

test('data and VALUES become a file of the columns that the function is told', async () => {
  const written = async (name: string, statement: string): Promise<string> => {
    await asks(`INSERT INTO FUNCTION file('${name}', ${statement}`);
    return readFileSync(join(folder, name), 'utf8');
  };
  const two = "'a UInt8, b String'";
  expect(await written('v1.csv', `CSV, ${two}) VALUES (1, 'x'), (2, 'y')`)).toBe('1,"x"\n2,"y"\n');
  expect(await written('v2.csv', `CSV, ${two}) FORMAT JSONEachRow {"b":"q","a":3}`)).toBe(
    '3,"q"\n',
  );
  const three = "'a UInt8, b String, c Array(UInt8)'";
  expect(await written('v3.csv', `CSV, ${three}) (b, a) VALUES ('x', plus(1, 1))`)).toBe(
    '2,"x","[]"\n',
  );
  expect(await written('v4.csv', `CSV, ${two}) (b) SELECT 'z'`)).toBe('0,"z"\n');
  const named = "CSVWithNames, 'x UInt16, y String'";
  expect(await written('v5.csv', `${named}) SELECT number AS n, 'z' AS q FROM numbers(2)`)).toBe(
    '"x","y"\n0,"z"\n1,"z"\n',
  );
  expect(await written('v6.csv', "'CSV') (n) SELECT 1 AS n")).toBe('1\n');
  const summed = "CSV, 'n UInt64') SELECT sum(x) FROM input('x UInt8') FORMAT CSV 1\n2\n";
  expect(await written('v7.csv', summed)).toBe('3\n');
  for (const [statement, reason] of [
    ["CSV) VALUES (1, 'x')", /the columns of the file/],
    ["CSV, 'a UInt8') SELECT 1, 2", /Number of columns doesn't match/],
    [`CSV, ${two}) (nope) VALUES (1)`, /No such column nope/],
    ["CSV, 'a AggregateFunction(groupBitmap, UInt8)') VALUES ([1])", /Sets in data/],
  ] as const) {
    await expect(asks(`INSERT INTO FUNCTION file('v8.csv', ${statement}`)).rejects.toThrow(reason);
  }
});

test('nothing is written over, and what fails leaves nothing behind', async () => {
  await asks("INSERT INTO FUNCTION file('once.csv') SELECT 1");
  await expect(asks("INSERT INTO FUNCTION file('once.csv') SELECT 2")).rejects.toThrow(/exists/);
  await expect(
    asks(
      "INSERT INTO FUNCTION file('bad.csv') SELECT throwIf(number = 70000) FROM numbers(100000)",
    ),
  ).rejects.toThrow();
  expect(readFileSync(join(folder, 'once.csv'), 'utf8')).toBe('1\n');
  expect(readdirSync(folder).filter((name) => /bad|^\./.test(name))).toEqual([]);
});

test.each([
  ['../secret.csv', /outside/],
  ['day=1/../../secret.csv', /outside/],
  ['/etc/passwd', /outside/],
  ['link.csv', /outside/],
  ['out/secret.csv', /outside/],
  ['{..,day=1}/secret.csv', /outside/],
  ['none.csv', /doesn't exist/],
  ['day=1', /is not a file/],
])('refused: %s', async (path, reason) => {
  await expect(asks(`SELECT * FROM file('${path}', ${csv})`)).rejects.toThrow(reason);
});

test('links out of the folder are not written through, nor listed', async () => {
  await expect(asks("INSERT INTO FUNCTION file('out/x.csv') SELECT 1")).rejects.toThrow(/outside/);
  expect(await asks(`SELECT count() FROM file('**/secret.csv', ${csv})`)).toBe('0\n');
});

test('without a folder file() is refused, with the way to allow it', async () => {
  const bare = await engineWith({});
  await expect(bare("SELECT * FROM file('a.parquet')")).rejects.toThrow(/--files DIR/);
  await expect(
    bare("SELECT * FROM url('http://example.com/a.csv', CSV, 'a String')"),
  ).rejects.toThrow(/off/);
  await expect(bare("SELECT * FROM s3('s3://b/k.parquet')")).rejects.toThrow(/off/);
});

test('url(): read, redirected, posted', async () => {
  expect(await asks(`SELECT sum(id) FROM url('${address}/{a,moved}.csv', ${csv})`)).toBe('6\n');
  await asks(`INSERT INTO FUNCTION url('${address}/in', 'JSONEachRow') SELECT 1 AS a`);
  expect(posted).toEqual(['{"a":1}\n']);
  const missing = asks(`SELECT * FROM url('${address}/none.csv', ${csv})`);
  await expect(missing).rejects.toThrow(/HTTP status 404/);
  await missing.catch((error: Error) => expect(error.message).not.toMatch(/too much/));
});

test("url(): this machine isn't asked unless allowed, by whatever name", async () => {
  const careful = await engineWith({ urls: 'public' });
  const { port } = new URL(address);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '0']) {
    const asked = careful(`SELECT * FROM url('http://${host}:${port}/a.csv', ${csv})`);
    await expect(asked).rejects.toThrow(/private network/);
  }
  await expect(careful("SELECT * FROM url('file:///etc/passwd', CSV, 'a String')")).rejects.toThrow(
    /http/,
  );
});

test('keys are never echoed', async () => {
  const texts = [
    "SELECT * FROM s3('http://minio:9000/b/k.csv', 'KEYKEYKEY', 'SECRETSECRET', 'CSV', 'a String')",
    "SELECT * FROM s3('https://KEYKEYKEY:SECRETSECRET@host/b/k.csv', 'CSV', 'a String')",
    "SELECT * FROM s3('s3://b/k.csv', 'KEYKEYKEY', 'SECRETSECRET' 'CSV')",
    "SELEC * FROM s3('s3://b/k.csv', 'KEYKEYKEY', 'SECRETSECRET')",
    "SELECT * FROM url('http://KEYKEYKEY:SECRETSECRET@127.0.0.1:1/x.csv', CSV, 'a String')",
  ];
  const careful = await engineWith({
    urls: 'public',
    openBucket: () => {
      throw new Error('not opened');
    },
  });
  for (const text of texts) {
    const error = await careful(text).catch((cause: Error) => cause);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toMatch(/KEYKEY|SECRETSECRET/);
  }
});

test('EXPLAIN says what is read', async () => {
  expect(await asks(`EXPLAIN SELECT id FROM file('day=1/a.csv', ${csv})`)).toContain(
    "file('day=1/a.csv')",
  );
});
