// Clients that are slow, half gone, or speak badly: each gets what it deserves, and nobody else
// notices.

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QueryRecord } from '../../../functions/query-record.ts';
import { ask, type Running, startScripted, until } from './asking.ts';

let server: Running;
const records: QueryRecord[] = [];
beforeAll(async () => {
  const observers = [(record: QueryRecord) => records.push(record)];
  server = await startScripted({ stallMs: 600, observers });
});
afterAll(() => server.close());

interface Talk {
  readonly socket: Socket;
  said(): string;
  closed(): boolean;
}

function talk(text: string): Talk {
  const socket = connect(server.port, '127.0.0.1');
  let said = '';
  let closed = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => (said += chunk.toString('latin1')));
  socket.on('close', () => (closed = true));
  socket.write(text);
  return { socket, said: () => said, closed: () => closed };
}

const stillServes = async () =>
  expect((await ask(server.port, '/?query=SELECT+1+numbers')).text).toBe('0\n');

describe('stalled clients', () => {
  test('one that takes nothing of a long answer is cut off, and its query ends', async () => {
    const reader = talk('GET /?query=SELECT+9000000+numbers HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => reader.said() !== '');
    reader.socket.pause();
    await until(() => server.running() === 0);
    expect(records.at(-1)?.error?.errorName).toBe('QUERY_WAS_CANCELLED');
    reader.socket.destroy();
    await stillServes();
  });

  test('one that is slow but takes something all the time gets everything', async () => {
    const reader = talk(
      'GET /?query=SELECT+3000000+numbers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    for (let i = 0; i < 8; i++) {
      reader.socket.pause();
      await delay(60);
      reader.socket.resume();
      await delay(10);
    }
    await until(() => reader.closed());
    expect(reader.said().endsWith('\n2999999\n\r\n0\r\n\r\n')).toBe(true);
  });

  test('one that sends nothing more of its body stores nothing', async () => {
    server.engine.stored.length = 0;
    const writer = talk(
      'POST /?query=INSERT+INTO+t+FORMAT+CSV HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1\n',
    );
    await until(() => writer.closed());
    await until(() => server.running() === 0);
    expect(server.engine.stored).toEqual([]);
    await stillServes();
  });

  test('a query that takes long is no stall', async () => {
    const asked = server.engine.requests.length;
    const waiting = talk('GET /?query=SELECT+for+ever HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => server.engine.requests.length > asked);
    await delay(1000);
    expect([server.running(), waiting.closed()]).toEqual([1, false]);
    waiting.socket.destroy();
    await until(() => server.running() === 0);
  });

  test('a client that closed its half of the connection still gets its answer', async () => {
    const half = talk(
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16\r\n\r\nSELECT 2 numbers',
    );
    half.socket.end();
    await until(() => half.closed());
    expect(half.said()).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\n0\n1\n$/);
  });
});

describe('bad speech', () => {
  test.each([
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'chunks under another name',
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    ],
    [
      'a space before the colon',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length : 3\r\n\r\nabc',
    ],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n'],
    ['no HTTP', 'SELECT 1\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    [
      'a chunk size that is none',
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
  ])('%s: refused and closed, nothing asked', async (_, text) => {
    const asked = server.engine.requests.length;
    const smuggled = 'GET /?query=SELECT+1+numbers HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const bad = talk(text + smuggled);
    await until(() => bad.closed());
    expect(bad.said()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n|^$/);
    expect(server.engine.requests.length).toBe(asked);
    await stillServes();
  });

  test('a head of more than a megabyte', async () => {
    const huge = talk(
      `GET /ping HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(1_200_000)}\r\n\r\n`,
    );
    await until(() => huge.closed());
    expect(huge.said()).toMatch(/^HTTP\/1\.1 431 /);
    const large = await ask(server.port, '/ping', { headers: { 'X-A': 'a'.repeat(500_000) } });
    expect(large.status).toBe(200);
  });

  test('odd targets', async () => {
    for (const target of ['//', '/%', '/ping/', '/__proto__', '/constructor', '/ping%00']) {
      expect([target, (await ask(server.port, target)).status]).toEqual([target, 404]);
    }
    for (const target of ['http://x/ping', 'http://x/ping?a', '/ping?%']) {
      expect([target, (await ask(server.port, target)).text]).toEqual([target, 'Ok.\n']);
    }
    expect((await ask(server.port, '/?query=%')).status).toBe(400);
    expect((await ask(server.port, '/', { method: 'DELETE' })).status).toBe(404);
    await stillServes();
  });
});

test('requests that follow each other on one connection are answered in their order', async () => {
  const get = (count: number) =>
    `GET /?query=SELECT+${count}+numbers HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const pipelined = talk(get(2) + get(1) + get(3));
  await until(() => pipelined.said().split('HTTP/1.1 200').length === 4);
  expect(pipelined.said().match(/\r\n\r\n[\d\n]*/g)).toEqual([
    '\r\n\r\n0\n1\n',
    '\r\n\r\n0\n',
    '\r\n\r\n0\n1\n2\n',
  ]);
  pipelined.socket.destroy();
});

test('many connections that are kept alive', async () => {
  const ping = 'GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const talks = Array.from({ length: 200 }, () => talk(ping));
  await until(() => talks.every((one) => one.said().endsWith('Ok.\n')));
  for (const { socket } of talks) socket.write(ping);
  await until(() => talks.every((one) => one.said().split('Ok.\n').length === 3));
  await stillServes();
  for (const { socket } of talks) socket.destroy();
});
