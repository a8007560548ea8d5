// The client of the command line against servers that answer early, break, or are left in the middle.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Ask, textOf } from '../../../../functions/cli/connection/connection.ts';
import { HttpConnection } from '../../../../functions/cli/connection/http-connection.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function connect(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  userInfo = '',
): Promise<HttpConnection> {
  server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://${userInfo}127.0.0.1:${port}/`;
  return await HttpConnection.open({ url, user: undefined, password: undefined });
}

const ask = (more: Partial<Ask> = {}): Ask => ({
  text: 'SELECT 1',
  format: 'CSV',
  database: 'd',
  signal: new AbortController().signal,
  ...more,
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.alloc(64 * 1024, 'x');
    await new Promise(setImmediate);
  }
}

test('what is asked: statement, database, format, settings, user', async () => {
  const connection = await connect((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () =>
      response.end(`${request.url} ${request.headers.authorization} ${body}`),
    );
  }, 'ann:p%C3%A4ss@');
  const settings = new Map([['a', 'b c']]);
  const answer = await textOf(await connection.execute(ask({ settings })));
  const basic = Buffer.from('ann:päss').toString('base64');
  expect(answer).toBe(`/?database=d&default_format=CSV&a=b+c Basic ${basic} SELECT 1`);
  expect(connection.place).not.toMatch(/ann|ss@/);
  await connection.close();
});

test('a server that refuses in the middle of the data is heard', async () => {
  const connection = await connect((request, response) => {
    request.once('data', () => {
      response.writeHead(400, { 'X-ClickHouse-Exception-Code': 27 });
      response.end("Code: 27. DB::Exception: Cannot parse 'x'. (CANNOT_PARSE) (version 1)\n");
      request.resume();
    });
  });
  const refused = connection.execute(ask({ body: endless() }));
  await expect(refused).rejects.toMatchObject({ code: 27, message: "Cannot parse 'x'" });
  await connection.close();
});

test('who is not let in is told how to say who asks', async () => {
  const connection = await connect((_, response) => {
    response.writeHead(403);
    response.end('Code: 516. DB::Exception: ann: no. (AUTHENTICATION_FAILED) (version 1)\n');
  });
  await expect(connection.execute(ask())).rejects.toMatchObject({
    code: 516,
    message: 'ann: no; MUSTER_USER (or --user) and MUSTER_PASSWORD say who asks',
  });
  await connection.close();
});

test('one that hangs up may speak HTTPS', async () => {
  const connection = await connect((request) => request.socket.destroy());
  await expect(connection.execute(ask())).rejects.toThrow(/hung up.*asked as https:\/\/127/);
  await connection.close();
});

test('data that fail half-way never look whole to the server', async () => {
  const seen: string[] = [];
  const connection = await connect((request) => {
    request.resume();
    request.once('end', () => seen.push('end'));
    request.once('close', () => seen.push('close'));
    request.once('error', () => undefined);
  });
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('1\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new Error('the disk is gone');
  }
  await expect(connection.execute(ask({ body: failing() }))).rejects.toThrow('the disk is gone');
  await expect.poll(() => seen).toEqual(['close']);
  await connection.close();
});

test('aborting breaks the connection, before and in the answer', async () => {
  const stop = new AbortController();
  let gone = 0;
  const connection = await connect((request, response) => {
    request.resume();
    response.once('close', () => gone++);
    if (request.url?.includes('begin') === true) response.write('some');
    else stop.abort();
  });
  const cancelled = { errorName: 'QUERY_WAS_CANCELLED' };
  const waiting = connection.execute(ask({ signal: stop.signal, format: 'wait' }));
  await expect(waiting).rejects.toMatchObject(cancelled);
  const leave = new AbortController();
  const reading = async () => {
    const { chunks } = await connection.execute(ask({ signal: leave.signal, format: 'begin' }));
    for await (const chunk of chunks) if (chunk.length > 0) leave.abort();
  };
  await expect(reading()).rejects.toMatchObject(cancelled);
  await expect.poll(() => gone).toBe(2);
  await connection.close();
});

test('a connection that breaks in the answer is a failure, not an end', async () => {
  const connection = await connect((_, response) => {
    response.write('1\n');
    setTimeout(() => response.destroy(), 20);
  });
  const answered = connection.execute(ask()).then(textOf);
  await expect(answered).rejects.toThrow(/connection to http:.* broke in the answer/);
  await connection.close();
});
