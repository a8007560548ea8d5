import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ask, startScripted, until } from './http/asking.ts';

const forEver = '/?query=SELECT+for+ever';

describe('a server that stops', () => {
  test('lets queries end, takes no more connections, and closes those that are left', async () => {
    const server = await startScripted();
    const fresh = connect(server.port, '127.0.0.1');
    const idle = connect(server.port, '127.0.0.1');
    for (const socket of [fresh, idle]) socket.on('error', () => undefined);
    let answered = '';
    idle.on('data', (chunk) => (answered += chunk.toString()));
    idle.write('GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => answered.endsWith('Ok.\n'));
    const body = ['INSERT INTO t FORMAT CSV\n'];
    const insert = connect(server.port, '127.0.0.1');
    insert.on('error', () => undefined);
    let inserted = '';
    insert.on('data', (chunk) => (inserted += chunk.toString()));
    insert.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.join('').length + 2}\r\n\r\n${body.join('')}`,
    );
    await until(() => server.engine.requests.length === 1);
    const closing = server.close(10_000);
    await until(() => idle.closed);
    await expect(ask(server.port, '/ping')).rejects.toThrow(/ECONNREFUSED/);
    insert.write('7\n');
    await closing;
    expect(server.engine.stored).toEqual([7]);
    expect(inserted).toMatch(/^HTTP\/1\.1 200 OK[^]*Connection: close/);
    await until(() => fresh.closed && insert.closed);
  });

  test('aborts what takes longer than it may', async () => {
    const server = await startScripted();
    const reply = ask(server.port, forEver);
    await until(() => server.engine.requests.length === 1);
    await server.close();
    expect((await reply).text).toMatch(/^Code: 394\..*the server stops/);
  });

  test('with nothing to do stops at once, whatever is connected', async () => {
    const server = await startScripted();
    const sockets = Array.from({ length: 20 }, () => connect(server.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined);
    await until(() => sockets.every(({ connecting }) => !connecting));
    // Longer than a test may take.
    await server.close(1_000_000);
    await until(() => sockets.every(({ closed }) => closed));
  });
});
