// Names of databases: namespace 0 maps them to ids. A cached id needs no look at namespace 0, since
// ids are never given again and a dropped namespace's own last head says so.

import { Committer } from './committer.ts';
import type { CatalogIo, HeadChain } from './head-chain.ts';
import type { NamespaceId } from './schema.ts';

export class DatabaseNames {
  readonly #chain: HeadChain;
  readonly #committer: Committer;

  constructor(chain: HeadChain) {
    this.#chain = chain;
    this.#committer = new Committer(chain);
  }

  /** No request; perhaps behind. */
  cached(name: string): NamespaceId | undefined {
    return this.#chain.known?.contents.databases.get(name);
  }

  /** One probe. In byte order of names. */
  async all(io?: CatalogIo): Promise<ReadonlyMap<string, NamespaceId>> {
    const state = await this.#chain.refresh(io);
    return state.contents.databases;
  }

  /** Gives the name a new namespace; false where it has one, unless that is `dead`. */
  async create(name: string, dead: NamespaceId | undefined, io: CatalogIo): Promise<boolean> {
    let created = false;
    await this.#committer.commit({
      io,
      propose: async ({ head, contents }) => {
        const old = contents.databases.get(name);
        created = old === undefined || old === dead;
        if (!created) return undefined;
        const create = { kind: 'create-namespace', id: head.nextNamespaceId, name } as const;
        if (old === undefined) return { changes: [create] };
        return { changes: [{ kind: 'drop-namespace', id: old }, create] };
      },
    });
    return created;
  }

  /** Takes the name from a namespace; false where it had been taken before. */
  async remove(name: string, id: NamespaceId, io: CatalogIo): Promise<boolean> {
    let removed = false;
    await this.#committer.commit({
      io,
      propose: async ({ contents }) => {
        removed = contents.databases.get(name) === id;
        return removed ? { changes: [{ kind: 'drop-namespace', id }] } : undefined;
      },
    });
    return removed;
  }
}
