import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { MusterError } from '../../../base/errors.ts';
import { HttpEdge } from '../../../functions/http/edge.ts';
import type { FunctionContext } from '../../../functions/lambda/function-call.ts';
import { httpHandler, type OpenFunction } from '../../../functions/lambda/http-handler.ts';
import type { UrlReply } from '../../../functions/lambda/url-exchange.ts';
import { ScriptedEngine } from '../http/scripted-engine.ts';
import { functionContext, urlEvent } from './lambda-calls.ts';

type Handler = (event: unknown, context: FunctionContext) => Promise<UrlReply>;
type StreamHandler = (e: unknown, stream: Writable, context: FunctionContext) => Promise<void>;

function makeFunction(more: Partial<OpenFunction> = {}) {
  const engine = new ScriptedEngine();
  const edge = new HttpEdge({ engine, clock: systemClock });
  const lines: string[] = [];
  const options = {
    open: async () => ({ edge, ...more }),
    clock: systemClock,
    log: (line: string) => lines.push(line),
  };
  return { engine, options, lines, handler: httpHandler(options) as Handler };
}

const textOf = ({ body }: UrlReply) => Buffer.from(body, 'base64').toString('utf8');

describe('a Function URL', () => {
  it("speaks ClickHouse's HTTP", async () => {
    const { handler } = makeFunction();
    const event = urlEvent({ method: 'GET', search: 'query=SELECT+3+numbers+FORMAT+JSONEachRow' });
    const reply = await handler(event, functionContext());
    expect(reply).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(textOf(reply)).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
    expect(reply.headers).toMatchObject({
      'X-ClickHouse-Format': 'JSONEachRow',
      'X-ClickHouse-Query-Id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'X-Muster-Cost': expect.stringContaining('dollars'),
    });
    expect(Object.keys(reply.headers)).not.toContain('Content-Length');
  });

  it('takes statements and rows in bodies of text and of bytes', async () => {
    const { handler, engine } = makeFunction();
    const text = await handler(urlEvent({ body: 'SELECT 2 numbers' }), functionContext());
    expect(textOf(text)).toBe('0\n1\n');
    const insert = urlEvent({
      search: 'query=INSERT+INTO+t+FORMAT+CSV',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('7\n8\n'),
    });
    expect(await handler(insert, functionContext())).toMatchObject({ statusCode: 200 });
    expect(engine.stored).toEqual([7, 8]);
  });

  it('says in time that it could not start in time', async () => {
    const { options } = makeFunction();
    const open = () => new Promise<OpenFunction>(() => {});
    const handler = httpHandler({ ...options, open }) as Handler;
    const reply = await handler(urlEvent({ body: 'SELECT 1 numbers' }), functionContext(50));
    expect([reply.statusCode, textOf(reply)]).toEqual([408, expect.stringMatching(/^Code: 159\./)]);
  });

  it('takes any query id, also half of a character', async () => {
    const { handler } = makeFunction();
    const headers = { 'x-clickhouse-query-id': 'a\ud800' };
    const reply = await handler(urlEvent({ headers, body: 'SELECT 1 numbers' }), functionContext());
    expect(reply.headers).toMatchObject({ 'X-ClickHouse-Query-Id': 'a%EF%BF%BD' });
  });

  it('compresses answers when it is asked to', async () => {
    const { handler } = makeFunction();
    const event = urlEvent({
      search: 'enable_http_compression=1',
      headers: { 'accept-encoding': 'gzip' },
      body: 'SELECT 3 numbers',
    });
    const reply = await handler(event, functionContext());
    expect(reply.headers['Content-Encoding']).toBe('gzip');
    expect(gunzipSync(Buffer.from(reply.body, 'base64')).toString()).toBe('0\n1\n2\n');
  });

  it("answers errors as ClickHouse does, and one's other paths", async () => {
    const { handler } = makeFunction();
    const failed = await handler(urlEvent({ body: 'SELECTT' }), functionContext());
    expect(failed).toMatchObject({
      statusCode: 400,
      headers: { 'X-ClickHouse-Exception-Code': '62' },
    });
    const ping = urlEvent({ method: 'GET', path: '/ping' });
    expect(textOf(await handler(ping, functionContext()))).toBe('Ok.\n');
    const missing = urlEvent({ method: 'GET', path: '/none' });
    expect(await handler(missing, functionContext())).toMatchObject({ statusCode: 404 });
  });

  it("takes AWS's signatures for no user and no setting", async () => {
    const { handler } = makeFunction();
    const authorization =
      'AWS4-HMAC-SHA256 Credential=AKIA/20261201/eu-central-1/lambda/aws4_request';
    const signed = urlEvent({ headers: { authorization }, body: 'SELECT 1 numbers' });
    expect(textOf(await handler(signed, functionContext()))).toBe('0\n');
    const search = 'X-Amz-Algorithm=AWS4-HMAC-SHA256&query=SELECT+1+numbers&X-Amz-Signature=ab12';
    const presigned = urlEvent({ method: 'GET', search });
    expect(textOf(await handler(presigned, functionContext()))).toBe('0\n');
    const basic = urlEvent({ headers: { authorization: 'Basic YTpi' }, body: 'SELECT 1 numbers' });
    expect(await handler(basic, functionContext())).toMatchObject({ statusCode: 403 });
  });

  it('says what to do when the answer is longer than Lambda returns', async () => {
    const { handler } = makeFunction();
    const reply = await handler(urlEvent({ body: 'SELECT 1000000 numbers' }), functionContext());
    expect(reply).toMatchObject({
      statusCode: 500,
      headers: { 'X-ClickHouse-Exception-Code': '396', 'X-ClickHouse-Query-Id': expect.anything() },
    });
    expect(textOf(reply)).toMatch(/Code: 396.*longer than the 4\.5 MB.*LIMIT.*--stream/);
  });

  it('fits into the 6 MB when it does not say so', async () => {
    const { handler } = makeFunction();
    const longest = urlEvent({ body: 'SELECT 682000 numbers' });
    const reply = await handler(longest, functionContext());
    expect(reply.statusCode).toBe(200);
    expect(JSON.stringify(reply).length).toBeLessThan(6 * 1024 * 1024);
    expect(JSON.stringify(reply).length).toBeGreaterThan(5.9 * 1024 * 1024);
  });

  it('hides no failure behind a status of success', async () => {
    const { handler } = makeFunction();
    const reply = await handler(urlEvent({ body: 'SELECT broken numbers' }), functionContext());
    expect(reply.statusCode).toBe(500);
    expect(textOf(reply)).toMatch(/corrupt part x/);
  });

  it("ends the question before the function's time is over", async () => {
    const { handler, engine } = makeFunction();
    const reply = await handler(urlEvent({ body: 'SELECT for ever' }), functionContext(200));
    expect(reply).toMatchObject({
      statusCode: 408,
      headers: { 'X-ClickHouse-Exception-Code': '159' },
    });
    expect(textOf(reply)).toMatch(/Deploy it with a longer timeout/);
    expect(engine.aborted).toBe(1);
  });

  it('tells what could not be opened, and opens it when it can', async () => {
    const { options } = makeFunction();
    let broken = true;
    const open = async () => {
      if (broken) throw new MusterError('S3_ERROR', 'there is no bucket acme');
      return await options.open();
    };
    const handler = httpHandler({ ...options, open }) as Handler;
    const event = urlEvent({ body: 'SELECT 1 numbers' });
    expect(textOf(await handler(event, functionContext()))).toMatch(/499.*no bucket acme/);
    broken = false;
    expect(textOf(await handler(event, functionContext()))).toBe('0\n');
  });
});

