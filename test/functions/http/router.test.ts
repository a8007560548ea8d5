import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { HttpEdge } from '../../../functions/http/edge.ts';
import { handleRequest } from '../../../functions/http/router.ts';
import type { QueryRecord } from '../../../functions/query-record.ts';
import { systemClock } from '../../../base/clock.ts';
import { ask, type Running, startScripted, until } from './asking.ts';
import { memoryExchange } from './memory-exchange.ts';
import { ScriptedEngine } from './scripted-engine.ts';

let server: Running;
beforeAll(async () => {
  server = await startScripted();
});
afterAll(() => server.close());

const query = (text: string, more = '') => `/?query=${encodeURIComponent(text)}${more}`;

describe('health checks and strangers', () => {
  test('Ok.', async () => {
    for (const path of ['/ping', '/replicas_status', '/', '/?']) {
      const reply = await ask(server.port, path);
      expect([path, reply.status, reply.text]).toEqual([path, 200, 'Ok.\n']);
    }
    expect((await ask(server.port, '/ping')).headers['content-length']).toBe('4');
    expect((await ask(server.port, query('SELECT 1 numbers'), { method: 'HEAD' })).status).toBe(
      200,
    );
    expect((await ask(server.port, '/')).headers['content-type']).toMatch(/^text\/html/);
  });

  test('an address that is none is not found', async () => {
    const reply = await ask(server.port, 'http://[');
    expect([reply.status, reply.text.split('\n')[0]]).toEqual([404, 'There is no handle http://[']);
  });

  test('numbers are not for pages of other sites', async () => {
    const metrics = async () => ({ contentType: 'text/plain', text: 'a_metric 1\n' });
    const open = await startScripted({ metrics });
    const as = async (headers: Record<string, string>) =>
      (await ask(open.port, '/metrics', { headers })).status;
    expect(await as({})).toBe(200);
    // A name that was made to lead here.
    expect(await as({ Host: 'evil.example' })).toBe(403);
    expect(await as({ Origin: 'https://evil.example' })).toBe(403);
    await open.close();
  });

  test('other paths say what there is', async () => {
    const reply = await ask(server.port, '/nope');
    expect(reply.status).toBe(404);
    expect(reply.text).toMatch(/^There is no handle \/nope\n\nUse \/ or \/ping/);
  });

  test('pages of other sites are refused', async () => {
    const ask1 = (origin: string) =>
      ask(server.port, '/', { headers: { origin }, body: 'SELECT 1 numbers' });
    expect((await ask1('https://evil.example')).status).toBe(403);
    const near = await ask1('http://localhost:3000');
    expect([near.status, near.headers['access-control-allow-origin']]).toEqual([
      200,
      'http://localhost:3000',
    ]);
    const preflight = (origin: string) =>
      ask(server.port, '/', { method: 'OPTIONS', headers: { origin } });
    const allowed = 'access-control-allow-origin';
    expect((await preflight('https://evil.example')).headers[allowed]).toBeUndefined();
    expect((await preflight('http://localhost:3000')).headers[allowed]).toBe(
      'http://localhost:3000',
    );
    const named = async (host: string) =>
      (await ask(server.port, query('SELECT 1 numbers'), { headers: { host } })).status;
    for (const host of [
      'localhost:1',
      '127.0.0.1',
      '[::1]:8123',
      '10.1.2.3:80',
      'a.localhost',
      'box',
    ]) {
      expect([host, await named(host)]).toEqual([host, 200]);
    }
    // A name that was made to lead here: its page would be of this site.
    for (const host of ['evil.example:8123', '127.0.0.1.evil.example', 'x y']) {
      expect([host, await named(host)]).toEqual([host, 403]);
    }
  });

  test('without users there is default, without a password', async () => {
    const as = (headers: Record<string, string>) =>
      ask(server.port, query('SELECT 1 numbers'), { headers });
    expect((await as({ 'X-ClickHouse-User': 'default' })).status).toBe(200);
    const reply = await as({ 'X-ClickHouse-User': 'mallory' });
    expect([reply.status, reply.headers['x-clickhouse-exception-code']]).toEqual([403, '516']);
    expect((await as({ 'X-ClickHouse-Key': 'x' })).status).toBe(403);
  });
});

