// Where HTTP workers are: addresses as they are given, or all that a name resolves to, looked up again
// every few seconds, so that workers come and go without a restart. What was known stays in use while a
// look-up runs, or fails.

import { lookup } from 'node:dns/promises';
import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { secretFreeUrl } from '../../base/secret-free-url.ts';

/** Addresses of a name, as texts of IP numbers. */
export type Resolve = (name: string) => Promise<readonly string[]>;

interface AddressesOptions {
  readonly clock: Clock;
  readonly resolve?: Resolve | undefined;
}

interface Name {
  readonly name: string;
  readonly port: string;
}

const refreshMs = 5000;

export class WorkerAddresses {
  readonly #fixed: readonly string[];
  readonly #names: readonly Name[];
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  #resolved: readonly string[] = [];
  #resolvedAt = Number.NEGATIVE_INFINITY;
  #resolving: Promise<void> | undefined;

  /** `http://host:port`, `https://...`, or `dns:name:port`. BAD_ARGUMENTS for others, and for none. */
  constructor(given: readonly string[], { clock, resolve = lookUp }: AddressesOptions) {
    if (given.length === 0) throw badAddress('');
    this.#fixed = given.filter((text) => !text.startsWith('dns:')).map(parseUrl);
    this.#names = given.filter((text) => text.startsWith('dns:')).map(parseName);
    this.#clock = clock;
    this.#resolve = resolve;
  }

  /** Origins, each once, as far as they are known without waiting. */
  get known(): readonly string[] {
    return [...new Set([...this.#fixed, ...this.#resolved])];
  }

  /** Empty where a name has no address. Rejects where none was ever found. */
  async current(): Promise<readonly string[]> {
    if (this.#names.length === 0) return this.#fixed;
    if (this.#clock.monotonic() - this.#resolvedAt > refreshMs) {
      this.#resolving ??= this.#refresh().finally(() => {
        this.#resolving = undefined;
      });
      if (this.#resolved.length === 0) await this.#resolving;
      else this.#resolving.catch(() => {});
    }
    return this.known;
  }

  async #refresh(): Promise<void> {
    const found = await Promise.all(
      this.#names.map(async ({ name, port }) =>
        (await this.#resolve(name)).map(
          (ip) => `http://${ip.includes(':') ? `[${ip}]` : ip}:${port}`,
        ),
      ),
    );
    this.#resolved = found.flat();
    this.#resolvedAt = this.#clock.monotonic();
  }
}

async function lookUp(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

function parseUrl(text: string): string {
  const isUrl = URL.canParse(text) && /^https?:\/\//.test(text);
  const url = isUrl ? new URL(text) : undefined;
  if (url === undefined || url.pathname !== '/') throw badAddress(text);
  if (url.username !== '' || url.password !== '') throw badAddress(text);
  return url.origin;
}

function parseName(text: string): Name {
  const match = /^dns:([A-Za-z0-9_.-]+):(\d{1,5})$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) throw badAddress(text);
  return { name: match[1], port: match[2] };
}

function badAddress(text: string): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `'${secretFreeUrl(text)}' is not where a worker is: give http://host:port, or dns:name:port`,
  );
}
