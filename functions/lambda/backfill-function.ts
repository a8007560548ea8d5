// The backfill function's entry: files of a bucket into a table, by Invoke, as the item processor of
// a Step Functions Distributed Map, or as S3 tells of new objects.

import { systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { Configuration } from '../cli/configuration.ts';
import { readEnvironment } from '../environment.ts';
import { runBackfillWorker } from '../backfill/backfill-worker.ts';
import { cacheBytesOf } from './function-environment.ts';
import { backfillHandler } from './backfill-handler.ts';

const environment = readEnvironment();
const configuration = Configuration.read({}, environment);

export const handler = backfillHandler({
  clock: systemClock,
  configured: environment['MUSTER_BACKFILL'],
  work: async ({ files, job }, hooks) => {
    const store = configuration.text('store');
    if (store === undefined) {
      throw new MusterError('BAD_ARGUMENTS', 'This function has no MUSTER_STORE');
    }
    const [endpoint, region] = [configuration.text('endpoint'), configuration.text('region')];
    const share = { index: 0, of: 1 };
    const place = { ...files, endpoint, region };
    await runBackfillWorker(
      {
        store: { store, endpoint, region },
        files: place,
        job,
        share,
        dictionaryBytesMax: cacheBytesOf(environment),
      },
      hooks,
    );
  },
});
