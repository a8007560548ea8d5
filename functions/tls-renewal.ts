// A certificate that is replaced while the server runs: read again when its files change, or on
// SIGHUP, and used for the connections that come from then on. One that is wrong changes nothing.

import { unwatchFile, watchFile } from 'node:fs';
import { readTlsFiles } from './http/tls-files.ts';
import type { ListeningServer } from './listen.ts';
import type { Log } from './log.ts';
import type { TlsFiles } from './serve-options.ts';

/** Looked at by their times, for what replaces a file is often a link or a rename. */
const lookEveryMs = 5000;

/** Ends with the function that it returns. */
export function renewTls(
  files: TlsFiles | undefined,
  server: Pick<ListeningServer, 'renewIdentity'>,
  log: Log,
): () => void {
  if (files === undefined) return () => {};
  const renew = (): void => {
    readTlsFiles(files).then(
      (identity) => {
        server.renewIdentity(identity);
        log.event('info', 'certificate read again', { certificate: files.certificate });
      },
      (error: Error) => log.event('error', 'certificate kept', { exception: error.message }),
    );
  };
  const paths = [files.certificate, files.key];
  for (const path of paths) watchFile(path, { interval: lookEveryMs, persistent: false }, renew);
  process.on('SIGHUP', renew);
  return () => {
    for (const path of paths) unwatchFile(path, renew);
    process.off('SIGHUP', renew);
  };
}
