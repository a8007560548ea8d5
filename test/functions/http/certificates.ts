// Self-signed certificates, made by openssl when a test runs.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TlsFiles } from '../../../functions/serve-options.ts';

const run = promisify(execFile);

/** For localhost; `name` is its common name and the name of its files. */
export async function makeCertificate(directory: string, name: string): Promise<TlsFiles> {
  const certificate = join(directory, `${name}.crt`);
  const key = join(directory, `${name}.key`);
  const kind = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  const subject = `-subj /CN=${name} -addext subjectAltName=DNS:localhost`;
  const files = ['-keyout', key, '-out', certificate];
  await run('openssl', [...`req -x509 ${kind} ${subject}`.split(' '), ...files]);
  return { certificate, key };
}
