// The certificate and key of an HTTPS server, from files, checked before anybody relies on them: what
// is wrong with them is said in one sentence that names the file.

import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { MusterError } from '../../base/errors.ts';
import type { TlsFiles } from '../serve-options.ts';

export interface TlsIdentity {
  /** PEM, with its chain. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** BAD_ARGUMENTS (36) for files that are missing, no PEM, or do not belong together. */
export async function readTlsFiles(files: TlsFiles): Promise<TlsIdentity> {
  const cert = await readPem(files.certificate, 'certificate');
  const key = await readPem(files.key, 'key');
  try {
    createSecureContext({ cert });
  } catch (cause) {
    throw refused(`The TLS certificate ${files.certificate} is not a certificate in PEM`, cause);
  }
  try {
    createSecureContext({ key });
  } catch (cause) {
    const why = `The TLS key ${files.key} is not a private key in PEM without a passphrase`;
    throw refused(why, cause);
  }
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const why = `The TLS key ${files.key} does not belong to the certificate ${files.certificate}`;
    throw refused(why, cause);
  }
  return { cert, key };
}

async function readPem(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it is not there' : message;
    throw refused(`The TLS ${what} ${path} cannot be read: ${why}`, cause);
  }
}

function refused(message: string, cause: unknown): MusterError {
  return new MusterError('BAD_ARGUMENTS', message, { cause });
}
