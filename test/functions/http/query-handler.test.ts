import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Running, startScripted, until } from './asking.ts';

let server: Running;
beforeAll(async () => {
  server = await startScripted();
});
afterAll(() => server.close());

const query = (text: string, more = '') => `/?query=${encodeURIComponent(text)}${more}`;
const get = (text: string, more = '') => ask(server.port, query(text, more));

describe('queries', () => {
  test('in the URL, in the body, in both', async () => {
    expect((await get('SELECT 3 numbers')).text).toBe('0\n1\n2\n');
    const inBody = await ask(server.port, '/', { body: 'SELECT 2 numbers' });
    expect(inBody.text).toBe('0\n1\n');
    const both = await ask(server.port, query('SELECT 2'), { body: ['num', 'bers'] });
    expect(both.text).toMatch(/SELECT 2\nnumbers/);
    expect(server.engine.requests.at(-1)?.text).toBe('SELECT 2\nnumbers');
  });

  test('what the engine is told', async () => {
    await get('SELECT 1 numbers', '&param_x=a%2Bb+c&max_threads=2&database=d&query_id=q1&&a1=');
    const unknown = server.engine.requests.at(-1);
    expect(unknown?.database).toBe('d');
    expect(unknown?.readOnly).toBe(true);
    expect(unknown?.parameters).toEqual(new Map([['x', 'a+b c']]));
    expect(unknown?.settings.get('max_threads')).toBe('2');
    expect(unknown?.queryId).toBe('q1');
    await ask(server.port, '/', {
      headers: { 'X-ClickHouse-Database': 'e' },
      body: 'SELECT 1 numbers',
    });
    expect(server.engine.requests.at(-1)?.database).toBe('e');
    expect(server.engine.requests.at(-1)?.readOnly).toBe(false);
  });

  test('headers', async () => {
    const { headers } = await get('SELECT 3 numbers FORMAT JSONEachRow', '&query_id=q7');
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=UTF-8',
      'x-clickhouse-query-id': 'q7',
      'x-clickhouse-format': 'JSONEachRow',
      'x-clickhouse-timezone': 'UTC',
      'x-clickhouse-server-display-name': 'muster',
    });
    expect(JSON.parse(String(headers['x-muster-cost']))).toMatchObject({ reads: 0, dollars: 0 });
    expect(headers['x-clickhouse-exception-tag']).toMatch(/^\w{16}$/);
    expect(JSON.parse(String(headers['x-clickhouse-summary']))).toMatchObject({
      read_rows: '3',
      result_rows: '3',
      result_bytes: '24',
      elapsed_ns: '5',
    });
    const { headers: other } = await get('SELECT 3 numbers');
    expect(other['x-clickhouse-query-id']).toMatch(/^\w{8}-\w{4}-4\w{3}-a\w{3}-\w{12}$/);
    expect(other['keep-alive']).toBe('timeout=10');
  });

  test('the format: FORMAT, then header, then default_format', async () => {
    expect((await get('SELECT 1 numbers', '&default_format=JSONEachRow')).text).toBe('{"n":0}\n');
    const named = await ask(server.port, query('SELECT 1 numbers', '&default_format=CSV'), {
      headers: { 'X-ClickHouse-Format': 'JSONCompactEachRow' },
    });
    expect(named.text).toBe('[0]\n');
    expect((await get('SELECT 1 numbers FORMAT CSVWithNames', '&default_format=JSON')).text).toBe(
      '"n"\n0\n',
    );
    const unknown = await get('SELECT 1 numbers FORMAT Nope');
    expect([unknown.status, unknown.text]).toEqual([
      404,
      expect.stringMatching(/^Code: 73\. DB::Exception: Unknown format Nope\. \(UNKNOWN_FORMAT\)/),
    ]);
  });

  test('multipart', async () => {
    const part = (name: string, value: string) =>
      `--x1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = `${part('query', 'SELECT 2 numbers')}${part('param_p', 'é\n')}--x1--\r\n`;
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x1' };
    const reply = await ask(server.port, '/?default_format=CSV', { headers, body });
    expect(reply.text).toBe('0\n1\n');
    expect(server.engine.requests.at(-1)?.parameters.get('p')).toBe('é\n');
    const cut = await ask(server.port, '/', { headers, body: body.slice(0, 60) });
    expect(cut.headers['x-clickhouse-exception-code']).toBe('117');
  });

  test('compressed answers only when asked for twice', async () => {
    const asked = (more: string, accept: string) =>
      ask(server.port, query('SELECT 5000 numbers', more), {
        headers: { 'Accept-Encoding': accept },
      });
    expect((await asked('', 'gzip')).headers['content-encoding']).toBeUndefined();
    const plain = (await get('SELECT 5000 numbers')).text;
    const gzip = await asked('&enable_http_compression=1', 'deflate, gzip;q=1');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(plain);
    const br = await asked('&enable_http_compression=1', 'gzip, br');
    expect(brotliDecompressSync(br.body).toString()).toBe(plain);
  });
});

describe('errors', () => {
  test('code, name, status and header', async () => {
    const reply = await get('SELECT nonsense');
    expect(reply.status).toBe(400);
    expect(reply.headers['x-clickhouse-exception-code']).toBe('62');
    expect(reply.text).toMatch(
      /^Code: 62\. DB::Exception: Syntax.*\. \(SYNTAX_ERROR\) \(version .+\)\n$/,
    );
  });

  test('unknown settings, no statement, framing of ClickHouse', async () => {
    const code = async (path: string) =>
      (await ask(server.port, path, { body: '' })).headers['x-clickhouse-exception-code'];
    expect(await code(query('SELECT 1 numbers', '&foobar=1'))).toBe('115');
    expect(await code('/')).toBe('62');
    expect(await code(query('SELECT 1 numbers', '&compress=1'))).toBe('48');
  });

  test('a statement that is too long, with the connection usable afterwards', async () => {
    const body = Array.from({ length: 40 }, () => Buffer.alloc(65_536, 0x20));
    const reply = await ask(server.port, '/', { body: ['SELECT 1', ...body] });
    expect([reply.status, reply.headers['x-clickhouse-exception-code']]).toEqual([413, '232']);
    expect((await get('SELECT 1 numbers')).text).toBe('0\n');
  });

  test('ids of queries stand in headers, whatever they are', async () => {
    const odd = await get('SELECT 1 numbers', '&query_id=a%0D%0ASet-Cookie:x%C3%A9');
    expect([odd.status, odd.headers['x-clickhouse-query-id']]).toEqual([
      200,
      'a%0D%0ASet-Cookie%3Ax%C3%A9',
    ]);
    expect((await get('SELECT nonsense', '&query_id=%00')).status).toBe(400);
    const long = await get('SELECT 1 numbers', `&query_id=${'x'.repeat(257)}`);
    expect([long.status, long.headers['x-clickhouse-exception-code']]).toEqual([400, '36']);
  });

  test('GET may not write', async () => {
    const reply = await get('INSERT INTO t VALUES (1)');
    expect(reply.headers['x-clickhouse-exception-code']).toBe('164');
  });
});

describe('inserts', () => {
  const insert = (
    statement: string,
    body: string | Uint8Array | readonly (string | Uint8Array)[],
  ) => ask(server.port, query(statement), { body });

  test('data in the URL, behind the statement in the body, alone in the body', async () => {
    server.engine.stored.length = 0;
    expect((await insert('INSERT INTO t VALUES (1)', '')).status).toBe(200);
    await insert('INSERT INTO t FORMAT CSV', '2\n3\n');
    await ask(server.port, '/', { body: 'INSERT INTO t VALUES (4), (5)' });
    await ask(server.port, '/', { body: ['INS', 'ERT INTO t FOR', 'MAT CSV', '\n6\n', '7'] });
    const binary = Buffer.concat([
      Buffer.from('INSERT INTO t FORMAT RowBinary\n'),
      Buffer.of(10, 0, 0, 0),
    ]);
    await ask(server.port, '/', { body: binary });
    expect(server.engine.stored).toEqual([1, 2, 3, 4, 5, 6, 7, 10]);
  });

  test('true summary, compressed bodies', async () => {
    const bytes = gzipSync('1\n2\n3\n');
    const headers = { 'Content-Encoding': 'gzip' };
    const path = query('INSERT INTO t FORMAT CSV');
    const reply = await ask(server.port, path, { headers, body: bytes });
    expect(JSON.parse(String(reply.headers['x-clickhouse-summary'])).written_rows).toBe('3');
    server.engine.stored.length = 0;
    const cut = await ask(server.port, path, {
      headers,
      body: bytes.subarray(0, bytes.length - 6),
    });
    expect([cut.status, cut.headers['x-clickhouse-exception-code']]).toEqual([400, '117']);
    expect(server.engine.stored).toEqual([]);
    const unknown = await ask(server.port, path, {
      headers: { 'Content-Encoding': 'zip' },
      body: 'x',
    });
    expect(unknown.headers['x-clickhouse-exception-code']).toBe('48');
  });

  test('a bad row is answered although the body goes on, and the connection stays usable', async () => {
    const lines = Buffer.from('1\n'.repeat(200_000));
    const reply = await insert('INSERT INTO t FORMAT CSV', [lines, 'x\n', lines, lines]);
    expect(reply.text).toMatch(/^Code: 27.*row 200001; line 200001, column 1/);
    expect((await get('SELECT 1 numbers')).text).toBe('0\n');
  });

  test('a body that is cut off is not the end of data', async () => {
    server.engine.stored.length = 0;
    const head = 'POST /?query=INSERT+INTO+t+FORMAT+CSV HTTP/1.1\r\nHost: localhost\r\n';
    const asked = server.engine.requests.length;
    for (const bytes of [
      `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n1\n2\n\r\n`,
      `${head}Content-Length: 100\r\n\r\n1\n2\n`,
    ]) {
      const before = server.engine.requests.length;
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(bytes);
      await until(() => server.engine.requests.length > before);
      await delay(30);
      socket.destroy();
      await delay(50);
    }
    expect(server.engine.requests.length).toBe(asked + 2);
    expect(server.engine.stored).toEqual([]);
  });
});

describe('long answers', () => {
  test('come in chunks', async () => {
    const reply = await get('SELECT 500000 numbers');
    expect(reply.headers['transfer-encoding']).toBe('chunked');
    expect(reply.text.length).toBe(3_388_890);
    expect(reply.text.endsWith('\n499999\n')).toBe(true);
    const whole = await get('SELECT 500000 numbers', '&wait_end_of_query=1');
    expect(whole.headers['content-length']).toBe('3388890');
    const zipped = await ask(
      server.port,
      query('SELECT 500000 numbers', '&enable_http_compression=1'),
      {
        headers: { 'Accept-Encoding': 'gzip' },
      },
    );
    expect(zipped.headers['transfer-encoding']).toBe('chunked');
    expect(gunzipSync(zipped.body).length).toBe(3_388_890);
  });

  test('that break off end with the exception block and a broken connection', async () => {
    const reply = await get('SELECT broken numbers');
    expect(reply.status).toBe(200);
    expect(reply.broken).toBe(true);
    const tag = String(reply.headers['x-clickhouse-exception-tag']);
    const block = new RegExp(
      `\\r\\n__exception__\\r\\n${tag}\\r\\n(Code: 246[^]*\\n)(\\d+) ${tag}\\r\\n__exception__\\r\\n$`,
    ).exec(reply.text);
    expect(block?.[1]).toMatch(/^Code: 246\. DB::Exception: corrupt part x\. \(CORRUPTED_DATA\)/);
    expect(Number(block?.[2])).toBe(Buffer.byteLength(block?.[1] ?? ''));
    const whole = await get('SELECT broken numbers', '&wait_end_of_query=1');
    expect([whole.status, whole.broken]).toEqual([500, false]);
  });
});

test.each(['', '&enable_http_compression=1'])(
  'a client that goes away in the middle of an answer ends it (%s)',
  async (more) => {
    const other = await startScripted();
    const path = query('SELECT 9000000 numbers', more);
    const socket = connect(other.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    await delay(100);
    expect(other.running()).toBe(1);
    socket.destroy();
    await until(() => other.running() === 0);
    await other.close();
  },
);

test('a client that goes away stops its query', async () => {
  const before = server.engine.aborted;
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /?query=SELECT+for+ever HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => server.engine.requests.at(-1)?.text.startsWith('SELECT for ever') ?? false);
  socket.destroy();
  await until(() => server.engine.aborted === before + 1);
});
