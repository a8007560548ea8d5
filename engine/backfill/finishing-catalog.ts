// The catalog as the writer of a backfill's rows sees it: each commit of rows also says which files
// are finished with it, so that both happen or neither. Stands between the insert's writer and the
// real catalog; commits of codes alone pass through.

import type { Catalog } from '../../catalog/port.ts';
import type { Change, CommitRequest, FinishedFile } from '../../catalog/commit.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';

export class FinishingCatalog {
  readonly catalog: Catalog;
  readonly #files: () => readonly FinishedFile[];
  #outcome: 'committed' | 'taken' | undefined;

  /** `files`: asked when there is something to commit; all of one table and job. */
  constructor(catalog: Catalog, files: () => readonly FinishedFile[]) {
    this.#files = files;
    this.catalog = {
      databases: () => catalog.databases(),
      createDatabase: (name) => catalog.createDatabase(name),
      dropDatabase: (name) => catalog.dropDatabase(name),
      snapshot: (database) => catalog.snapshot(database),
      snapshotAt: (database, version) => catalog.snapshotAt(database, version),
      metered: (usage) => catalog.metered(usage),
      commit: (database, request) => catalog.commit(database, this.#withFiles(request)),
    };
  }

  /** `taken`: somebody else finished one of the files; nothing was written. */
  get outcome(): 'committed' | 'taken' | undefined {
    return this.#outcome;
  }

  /** For rows that were none: says the files alone. */
  async commitFiles(database: string, limits: Omit<CommitRequest, 'propose'>): Promise<void> {
    const propose = async () => ({ changes: [] });
    await this.catalog.commit(database, { ...limits, propose });
  }

  #withFiles(request: CommitRequest): CommitRequest {
    return {
      ...request,
      propose: async (snapshot, attempt) => {
        const proposal = await request.propose(snapshot, attempt);
        const isCodes = proposal?.changes.every(({ kind }) => kind === 'add-segment') ?? true;
        const isEmpty = proposal?.changes.length === 0;
        if (proposal === undefined || (isCodes && !isEmpty)) return proposal;
        const files = this.#files();
        this.#outcome = (await anyFinished(files, snapshot)) ? 'taken' : 'committed';
        if (this.#outcome === 'taken') return undefined;
        const finish = files.map((file): Change => ({ kind: 'finish-file', file }));
        return { ...proposal, changes: [...proposal.changes, ...finish] };
      },
    };
  }
}

async function anyFinished(files: readonly FinishedFile[], snapshot: Snapshot): Promise<boolean> {
  const [first] = files;
  if (first === undefined) return false;
  const finished = await snapshot.finishedFiles(first.table, first.job);
  return files.some(({ digest }) => finished.has(digest));
}
