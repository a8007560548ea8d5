// Whether a worker still lives while it is waited for. A process that is stopped, or a machine that is
// gone, leaves its connections as they are: nobody says that no reply will come. So who waits long asks
// for a sign of life over a new connection; only silence is taken for death, for a worker that drains
// refuses new connections and still replies over the old ones.

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../base/clock.ts';

export interface PulseOptions {
  /** How often it is asked. */
  readonly everyMs: number;
  /** How long it may take to answer. */
  readonly patienceMs: number;
}

/** The patience is for a worker whose processor is taken for seconds. */
export const pulseDefault: PulseOptions = { everyMs: 2000, patienceMs: 8000 };

/** Resolves when the worker at `origin` is silent. Rejects when aborted. */
export async function untilSilent(
  origin: string,
  clock: Clock,
  { everyMs, patienceMs, signal }: PulseOptions & { readonly signal: AbortSignal },
): Promise<void> {
  do {
    await clock.sleep(everyMs, signal);
  } while (await speaks(origin, clock, { patienceMs, signal }));
}

/** False: it is silent for so long. Rejects when aborted. */
export async function speaks(
  origin: string,
  clock: Clock,
  options: { readonly patienceMs: number; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { patienceMs, signal } = options;
  const done = new AbortController();
  const stop = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]);
  try {
    const silence = clock.sleep(patienceMs, stop).then(() => false);
    return await Promise.race([sign(origin, stop), silence]);
  } finally {
    done.abort();
  }
}

/** True for any answer, and for a refusal: somebody is there. */
function sign(origin: string, signal: AbortSignal): Promise<boolean> {
  const url = new URL('/ping', origin);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = send(url, { agent: false, signal }, (response) => {
      response.destroy();
      resolve(true);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(error);
      else resolve(error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET');
    });
    sent.end();
  });
}
