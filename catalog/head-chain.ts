// Follows one namespace's chain: which head is the newest, and since when that is known (SPEC.md,
// "Newest head" and "Late creates"). Probes and lists; never decides what a commit says.

import { defined } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { type CatalogState, followState, loadState } from './catalog-state.ts';
import { decodeHead, encodeHead, firstHead, type Head, recordsByVersion } from './head.ts';
import { headKey, headPrefix, parseHeadKey } from './keys.ts';
import type { CatalogLimits } from './limits.ts';
import type { PageStore } from './page-store.ts';
import type { CatalogVersion, NamespaceId } from './schema.ts';

/** What requests go through: everybody's, or one caller's with its meter. */
export interface CatalogIo {
  readonly store: ObjectStore;
  readonly pages: PageStore;
}

export interface ChainParts extends CatalogIo {
  readonly clock: Clock;
  readonly limits: CatalogLimits;
  readonly namespace: NamespaceId;
}

/** After so many heads in a row a list is cheaper. */
const stepsMax = 4;
const probesAtOnce = 4;
const retryPauseMs = 200;

/**
 * Invariant C7: what is known only moves forward; a state is never replaced by an older one.
 * Invariant C8: a reply about the head after N counts only within KEEP / 2 of a moment when N, or an
 * earlier head, was seen to be the newest: until then nothing above N can have been swept.
 */
