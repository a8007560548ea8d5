// What is too big for the way between root and workers goes through the store: written under
// spill/<namespace>/<random id>, sent as a reference, read and checked at the other end. One place for
// both directions, above the adapters. Who has read a reply removes it, as well as can be; what is left
// over is swept later.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { parseSpillKey, spillKey } from '../../catalog/keys.ts';
import type { NamespaceId } from '../../catalog/schema.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { crc32c } from '../../storage-format/crc32c.ts';
import { type SpillRef, spilledIn } from './batch-codec.ts';

interface SpillOptions {
  readonly namespace: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** One request to the store. */
export async function spill(
  store: ObjectStore,
  bytes: Uint8Array,
  options: SpillOptions,
): Promise<SpillRef> {
  const key = spillKey(options.namespace as NamespaceId, options.clock.randomId());
  await store.put(key, bytes, callOptions(options.signal));
  return { key, bytes: bytes.length, checksum: crc32c(bytes) };
}

/** CORRUPTED_DATA where it isn't what was spilled, or is there no more. */
export async function readSpilled(
  store: ObjectStore,
  ref: SpillRef,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const found = await store.read(parseSpillKey(ref.key), undefined, callOptions(signal));
  if (found === undefined) throw damaged(ref, 'it is not there');
  const { bytes } = found;
  if (bytes.length !== ref.bytes) throw damaged(ref, `${bytes.length} of ${ref.bytes} bytes`);
  if (crc32c(bytes) !== ref.checksum) throw damaged(ref, 'wrong checksum');
  return bytes;
}

/** Best effort: what stays is swept later. Never rejects. */
export async function removeSpilled(store: ObjectStore, ref: SpillRef): Promise<void> {
  try {
    await store.remove([parseSpillKey(ref.key)]);
  } catch {
    // Swept later.
  }
}

/** The reply itself, fetched and removed where `bytes` are a reference to it. */
export async function wholeReply(
  store: ObjectStore,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const ref = spilledIn(bytes);
  if (ref === undefined) return bytes;
  const reply = await readSpilled(store, ref, signal);
  await removeSpilled(store, ref);
  return reply;
}

function callOptions(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}

function damaged(ref: SpillRef, what: string): MusterError {
  return new MusterError('CORRUPTED_DATA', `corrupt spilled object ${ref.key}: ${what}`);
}
