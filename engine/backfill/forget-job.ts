// Removes a job: which files it has finished is forgotten, their rows stay. Running it again loads
// everything anew.

import type { QueryContext } from '../query-context.ts';
import type { BackfillJob } from './backfill-job.ts';
import { requireTarget } from './load-files.ts';
import { byteString } from './source-files.ts';

/** How many files it had finished. */
export async function forgetJob(job: BackfillJob, context: QueryContext): Promise<number> {
  const { catalog, deadline, signal } = context;
  const name = byteString(job.name);
  let files = 0;
  await catalog.commit(job.database, {
    deadline,
    signal,
    propose: async (snapshot) => {
      const { id } = requireTarget(job, snapshot.tables);
      files = (await snapshot.finishedFiles(id, name)).size;
      if (files === 0) return undefined;
      return { changes: [{ kind: 'remove-job', table: id, job: name }] };
    },
  });
  return files;
}
