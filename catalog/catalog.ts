// The catalog over an object store: databases, snapshots and commits (snapshot.ts has the contract,
// SPEC.md the bytes and the protocol). One per process and store: it keeps what it has read.

import { type Clock, systemClock } from '../base/clock.ts';
import { MusterError } from '../base/errors.ts';
import { suggestion } from '../base/nearest-name.ts';
import { MeteredStore, type StoreUsage } from '../object-store/metered-store.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { type CatalogState, loadState } from './catalog-state.ts';
import type { CommitRequest, CommitResult } from './commit.ts';
import { Committer } from './committer.ts';
import { DatabaseNames } from './database-names.ts';
import { type CatalogIo, HeadChain } from './head-chain.ts';
import { headPrefix, rootNamespace, startUpProbePrefix } from './keys.ts';
import { type CatalogLimits, defaultLimits } from './limits.ts';
import { PageCache, PageStore } from './page-store.ts';
import type { Catalog } from './port.ts';
import type { CatalogVersion, NamespaceId } from './schema.ts';
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
  const catalog = new StoreCatalog(sharedParts(store, options));
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

function sharedParts(store: ObjectStore, options: CatalogOptions): Shared {
  const clock = options.clock ?? systemClock;
  const limits = { ...defaultLimits, ...options.limits };
  const cache = options.pageCache ?? new PageCache(limits.pageCacheBytes);
  const parts = { store, clock, limits, cache };
  const root = openNamespace(parts, rootNamespace);
  const names = new DatabaseNames(root.chain);
  return { ...parts, root, names, namespaces: new Map(), views: new WeakMap() };
}

function openNamespace(
  { store, clock, limits, cache }: Pick<Shared, 'store' | 'clock' | 'limits' | 'cache'>,
  namespace: NamespaceId,
): Namespace {
  const pages = new PageStore({ store, clock, cache }, namespace);
  const chain = new HeadChain({ store, clock, limits, pages, namespace });
  return { chain, committer: new Committer(chain), pages };
}

/** What a catalog and its metered forms have in common: all that is known of the store. */
interface Shared {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly limits: CatalogLimits;
  readonly cache: PageCache;
  readonly root: Namespace;
  readonly names: DatabaseNames;
  readonly namespaces: Map<NamespaceId, Namespace>;
  readonly views: WeakMap<CatalogState, SnapshotView>;
}

class StoreCatalog implements Catalog {
  readonly #shared: Shared;
  /** The way to the store that requests of this catalog's calls go. */
  readonly #store: ObjectStore;

  constructor(shared: Shared, store: ObjectStore = shared.store) {
    this.#shared = shared;
    this.#store = store;
  }

  async open(): Promise<void> {
    const { root, store } = this.#shared;
    if ((await root.chain.list()) !== undefined) return;
    await refuseForeignStore(store);
    if ((await root.chain.list()) === undefined) await root.chain.create();
  }

