// The catalog over an object store: databases, snapshots and commits (snapshot.ts has the contract,
// SPEC.md the bytes and the protocol). One per process and store: it keeps what it has read.

import { type Clock, systemClock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { suggestion } from '../base/nearest-name.ts';
import type { ObjectStore } from '../object-store/port.ts';
import type { CatalogState } from './catalog-state.ts';
import type { CommitRequest, CommitResult } from './commit.ts';
import { Committer } from './committer.ts';
import { DatabaseNames } from './database-names.ts';
import { HeadChain } from './head-chain.ts';
import { headPrefix, rootNamespace, startUpProbePrefix } from './keys.ts';
import { type CatalogLimits, defaultLimits } from './limits.ts';
import { PageCache, PageStore } from './page-store.ts';
import type { Catalog } from './port.ts';
import type { NamespaceId } from './schema.ts';
import type { Snapshot } from './snapshot.ts';
import { SnapshotView } from './snapshot-view.ts';

interface CatalogOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<CatalogLimits>;
  /** May be shared by several catalogs of a process. */
  readonly pageCache?: PageCache;
}

interface Namespace {
  readonly chain: HeadChain;
  readonly committer: Committer;
  readonly pages: PageStore;
}

/**
 * Opens the catalog of a store, or begins one where the store is empty. UNKNOWN_FORMAT_VERSION for a
 * store of a newer Muster and for one that holds other things. Requests: one LIST and one GET; three
 * LISTs and a PUT more to begin.
 */
export async function openCatalog(
  store: ObjectStore,
  options: CatalogOptions = {},
): Promise<Catalog> {
  const catalog = new StoreCatalog(store, options);
  await catalog.open();
  return catalog;
}

/**
 * Throws UNKNOWN_FORMAT_VERSION for a store that holds other things than Muster's. Writes nothing.
 * Requests: one LIST of heads, and one of the rest where there are none.
 */
export async function refuseForeignStore(store: ObjectStore): Promise<void> {
  if (await hasHeads(store)) return;
  const ours = [headPrefix(rootNamespace), startUpProbePrefix];
  const { objects } = await store.list({ prefix: '', max: 100 });
  const stranger = objects.find(({ key }) => !ours.some((prefix) => key.startsWith(prefix)));
  // Another process may have begun the store meanwhile.
  if (stranger === undefined || (await hasHeads(store))) return;
  throw new MusterError(
    'UNKNOWN_FORMAT_VERSION',
    `${store.id} is not empty and not a Muster store (it holds ${stranger.key}): ` +
      'use an empty place or the root of a store',
  );
}

async function hasHeads(store: ObjectStore): Promise<boolean> {
  const { objects } = await store.list({ prefix: headPrefix(rootNamespace), max: 1 });
  return objects.length > 0;
}

class StoreCatalog implements Catalog {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #limits: CatalogLimits;
  readonly #cache: PageCache;
  readonly #root: Namespace;
  readonly #names: DatabaseNames;
  readonly #namespaces = new Map<NamespaceId, Namespace>();
  readonly #views = new WeakMap<CatalogState, SnapshotView>();

  constructor(store: ObjectStore, options: CatalogOptions) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#cache = options.pageCache ?? new PageCache(this.#limits.pageCacheBytes);
    this.#root = this.#openNamespace(rootNamespace);
    this.#names = new DatabaseNames(this.#root.chain);
  }

  async open(): Promise<void> {
    if ((await this.#root.chain.list()) !== undefined) return;
    await refuseForeignStore(this.#store);
    if ((await this.#root.chain.list()) === undefined) await this.#root.chain.create();
  }

  async databases(): Promise<readonly string[]> {
    return [...(await this.#names.all()).keys()];
  }

  /** Its chain begins at once, so that the first commit is one PUT. */
  async createDatabase(name: string): Promise<boolean> {
    const old = (await this.#names.all()).get(name);
    const dead = old !== undefined && (await this.#namespace(old).chain.refresh()).head.tombstone;
    if (old !== undefined && !dead) return false;
    const created = await this.#names.create(name, old);
    if (created) await this.#begin(name);
    return created;
  }

  /** The namespace's own last head decides; the name goes after it. */
  async dropDatabase(name: string): Promise<boolean> {
    const id = (await this.#names.all()).get(name);
    if (id === undefined) return false;
    let dropped = false;
    await this.#namespace(id).committer.commit({
      propose: async ({ head }) => {
        dropped = !head.tombstone;
        return dropped ? { changes: [{ kind: 'tombstone' }] } : undefined;
      },
    });
    await this.#names.remove(name, id);
    return dropped;
  }

  async snapshot(database: string): Promise<Snapshot> {
    for (;;) {
      const { chain, pages } = await this.#find(database);
      const state = await chain.refresh();
      if (!state.head.tombstone) return this.#view(database, state, pages);
      await this.#forget(database, state);
    }
  }

  async commit(database: string, request: CommitRequest): Promise<CommitResult> {
    for (;;) {
      const { committer, pages } = await this.#find(database);
      let dead: CatalogState | undefined;
      const { state, lostRaces } = await committer.commit({
        ...request,
        propose: async (base, attempt) => {
          dead = base.head.tombstone ? base : undefined;
          if (dead !== undefined) return undefined;
          return request.propose(this.#view(database, base, pages), attempt);
        },
      });
      if (dead === undefined) return { snapshot: this.#view(database, state, pages), lostRaces };
      await this.#forget(database, dead);
    }
  }

  /** The name is given whatever happens here: a chain that is not begun is begun by its first user. */
  async #begin(database: string): Promise<void> {
    try {
      await (await this.#find(database)).chain.refresh();
    } catch (error) {
      if (!(error instanceof MusterError)) throw error;
    }
  }

  /** From memory where the name is known. */
  async #find(database: string): Promise<Namespace> {
    const cached = this.#names.cached(database);
    if (cached !== undefined) return this.#namespace(cached);
    const all = await this.#names.all();
    const id = all.get(database);
    if (id === undefined) throw unknownDatabase(database, all.keys());
    return this.#namespace(id);
  }

  /** The name led to a dropped namespace: whoever dropped it may not have come to take the name. */
  async #forget(database: string, { head }: CatalogState): Promise<void> {
    this.#namespaces.delete(head.namespace);
    await this.#names.remove(database, head.namespace);
  }

  #namespace(id: NamespaceId): Namespace {
    const open = this.#namespaces.get(id) ?? this.#openNamespace(id);
    this.#namespaces.set(id, open);
    return open;
  }

  #openNamespace(namespace: NamespaceId): Namespace {
    const parts = { store: this.#store, clock: this.#clock, limits: this.#limits };
    const pages = new PageStore({ ...parts, cache: this.#cache }, namespace);
    const chain = new HeadChain({ ...parts, pages, namespace });
    return { chain, committer: new Committer(chain), pages };
  }

  #view(database: string, state: CatalogState, pages: PageStore): SnapshotView {
    const known = this.#views.get(state);
    if (known !== undefined && known.database === database) return known;
    const view = new SnapshotView(database, state, pages);
    this.#views.set(state, view);
    return view;
  }
}

function unknownDatabase(name: string, known: Iterable<string>): MusterError {
  return new MusterError(
    'UNKNOWN_DATABASE',
    `Database ${name} does not exist${suggestion(name, known)}`,
  );
}
