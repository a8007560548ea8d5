// From a store's address to an open, probed store.

import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { secretFreeUrl } from '../base/secret-free-url.ts';
import { DirectoryStore } from './directory-store.ts';
import { isObjectKey } from './object-key.ts';
import type { ObjectStore } from './port.ts';
import type { S3Credentials, S3CredentialsProvider } from './s3-client.ts';
import type { RetryPolicy } from './retry.ts';
import type { S3Store } from './s3-store.ts';
import { probeStore, type StoreAccess } from './store-probe.ts';

interface OpenStoreOptions {
  readonly clock: Clock;
  /** S3 only: an endpoint other than AWS's, addressed by path. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly credentials?: S3Credentials | S3CredentialsProvider | undefined;
  /** Runs before the probe, which writes: what it throws refuses the store untouched. */
  readonly inspect?: ((store: ObjectStore) => Promise<void>) | undefined;
  /** Of credentials that may only read, or a full disk: the store opens, each write will be refused. */
  readonly onReadOnly?: (() => void) | undefined;
  /** False skips the start-up probe, for functions over a store that was probed before. */
  readonly probe?: boolean | undefined;
}

/** A store that isn't there is said so soon; one that answers has the whole budget afterwards. */
const firstContact: RetryPolicy = {
  budgetMs: 3_000,
  throttledBudgetMs: 30_000,
  firstDelayMs: 50,
  delayMsMax: 500,
};

/**
 * `s3://bucket`, `s3://bucket/prefix`, `dir:path` or a plain path. Throws BAD_ARGUMENTS for an
 * address that can't be read and for a store that fails the probe.
 */
export async function openStore(url: string, options: OpenStoreOptions): Promise<ObjectStore> {
  const { clock } = options;
  const probe = options.probe ?? true;
  if (!url.startsWith('s3:')) {
    const directory = url.startsWith('dir:') ? url.slice('dir:'.length) : url;
    if (directory === '') throw badAddress(url);
    const store = await DirectoryStore.open(directory, clock);
    await options.inspect?.(store);
    if (probe) tell(options, await probeStore(store, { clock }));
    return store;
  }
  return await openS3(parseS3Address(url), options);
}

async function openS3(address: S3Address, options: OpenStoreOptions): Promise<S3Store> {
  const { clock, inspect, probe = true } = options;
  // A directory's process starts without AWS's SDK.
  const { S3Store } = await import('./s3-store.ts');
  const store = new S3Store({ ...options, ...address });
  const first = new S3Store({ ...options, ...address, retry: firstContact });
  try {
    await inspect?.(first);
    if (!probe) return store;
    tell(options, await probeStore(store, { clock, keepsVersions: () => store.keepsVersions() }));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  } finally {
    await first.close();
  }
}

function tell({ onReadOnly }: OpenStoreOptions, access: StoreAccess): void {
  if (access === 'read-only') onReadOnly?.();
}

interface S3Address {
  readonly bucket: string;
  /** Without slashes at its ends. */
  readonly prefix: string;
}

export function parseS3Address(url: string): S3Address {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*?))?\/*$/.exec(url);
  const bucket = match?.[1];
  const prefix = match?.[2] ?? '';
  if (bucket === undefined || (prefix !== '' && !isObjectKey(prefix))) throw badAddress(url);
  return { bucket, prefix };
}

function badAddress(url: string): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `${JSON.stringify(secretFreeUrl(url))} is not a store: expected a directory or s3://bucket/prefix, ` +
      'with segments of [A-Za-z0-9._-]',
  );
}
