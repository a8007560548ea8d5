// What operates a server relies on: what it logs and counts, who is let in, how certificates are
// renewed, and how it stops. The built program, over a directory.

import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../functions/http/certificates.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';

let directory: string;
const running: ServedProcess[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'muster-operation-'));
});
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

async function serve(name: string, flags: string[] = [], environment = {}): Promise<ServedProcess> {
  const data = ['--data', join(directory, name), '--workers', '0'];
  const served = await serveProcess([...data, ...flags], environment);
  running.push(served);
  return served;
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await condition()) return;
    await delay(10);
  }
  expect.unreachable('it never came to this');
}

const ask = (port: number, text: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text });

describe('users, logs and numbers', () => {
  test('@clickhouse/client as a user; one line for each query, without secrets', async () => {
    const user = { MUSTER_USER: 'ada', MUSTER_PASSWORD: 'correct horse' };
    const served = await serve('logged', ['--log-level', 'info'], user);
    const url = `http://127.0.0.1:${served.port}`;
    const client = createClient({ url, username: 'ada', password: 'correct horse' });
    const answer = await client.query({
      query: 'SELECT currentUser() AS user',
      query_id: 'mine',
      format: 'JSONEachRow',
    });
    expect(await answer.json()).toEqual([{ user: 'ada' }]);
    expect((await client.ping()).success).toBe(true);
    await client.close();
    const log = { level: ClickHouseLogLevel.OFF };
    const stranger = createClient({ url, username: 'ada', password: 'wrong', log });
    await expect(stranger.query({ query: 'SELECT 1' })).rejects.toMatchObject({
      code: '516',
      type: 'AUTHENTICATION_FAILED',
    });
    await stranger.close();
    const headers = { 'X-ClickHouse-User': 'ada', 'X-ClickHouse-Key': 'correct horse' };
    const wrong = await ask(served.port, "SELECT nope FROM s3('u', 'k', 'hunter2')", headers);
    expect(wrong.status).toBeGreaterThanOrEqual(400);
    const metrics = await fetch(`${url}/metrics`, { headers });
    const text = await metrics.text();
    expect(text).toMatch(/^muster_queries_total\{kind="select",outcome="ok"\} 1$/m);
    expect(text).toMatch(/^muster_queries_total\{kind="other",outcome="516"\} 1$/m);
    expect(text).toMatch(/^muster_http_connections \d+$/m);
    expect((await fetch(`${url}/metrics`)).status).toBe(403);
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toMatchObject([200, { store: 'reachable' }]);

    served.child.kill('SIGTERM');
    expect(await served.ended()).toEqual([0, null]);
    const lines = served.log();
    expect(lines.map(({ message }) => message)).toEqual([
      'start',
      'query',
      'query',
      'query',
      'drain',
      'stop',
    ]);
    expect(lines[0]).toMatchObject({ level: 'info', users: ['ada'], tls: false });
    expect(lines[1]).toMatchObject({
      query_id: 'mine',
      user: 'ada',
      kind: 'select',
      result_rows: 1,
      cost: { reads: expect.any(Number) },
      client: '127.0.0.1',
      interface: 'http',
    });
    expect(lines[2]).toMatchObject({ user: '', exception_code: 516 });
    const all = JSON.stringify(lines) + served.output();
    for (const secret of ['hunter2', 'correct horse', sha256('correct horse'), 'wrong"']) {
      expect(all).not.toContain(secret);
    }
  });
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('TLS', () => {
  test('from files, read again on SIGHUP; a bad one changes nothing', async () => {
    const first = await makeCertificate(directory, 'first');
    const second = await makeCertificate(directory, 'second');
    const certificate = join(directory, 'now.crt');
    const key = join(directory, 'now.key');
    const use = async (files: typeof first) => {
      await copyFile(files.certificate, certificate);
      await copyFile(files.key, key);
    };
    await use(first);
    const tls = ['--tls-cert', certificate, '--tls-key', key, '--log-level', 'info'];
    const served = await serve('secure', tls);
    expect(served.output()).toContain(`https://127.0.0.1:${served.port}`);
    const ca = Buffer.concat([
      await readFile(first.certificate),
      await readFile(second.certificate),
    ]);
    expect(await askSecurely(served.port, ca)).toEqual(['first', '1\n']);
    const renewed = async (message: string) => {
      const count = () => served.log().filter((line) => line['message'] === message).length;
      const before = count();
      served.child.kill('SIGHUP');
      await eventually(() => count() > before);
    };
    await use(second);
    await renewed('certificate read again');
    expect(await askSecurely(served.port, ca)).toEqual(['second', '1\n']);
    await copyFile(first.key, key);
    await renewed('certificate kept');
    expect(await askSecurely(served.port, ca)).toEqual(['second', '1\n']);
    served.child.kill('SIGTERM');
    expect(await served.ended()).toEqual([0, null]);
  });
});

function askSecurely(port: number, ca: Buffer): Promise<readonly [string, string]> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', servername: 'localhost', ca, agent: false };
    const asking = request({ ...options, path: '/?query=SELECT+1' }, (reply) => {
      const socket = reply.socket as import('node:tls').TLSSocket;
      const name = String(socket.getPeerCertificate().subject.CN);
      let said = '';
      reply.on('data', (chunk: Buffer) => (said += chunk.toString()));
      reply.on('end', () => resolve([name, said]));
    });
    asking.on('error', reject);
    asking.end();
  });
}

describe('SIGTERM', () => {
  const create = 'CREATE TABLE IF NOT EXISTS t (n UInt32) ENGINE = MergeTree ORDER BY n';
  const head =
    'POST /?query=INSERT+INTO+t+FORMAT+CSV HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n1\n';

  async function insertInto(port: number): Promise<{ socket: Socket; said: () => string }> {
    await ask(port, create);
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => (said += chunk.toString()));
    socket.write(head);
    await eventually(async () => {
      const numbers = await fetch(`http://127.0.0.1:${port}/metrics`);
      return /^muster_queries_running 1$/m.test(await numbers.text());
    });
    return { socket, said: () => said };
  }

  test('lets what runs end, takes nothing new, and exits with 0', async () => {
    const served = await serve('drained');
    const { socket, said } = await insertInto(served.port);
    served.child.kill('SIGTERM');
    await eventually(() => served.output().includes('Muster stops.'));
    await eventually(() =>
      ask(served.port, 'SELECT 1').then(
        () => false,
        () => true,
      ),
    );
    expect(served.child.exitCode).toBe(null);
    socket.write('2\n');
    expect(await served.ended()).toEqual([0, null]);
    expect(said()).toMatch(/^HTTP\/1\.1 200 OK/);
    const again = await serve('drained');
    expect(await (await ask(again.port, 'SELECT sum(n) FROM t')).text()).toBe('3\n');
    again.child.kill('SIGTERM');
    expect(await again.ended()).toEqual([0, null]);
  });

  test('twice: exits at once, and nothing of what ran is there', async () => {
    const served = await serve('hurried');
    await insertInto(served.port);
    served.child.kill('SIGTERM');
    await eventually(() => served.output().includes('Muster stops.'));
    served.child.kill('SIGTERM');
    expect(await served.ended()).toEqual([130, null]);
    const again = await serve('hurried');
    expect(await (await ask(again.port, 'SELECT count() FROM t')).text()).toBe('0\n');
    again.child.kill('SIGINT');
    expect(await again.ended()).toEqual([0, null]);
  });
});
