// The start-up probe: refuses, in one sentence, a store that would lose or double data later.
//
// It writes a few small objects below `probe/<random id>/` and removes them, about 30 requests in
// ten rounds. A store passes if of sixteen racing creates exactly one wins, an existing name stays
// as it is, ranges are exact, listings are in order, dates are there and agree, what is removed is
// gone, and no old versions are kept. Credentials that may only read, and a disk that is full, leave
// nothing to probe: the store is said to be read-only, and each write will be refused by itself.

import { defined } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { isRefused } from './store-errors.ts';
import { objectKey } from './object-key.ts';
import type { CreateOutcome, ObjectKey, ObjectStore } from './port.ts';

interface ProbeOptions {
  readonly clock: Pick<Clock, 'randomId'>;
  /** Asked if the store has such a thing. */
  readonly keepsVersions?: () => Promise<boolean>;
}

interface Probe {
  readonly store: ObjectStore;
  readonly keys: readonly [ObjectKey, ObjectKey, ObjectKey];
  readonly prefix: string;
  readonly bodies: readonly Uint8Array[];
}

const racers = 16;
const bodyBytes = 64;
const dateSkewMsMax = 5 * 60 * 1000;

export type StoreAccess = 'writable' | 'read-only';

/** Throws BAD_ARGUMENTS naming the store and what it does wrong. */
export async function probeStore(store: ObjectStore, options: ProbeOptions): Promise<StoreAccess> {
  const versions = await askVersions(options);
  if (versions === true) {
    refuse(store, 'keeps old versions of objects; suspend versioning on the bucket');
  }
  const prefix = `probe/${options.clock.randomId()}/`;
  const probe: Probe = {
    store,
    prefix,
    keys: [objectKey(`${prefix}a`), objectKey(`${prefix}b`), objectKey(`${prefix}c`)],
    bodies: Array.from({ length: racers }, (_, racer) =>
      Uint8Array.from({ length: bodyBytes }, (__, i) => racer * 16 + (i % 16)),
    ),
  };
  if (!(await isWritable(probe))) return 'read-only';
  try {
    if (versions !== false) throw versions;
    const winner = await probeRace(probe);
    await probeExisting(probe, winner);
    await probeRange(probe, winner);
    await probeListing(probe);
  } finally {
    await store.remove(probe.keys);
  }
  await probeRemoval(probe);
  return 'writable';
}

/** The refusal, where these credentials may not ask: readers need not. */
async function askVersions(options: ProbeOptions): Promise<boolean | Error> {
  try {
    return (await options.keepsVersions?.()) === true;
  } catch (error) {
    if (error instanceof Error && isRefused(error)) return error;
    throw error;
  }
}

/** Leaves the second of the keys. */
async function isWritable(probe: Probe): Promise<boolean> {
  try {
    await probe.store.put(probe.keys[1], bodyOf(probe, 0));
    return true;
  } catch (error) {
    if (isRefused(error) || isFull(error)) return false;
    throw error;
  }
}

/** What is there can be read all the same. */
function isFull(error: unknown): boolean {
  return error instanceof MusterError && error.errorName === 'NOT_ENOUGH_SPACE';
}

/** Which of the racers won. */
async function probeRace({ store, keys, bodies }: Probe): Promise<number> {
  if ((await store.read(keys[0])) !== undefined) {
    refuse(store, 'answers a read of a name that was never written');
  }
  const outcomes = await Promise.all(bodies.map((body) => store.create(keys[0], body)));
  const unknown = outcomes.find((outcome) => outcome.outcome === 'unknown');
  if (unknown !== undefined) {
    throw new MusterError('NETWORK_ERROR', `${store.id} did not answer the start-up probe`, {
      cause: unknown.cause,
    });
  }
  const winners = outcomes.flatMap(({ outcome }, racer) => (outcome === 'created' ? [racer] : []));
  if (winners.length > 1) {
    refuse(store, `let ${winners.length} of ${racers} racing creates of one name win`);
  }
  if (winners.length === 0) refuse(store, `let none of ${racers} racing creates of one name win`);
  if (!outcomes.every(isDated)) refuse(store, 'gives no dates');
  return defined(winners[0], 'a winner');
}

async function probeExisting(probe: Probe, winner: number): Promise<void> {
  const { store, keys, bodies } = probe;
  const other = defined(bodies[(winner + 1) % racers], 'a body');
  const { outcome } = await store.create(keys[0], other);
  const found = await store.read(keys[0]);
  const intact = found !== undefined && Buffer.compare(found.bytes, bodyOf(probe, winner)) === 0;
  if (outcome !== 'exists' || !intact) {
    refuse(store, 'ignores the condition of a create and overwrites what exists');
  }
}

async function probeRange(probe: Probe, winner: number): Promise<void> {
  const range = { start: 3, end: 21 };
  const found = await probe.store.read(probe.keys[0], range);
  const right = bodyOf(probe, winner).subarray(range.start, range.end);
  if (found === undefined || Buffer.compare(found.bytes, right) !== 0) {
    refuse(probe.store, `answers a read of bytes [${range.start}, ${range.end}) with others`);
  }
}

async function probeListing(probe: Probe): Promise<void> {
  const { store, keys, prefix } = probe;
  await store.put(keys[2], bodyOf(probe, 0));
  const first = await store.list({ prefix, max: 2 });
  const second = await store.list({ prefix, after: keys[1], max: 2 });
  const listed = [...first.objects, ...second.objects];
  const inOrder = listed.map((object) => object.key).join() === keys.join();
  if (!inOrder || !first.more || second.more) refuse(store, 'does not list names in order');
  if (listed.some((object) => object.bytes !== bodyBytes)) refuse(store, 'lists wrong sizes');
  const dates = [first.date, second.date];
  const skews = listed.flatMap((object) => dates.map((date) => Math.abs(date - object.modified)));
  if (!skews.every((skew) => skew <= dateSkewMsMax)) {
    refuse(store, "lists dates that are missing or over 5 minutes off the store's own clock");
  }
}

async function probeRemoval({ store, keys, prefix }: Probe): Promise<void> {
  const found = await store.read(keys[0]);
  const listed = await store.list({ prefix, max: 1 });
  if (found !== undefined || listed.objects.length > 0) {
    refuse(store, 'still shows what was removed');
  }
}

function isDated(outcome: CreateOutcome): boolean {
  return outcome.outcome !== 'unknown' && Number.isFinite(outcome.date);
}

function bodyOf(probe: Probe, racer: number): Uint8Array {
  return defined(probe.bodies[racer], 'a body');
}

function refuse(store: ObjectStore, fault: string): never {
  throw new MusterError(
    'BAD_ARGUMENTS',
    `the store ${store.id} can't hold Muster's data: it ${fault}`,
  );
}
