// The page for browsers among the paths that programs ask: who gets it, with which headers, and that
// nobody else does. The page itself is tested in a browser (test/integration/console.test.ts).

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageOf } from '../../../functions/http/console-page.ts';
import { ask, type Running, startScripted } from './asking.ts';

const policy = "default-src 'none'; script-src 'sha256-x'";
const html = `<meta http-equiv="Content-Security-Policy" content="${policy}"><p>é</p>`;
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let server: Running;
beforeAll(async () => {
  server = await startScripted({ page: () => pageOf(Buffer.from(html)) });
});
afterAll(() => server.close());

describe('who gets the page', () => {
  it('browsers at /, everybody at /play', async () => {
    const page = await ask(server.port, '/', { headers: browser });
    expect([page.status, page.text]).toEqual([200, html]);
    expect(page.headers['content-type']).toBe('text/html; charset=UTF-8');
    expect((await ask(server.port, '/play')).text).toBe(html);
    const head = await ask(server.port, '/play', { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(html)),
    ]);
  });

  it('programs get Ok., and queries their answers, whatever they accept', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      expect((await ask(server.port, '/', { headers })).text).toBe('Ok.\n');
    }
    const query = '/?query=SELECT%202%20numbers';
    expect((await ask(server.port, query, { headers: browser })).text).toBe('0\n1\n');
    const posted = await ask(server.port, '/', { headers: browser, body: 'SELECT 1 numbers' });
    expect(posted.text).toBe('0\n');
  });

  it('nobody, where there is none', async () => {
    const bare = await startScripted();
    try {
      expect((await ask(bare.port, '/', { headers: browser })).text).toBe('Ok.\n');
      expect((await ask(bare.port, '/play')).status).toBe(404);
    } finally {
      await bare.close();
    }
  });
});

describe('how it is sent', () => {
  it('with the policy of its head as a header, and no frames', async () => {
    const { headers } = await ask(server.port, '/play');
    expect(headers['content-security-policy']).toBe(`${policy}; frame-ancestors 'none'`);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['vary']).toContain('Accept');
    expect(() => pageOf(Buffer.from('<p>'))).toThrow(/no policy/);
  });

  it('once: who has it is told so, each form by its own etag', async () => {
    const plain = await ask(server.port, '/play');
    const packed = await ask(server.port, '/play', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).toString()).toBe(html);
    expect(packed.headers['etag']).not.toBe(plain.headers['etag']);
    const etag = String(plain.headers['etag']);
    const again = await ask(server.port, '/play', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const refused = { 'accept-encoding': 'gzip;q=0' };
    const other = await ask(server.port, '/play', { headers: refused });
    expect(other.headers['content-encoding']).toBeUndefined();
  });
});

describe('questions of the page itself', () => {
  const from = (origin: string, host: string) =>
    ask(server.port, '/', { headers: { origin, host }, body: 'SELECT 1 numbers' });

  it('are answered where the server has another name that only its owner gives', async () => {
    for (const host of ['10.1.2.3:8123', 'muster:8123', 'box.local:8123', '[fd00::1]:8123']) {
      expect((await from(`http://${host}`, host)).status, host).toBe(200);
    }
    expect((await from('http://10.1.2.3:9000', '10.1.2.3:8123')).status).toBe(403);
    expect((await from('http://muster:8123', 'localhost:8123')).status).toBe(403);
  });

  it('are refused under a name that anybody could point here, while there is no password', async () => {
    const reply = await from('http://rebound.example:8123', 'rebound.example:8123');
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('password')]);
  });
});