export class HeadChain {
  readonly parts: ChainParts;
  #newest: CatalogState | undefined;
  /** The store's Date when `#newest`, or a head before it, was seen to be the newest. */
  #seenNewest = 0;
  #next: Promise<CatalogState> | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: ChainParts) {
    this.parts = parts;
  }

  /** Without I/O; perhaps no longer the newest. */
  get known(): CatalogState | undefined {
    return this.#newest;
  }

  get seenNewest(): number {
    return this.#seenNewest;
  }

  /**
   * The newest state at some moment after this call began; a chain without heads is begun. Callers
   * share a probe that was not sent yet when they came. Warm: one GET that finds nothing.
   */
  refresh(io: CatalogIo = this.parts): Promise<CatalogState> {
    this.#next ??= this.#startWhenFree(io);
    return this.#next;
  }

  /** By list alone: one LIST, and a GET where the newest is not known. */
  async list(io: CatalogIo = this.parts): Promise<CatalogState | undefined> {
    const { store } = io;
    const { namespace } = this.parts;
    const reply = await store.list({ prefix: headPrefix(namespace), max: 1 });
    const listed = reply.objects[0];
    if (listed === undefined) return undefined;
    const parsed = parseHeadKey(listed.key);
    if (parsed === undefined) {
      throw new MusterError(
        'UNKNOWN_FORMAT_VERSION',
        `${store.id} has an object ${listed.key} where only heads belong: it is not Muster's`,
      );
    }
    const known = this.#newest;
    if (known !== undefined && known.head.version >= parsed.version) {
      if (known.head.version === parsed.version) this.#seenNewest = reply.date;
      return known;
    }
    const head = await this.readHead(parsed.version, io);
    if (head === undefined) return this.list(io);
    return this.adopt(await this.#follow(head.head, io), reply.date);
  }

  /** The head of `version` and the Date of the reply; undefined where there is none. */
  async readHead(
    version: CatalogVersion,
    io: CatalogIo = this.parts,
  ): Promise<{ readonly head: Head; readonly date: number } | undefined> {
    const key = headKey(this.parts.namespace, version);
    const reply = await io.store.read(key);
    if (reply === undefined) return undefined;
    return { head: this.#decode(reply.bytes, version), date: reply.date };
  }

  /** Takes a state over if it is newer. `seenNewest`: when it or an earlier one was the newest. */
  adopt(state: CatalogState, seenNewest: number = this.#seenNewest): CatalogState {
    const known = this.#newest;
    const older = known !== undefined && known.head.version > state.head.version;
    if (!older) this.#seenNewest = Math.max(this.#seenNewest, seenNewest);
    if (known !== undefined && known.head.version >= state.head.version) return known;
    this.#newest = state;
    return state;
  }

  /** Whether a reply dated `date`, about the head above one seen newest at `since`, is too late. */
  isLate(date: number | undefined, since: number): boolean {
    const keepMs = this.#newest?.head.keepMs ?? this.parts.limits.keepMs;
    if (date === undefined) return true;
    const elapsed = date - since;
    return elapsed < 0 || elapsed > keepMs / 2;
  }

  /** Creates the first head where the chain has none; any number of processes may try. */
  async create(io: CatalogIo = this.parts): Promise<CatalogState> {
    const { store } = io;
    const { clock, limits, namespace } = this.parts;
    const giveUpAt = clock.monotonic() + limits.doubtMs;
    for (;;) {
      const listed = await this.list(io);
      if (listed !== undefined) return listed;
      const { date } = await store.list({ prefix: headPrefix(namespace), max: 1 });
      const head = firstHead({
        namespace,
        commitId: clock.randomId(),
        date: Math.floor(date),
        keepMs: limits.keepMs,
      });
      const key = headKey(namespace, head.version);
      const reply = await store.create(key, encodeHead(head));
      // Whoever made it: a first head says nothing but that the chain has begun.
      if (reply.outcome !== 'unknown' && reply.outcome !== 'conflict') continue;
      if (clock.monotonic() > giveUpAt) {
        throw new MusterError('NETWORK_ERROR', `could not create ${key} in ${store.id}`, {
          cause: reply,
        });
      }
      await clock.sleep(clock.random() * retryPauseMs);
    }
  }

  async #startWhenFree(io: CatalogIo): Promise<CatalogState> {
    await Promise.resolve();
    while (this.#running.size >= probesAtOnce)
      await Promise.race(this.#running).catch(() => undefined);
    this.#next = undefined;
    const probe = this.#probe(io);
    this.#running.add(probe);
    try {
      return await probe;
    } finally {
      this.#running.delete(probe);
    }
  }

  async #probe(io: CatalogIo): Promise<CatalogState> {
    for (let steps = 0; steps < stepsMax && this.#newest !== undefined; steps++) {
      const known = this.#newest;
      const since = this.#seenNewest;
      const { reply, date } = await this.#readNext(known, io);
      if (this.isLate(date, since)) break;
      if (reply === undefined) {
        this.adopt(known, date);
        return defined(this.#newest, 'the newest state');
      }
      this.adopt(await this.#follow(reply, io));
    }
    return (await this.list(io)) ?? this.create(io);
  }

  async #readNext(
    known: CatalogState,
    io: CatalogIo,
  ): Promise<{ reply: Head | undefined; date?: number }> {
    const { namespace } = this.parts;
    const version = (known.head.version + 1) as CatalogVersion;
    let date: number | undefined;
    const onDate = (told: number): void => {
      date = told;
    };
    const found = await io.store.read(headKey(namespace, version), undefined, { onDate });
    const reply = found === undefined ? undefined : this.#decode(found.bytes, version);
    date = found?.date ?? date;
    return date === undefined ? { reply } : { reply, date };
  }

  #decode(bytes: Uint8Array, version: CatalogVersion): Head {
    const { namespace, store } = this.parts;
    const known = this.#newest;
    const what = `head ${headKey(namespace, version)}`;
    const head = decodeHead(
      bytes,
      what,
      known === undefined ? new Map() : recordsByVersion(known.head),
    );
    if (head.namespace !== namespace || head.version !== version) {
      throw new MusterError(
        'CORRUPTED_DATA',
        `corrupt ${what} in ${store.id}: it is version ${head.version} of namespace ${head.namespace}`,
      );
    }
    return head;
  }

  async #follow(head: Head, { pages }: CatalogIo): Promise<CatalogState> {
    const known = this.#newest;
    if (known === undefined) return loadState(pages, head);
    if (known.head.version >= head.version) return known;
    return followState(pages, known, head);
  }
}
