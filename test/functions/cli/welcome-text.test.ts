import { expect, test } from 'vitest';
import { sqlCommand, urlOf, welcomeText } from '../../../functions/cli/welcome-text.ts';
import type { ServeOptions } from '../../../functions/serve-options.ts';

const plain: ServeOptions = {
  host: '127.0.0.1',
  port: 8123,
  store: './muster-data',
  endpoint: undefined,
  region: undefined,
  workers: { kind: 'threads', count: 1 },
  users: [],
  tls: undefined,
  queriesMax: 100,
  logLevel: 'info',
};

test('where it listens, and commands that work as they stand', () => {
  const text = welcomeText(8123, plain);
  expect(text).toMatch(/^Muster listens on http:\/\/127\.0\.0\.1:8123 .*1 worker thread\)\n/);
  expect(text).toMatch(/\n {2}npx muster sql\n/);
  expect(text).toContain('\n  http://127.0.0.1:8123/play\n');
  expect(text).not.toMatch(/MUSTER_|demo/);
  expect(welcomeText(9, plain, 'The demo: ...')).toMatch(/--url http:.*The demo: \.\.\.\nStop/s);
});

test('everywhere is also here; users and certificates are asked for, never shown', () => {
  const tls = { certificate: 'c.pem', key: 'k.pem' };
  const users = [{ name: 'ann', sha256: 'abc' }];
  const text = welcomeText(1, { ...plain, host: '0.0.0.0', tls, users });
  expect(text).toContain('listens on https://0.0.0.0:1 ');
  expect(text).toContain(
    'NODE_EXTRA_CA_CERTS=c.pem MUSTER_USER=... MUSTER_PASSWORD=... npx muster sql --url https://127.0.0.1:1',
  );
  expect(sqlCommand(8123, { ...plain, users })).toBe(
    'MUSTER_USER=... MUSTER_PASSWORD=... npx muster sql',
  );
  expect(text).toContain('curl -u NAME:PASSWORD --cacert c.pem https://127.0.0.1:1/');
  expect(text).not.toMatch(/k\.pem|ann|abc/);
  expect(urlOf(1, { ...plain, host: '::' })).toBe('http://[::1]:1');
  expect(urlOf(1, { ...plain, host: '::1' })).toBe('http://[::1]:1');
});

test('where sets are evaluated, without the secret', () => {
  const secret = 'sixteen letters!';
  const http = { kind: 'http', addresses: ['http://a:1'], secret } as const;
  const text = welcomeText(1, { ...plain, workers: http });
  expect(text).toContain('workers at http://a:1)');
  expect(text).not.toContain(secret);
  expect(welcomeText(1, { ...plain, workers: { kind: 'in-process' } })).toContain('muster-data)\n');
});
