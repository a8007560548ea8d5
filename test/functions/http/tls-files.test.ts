import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { HttpEdge } from '../../../functions/http/edge.ts';
import { readTlsFiles } from '../../../functions/http/tls-files.ts';
import { listen } from '../../../functions/listen.ts';
import type { TlsFiles } from '../../../functions/serve-options.ts';
import { makeCertificate } from './certificates.ts';
import { ScriptedEngine } from './scripted-engine.ts';

let directory: string;
let first: TlsFiles;
let second: TlsFiles;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'muster-tls-'));
  first = await makeCertificate(directory, 'first');
  second = await makeCertificate(directory, 'second');
});
afterAll(() => rm(directory, { recursive: true }));

/** The certificate's name and what is answered. */
function askTls(port: number, ca: Buffer): Promise<readonly [string, string]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca }, () => {
      const name = String(socket.getPeerCertificate().subject.CN);
      socket.write('GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      let said = '';
      socket.on('data', (chunk) => (said += chunk.toString()));
      socket.on('end', () => resolve([name, said.split('\r\n\r\n')[1] ?? '']));
    });
    socket.on('error', reject);
  });
}

describe('TLS', () => {
  it('serves HTTPS, and another certificate from the next connection on', async () => {
    const clock = systemClock;
    const edge = new HttpEdge({ engine: new ScriptedEngine(), clock });
    const identity = await readTlsFiles(first);
    const server = await listen({ edge, clock, host: '127.0.0.1', port: 0, identity });
    const ca = Buffer.concat([
      await readFile(first.certificate),
      await readFile(second.certificate),
    ]);
    expect(await askTls(server.port, ca)).toEqual(['first', 'Ok.\n']);
    server.renewIdentity(await readTlsFiles(second));
    expect(await askTls(server.port, ca)).toEqual(['second', 'Ok.\n']);
    await server.close(50);
  });

  it('says what is wrong with files, and never what is in them', async () => {
    const refusal = (files: TlsFiles) =>
      readTlsFiles(files).then(
        () => 'taken',
        (error: Error) => error.message,
      );
    const text = join(directory, 'notes.txt');
    await writeFile(text, 'hunter2');
    const none = join(directory, 'none.crt');
    expect(await refusal({ ...first, certificate: none })).toMatch(
      /^The TLS certificate .*none\.crt cannot be read: it is not there/,
    );
    expect(await refusal({ ...first, certificate: text })).toBe(
      `The TLS certificate ${text} is not a certificate in PEM`,
    );
    expect(await refusal({ ...first, key: text })).toMatch(/^The TLS key .* is not a private key/);
    expect(await refusal({ ...first, certificate: first.key })).toMatch(/not a certificate/);
    expect(await refusal({ ...first, key: second.key })).toBe(
      `The TLS key ${second.key} does not belong to the certificate ${first.certificate}`,
    );
  });
});
