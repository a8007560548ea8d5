// A server's address, taken: the one sentence of what is in the way, whoever listens.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MusterError } from '../base/errors.ts';

/** The port; 0 asks for one that is free. NETWORK_ERROR when the address can't be had. */
export async function listenAt(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE'
          ? `Port ${port} of ${host} is in use: stop what listens there or choose another --port`
          : `Cannot listen on ${host}:${port}: ${cause.message}`;
      reject(new MusterError('NETWORK_ERROR', why, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}