describe('users', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const records: QueryRecord[] = [];
  let guarded: Running;
  beforeAll(async () => {
    guarded = await startScripted({
      users: [{ name: 'ada', sha256: sha256('pw') }],
      observers: [(record) => records.push(record)],
      metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'a_metric 1\n' }),
    });
  });
  afterAll(() => guarded.close());
  const basic = { Authorization: `Basic ${Buffer.from('ada:pw').toString('base64')}` };
  const as = (headers: Record<string, string>, more = '') =>
    ask(guarded.port, query('SELECT 1 numbers', more), { headers });

  test('in three ways; the engine and the log know who it was', async () => {
    expect((await as(basic)).text).toBe('0\n');
    expect((await as({ 'X-ClickHouse-User': 'ada', 'X-ClickHouse-Key': 'pw' })).text).toBe('0\n');
    expect((await as({}, '&user=ada&password=pw')).text).toBe('0\n');
    expect(guarded.engine.requests.map(({ user }) => user)).toEqual(['ada', 'ada', 'ada']);
    expect(records.map(({ user }) => user)).toEqual(['ada', 'ada', 'ada']);
  });

  test('anybody else is told nothing, in the same words', async () => {
    const asked = guarded.engine.requests.length;
    const replies = [
      await as({}),
      await as({ 'X-ClickHouse-User': 'ada', 'X-ClickHouse-Key': 'wrong' }),
      await as({ 'X-ClickHouse-User': 'eve', 'X-ClickHouse-Key': 'pw' }),
    ];
    for (const { status, headers, text } of replies) {
      expect([status, headers['x-clickhouse-exception-code']]).toEqual([403, '516']);
      expect(text).toMatch(
        /^Code: 516\. DB::Exception: \w+: Authentication failed: password is incorrect, or there is no user with such name\. \(AUTHENTICATION_FAILED\)/,
      );
    }
    const mixed = await as(basic, '&user=ada&password=pw');
    expect(mixed.text).toMatch(/^Code: 516.*simultaneously\. \(AUTHENTICATION_FAILED\)/);
    expect(guarded.engine.requests.length).toBe(asked);
    expect(records.at(-1)).toMatchObject({ user: '', error: { code: 516 } });
  });

  test('health checks need none, numbers do', async () => {
    expect((await ask(guarded.port, '/ping')).text).toBe('Ok.\n');
    expect((await ask(guarded.port, '/health')).status).toBe(200);
    expect((await ask(guarded.port, '/metrics')).status).toBe(403);
    expect((await ask(guarded.port, '/metrics', { headers: basic })).text).toBe('a_metric 1\n');
  });

  test('pages of other sites may ask, for browsers send no password unasked', async () => {
    const origin = { Origin: 'https://app.example' };
    const reply = await as({ ...basic, ...origin });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect((await as(origin)).status).toBe(403);
    expect((await as(basic)).headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await ask(guarded.port, '/', { method: 'OPTIONS', headers: origin });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
      'access-control-allow-methods': expect.stringContaining('POST'),
    });
  });
});

describe('health', () => {
  const open = (probe?: () => Promise<unknown>) =>
    new HttpEdge({
      engine: new ScriptedEngine(),
      clock: systemClock,
      ...(probe === undefined ? {} : { probe }),
    });
  const health = async (edge: HttpEdge) => {
    const exchange = memoryExchange('GET', '/health');
    await handleRequest(exchange, edge);
    return [exchange.reply.status, JSON.parse(exchange.reply.text)] as const;
  };

  test('a store that answers, one that does not; asked seldom', async () => {
    let asked = 0;
    const edge = open(async () => asked++);
    expect(await health(edge)).toEqual([
      200,
      {
        status: 'ok',
        version: expect.stringContaining('muster'),
        store: 'reachable',
        uptime_seconds: 0,
        queries_running: 0,
        queries_waiting: 0,
      },
    ]);
    await health(edge);
    expect(asked).toBe(1);
    const [status, body] = await health(open(() => Promise.reject(new Error('no bucket'))));
    expect([status, body.status, body.store]).toEqual([503, 'unavailable', 'unreachable']);
  });

  test('a server that stops says so at once, and takes no more queries', async () => {
    const edge = open();
    edge.drain();
    const [status, body] = await health(edge);
    expect([status, body.status]).toEqual([503, 'draining']);
    const exchange = memoryExchange('POST', '/', { body: 'SELECT 1 numbers' });
    await handleRequest(exchange, edge);
    expect(exchange.reply.status).toBe(503);
    expect(exchange.reply.headers['Retry-After']).toBe(1);
    expect(exchange.reply.text).toMatch(/^Code: 210\..*The server stops/);
  });

  test('HEAD is answered without a body', async () => {
    for (const path of ['/health', '/ping', '/']) {
      const exchange = memoryExchange('HEAD', path);
      await handleRequest(exchange, open());
      expect([path, exchange.reply.status, exchange.reply.text]).toEqual([path, 200, '']);
    }
  });
});

describe('the door', () => {
  test('too many queries are refused with 429, /ping is not', async () => {
    const busy = await startScripted({ queriesMax: 1 });
    const first = ask(busy.port, query('SELECT for ever')).catch(() => undefined);
    await until(() => busy.edge.admission.running === 1);
    const waiting = [1, 2].map(() => ask(busy.port, query('SELECT 1 numbers')));
    await until(() => busy.edge.admission.waiting === 2);
    const refused = await ask(busy.port, query('SELECT 1 numbers'));
    expect([refused.status, refused.headers['x-clickhouse-exception-code']]).toEqual([429, '202']);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.text).toMatch(
      /^Code: 202\. DB::Exception: Too many simultaneous queries\. Maximum: 1\. \(TOO_MANY_SIM/,
    );
    expect((await ask(busy.port, '/ping')).text).toBe('Ok.\n');
    busy.edge.abort(new MusterError('QUERY_WAS_CANCELLED', 'enough'));
    await first;
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([500, 500]);
    // Whoever was answered left its place.
    for (const text of ['SELECT 1 numbers', 'nonsense', 'SELECT 1 numbers']) {
      const { status } = await ask(busy.port, query(text));
      expect([text, status]).toEqual([text, text === 'nonsense' ? 400 : 200]);
    }
    expect([busy.edge.admission.running, busy.edge.admission.waiting]).toEqual([0, 0]);
    await busy.close();
  });

  test('who waits gives up when its own time is over', async () => {
    const busy = await startScripted({ queriesMax: 1 });
    const first = ask(busy.port, query('SELECT for ever')).catch(() => undefined);
    await until(() => busy.edge.admission.running === 1);
    const more = '&max_execution_time=0.05';
    const late = await ask(busy.port, query('SELECT 1 numbers', more));
    expect(late.status).toBe(429);
    await busy.close();
    await first;
  });
});