describe('events of our own', () => {
  it('ping, and INSERTs where the function takes them', async () => {
    const { handler } = makeFunction({ insert: async ({ query }) => ({ inserted: query }) });
    expect(await handler({ muster: 1, ping: true }, functionContext())).toMatchObject({
      muster: 1,
    });
    const insert = { muster: 1, insert: { query: 'INSERT ...', body: '' } };
    expect(await handler(insert, functionContext())).toEqual({ inserted: 'INSERT ...' });
    const root = makeFunction().handler;
    await expect(root(insert, functionContext())).rejects.toThrow(/no insert: call the ingest/);
    const request = { muster: 1, request: '' };
    await expect(root(request, functionContext())).rejects.toThrow(/no request: call the worker/);
  });
});

/** `awslambda` as Lambda's runtime defines it: a head before the first byte, then the stream. */
function fakeRuntime() {
  const heads: { readonly statusCode: number; readonly headers: Record<string, string> }[] = [];
  return {
    heads,
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (stream: Writable, head: (typeof heads)[number]) => {
        heads.push(head);
        return stream;
      },
    },
  };
}

describe('streamed replies', () => {
  async function streamed(statement: string, more: { readonly broken?: boolean } = {}) {
    const streaming = fakeRuntime();
    const handler = httpHandler({ ...makeFunction().options, streaming }) as StreamHandler;
    let length = 0;
    let text = '';
    const stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        length += chunk.length;
        text = (text + chunk.toString()).slice(-2_000);
        setImmediate(done);
      },
    });
    const end = finished(stream).then(
      () => 'ended',
      (error: Error) => error.message,
    );
    await handler(urlEvent({ body: statement }), stream, functionContext());
    expect(await end).toBe(more.broken === true ? 'The answer broke off' : 'ended');
    return { heads: streaming.heads, length, text };
  }

  it('are longer than gathered ones', async () => {
    const { heads, length, text } = await streamed('SELECT 1000000 numbers');
    expect(heads).toHaveLength(1);
    expect(heads[0]).toMatchObject({
      statusCode: 200,
      headers: { 'X-ClickHouse-Format': 'TabSeparated' },
    });
    expect(length).toBe(6_888_890);
    expect(text.endsWith('999998\n999999\n')).toBe(true);
  });

  it('have statuses', async () => {
    const { heads, text } = await streamed('SELECTT');
    expect(heads).toMatchObject([{ statusCode: 400 }]);
    expect(text).toContain('(SYNTAX_ERROR)');
  });

  it('break off when the answer breaks', async () => {
    const { text } = await streamed('SELECT broken numbers', { broken: true });
    expect(text).toContain('corrupt part x');
  });

  it('answer events of our own, too', async () => {
    const streaming = fakeRuntime();
    const handler = httpHandler({ ...makeFunction().options, streaming }) as StreamHandler;
    const stream = new PassThrough();
    await handler({ muster: 1, ping: true }, stream, functionContext());
    expect(JSON.parse(String(stream.read()))).toMatchObject({ muster: 1 });
  });
});