  metered(usage: StoreUsage): Catalog {
    return new StoreCatalog(this.#shared, new MeteredStore(this.#shared.store, usage));
  }

  async databases(): Promise<readonly string[]> {
    return [...(await this.#names.all(this.#rootIo)).keys()];
  }

  /** Its chain begins at once, so that the first commit is one PUT. */
  async createDatabase(name: string): Promise<boolean> {
    const old = (await this.#names.all(this.#rootIo)).get(name);
    const dead = old !== undefined && (await this.#refresh(this.#namespace(old))).head.tombstone;
    if (old !== undefined && !dead) return false;
    const created = await this.#names.create(name, old, this.#rootIo);
    if (created) await this.#begin(name);
    return created;
  }

  /** The namespace's own last head decides; the name goes after it. */
  async dropDatabase(name: string): Promise<boolean> {
    const id = (await this.#names.all(this.#rootIo)).get(name);
    if (id === undefined) return false;
    let dropped = false;
    const namespace = this.#namespace(id);
    await namespace.committer.commit({
      io: this.#io(namespace),
      propose: async ({ head }) => {
        dropped = !head.tombstone;
        return dropped ? { changes: [{ kind: 'tombstone' }] } : undefined;
      },
    });
    await this.#names.remove(name, id, this.#rootIo);
    return dropped;
  }

  async snapshot(database: string): Promise<Snapshot> {
    for (;;) {
      const namespace = await this.#find(database);
      const state = await this.#refresh(namespace);
      if (!state.head.tombstone) return this.#view(database, state, namespace);
      await this.#forget(database, state);
    }
  }

  async snapshotAt(database: string, version: number): Promise<Snapshot> {
    const newest = await this.snapshot(database);
    if (newest.version === version) return newest;
    const namespace = this.#namespace(newest.namespace);
    const io = this.#io(namespace);
    const isPast = Number.isInteger(version) && version >= 1 && version < newest.version;
    const found = isPast
      ? await namespace.chain.readHead(version as CatalogVersion, io)
      : undefined;
    if (found === undefined) throw unknownVersion(database, version, newest.version);
    return this.#view(database, await loadState(io.pages, found.head), namespace);
  }

  async commit(database: string, request: CommitRequest): Promise<CommitResult> {
    for (;;) {
      const namespace = await this.#find(database);
      let dead: CatalogState | undefined;
      const { state, lostRaces } = await namespace.committer.commit({
        ...request,
        io: this.#io(namespace),
        propose: async (base, attempt) => {
          dead = base.head.tombstone ? base : undefined;
          if (dead !== undefined) return undefined;
          return request.propose(this.#view(database, base, namespace), attempt);
        },
      });
      if (dead === undefined) {
        return { snapshot: this.#view(database, state, namespace), lostRaces };
      }
      await this.#forget(database, dead);
    }
  }

  /** The name is given whatever happens here: a chain that is not begun is begun by its first user. */
  async #begin(database: string): Promise<void> {
    try {
      await this.#refresh(await this.#find(database));
    } catch (error) {
      if (!(error instanceof MusterError)) throw error;
    }
  }

  /** From memory where the name is known. */
  async #find(database: string): Promise<Namespace> {
    const cached = this.#names.cached(database);
    if (cached !== undefined) return this.#namespace(cached);
    const all = await this.#names.all(this.#rootIo);
    const id = all.get(database);
    if (id === undefined) throw unknownDatabase(database, all.keys());
    return this.#namespace(id);
  }

  /** The name led to a dropped namespace: whoever dropped it may not have come to take the name. */
  async #forget(database: string, { head }: CatalogState): Promise<void> {
    this.#shared.namespaces.delete(head.namespace);
    await this.#names.remove(database, head.namespace, this.#rootIo);
  }

  get #names(): DatabaseNames {
    return this.#shared.names;
  }

  #namespace(id: NamespaceId): Namespace {
    const { namespaces } = this.#shared;
    const open = namespaces.get(id) ?? openNamespace(this.#shared, id);
    namespaces.set(id, open);
    return open;
  }

  #view(database: string, state: CatalogState, namespace: Namespace): SnapshotView {
    const { views } = this.#shared;
    const known = views.get(state);
    const usable = known !== undefined && known.database === database;
    const view = usable ? known : new SnapshotView(database, state, namespace.pages);
    if (!usable) views.set(state, view);
    return this.#isMetered ? view.through(this.#io(namespace).pages) : view;
  }

  #refresh(namespace: Namespace): Promise<CatalogState> {
    return namespace.chain.refresh(this.#io(namespace));
  }

  get #isMetered(): boolean {
    return this.#store !== this.#shared.store;
  }

  get #rootIo(): CatalogIo {
    return this.#io(this.#shared.root);
  }

  #io({ pages }: Namespace): CatalogIo {
    return { store: this.#store, pages: this.#isMetered ? pages.through(this.#store) : pages };
  }
}

function unknownVersion(database: string, version: number, newest: number): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `Version ${version} of database ${database} is not kept: the newest is ${newest}, and older ` +
      'ones are kept for hours',
  );
}

function unknownDatabase(name: string, known: Iterable<string>): MusterError {
  return new MusterError(
    'UNKNOWN_DATABASE',
    `Database ${name} does not exist${suggestion(name, known)}`,
  );
}
