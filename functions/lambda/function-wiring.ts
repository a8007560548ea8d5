// Functions, wired: from the environment that Lambda gives them to what they work with. The store was
// probed by who deployed them.

import { systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { createWorkerEnvironment } from '../../engine/worker/worker-environment.ts';
import { openStore } from '../../object-store/open-store.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { Configuration } from '../cli/configuration.ts';
import type { Environment } from '../environment.ts';
import { cacheBytesOf, identityOf } from './function-environment.ts';
import type { OpenWorker } from './worker-handler.ts';

export async function openWorker(environment: Environment): Promise<OpenWorker> {
  const store = await openFunctionStore(Configuration.read({}, environment));
  const cacheBytesMax = cacheBytesOf(environment);
  const identity = identityOf(environment, process.pid);
  return { worker: createWorkerEnvironment(store, { cacheBytesMax, identity }) };
}

/** BAD_ARGUMENTS where none is named. */
async function openFunctionStore(configuration: Configuration): Promise<ObjectStore> {
  const url = configuration.text('store');
  if (url === undefined) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'This function has no MUSTER_STORE: deploy it with --store s3://bucket/prefix',
    );
  }
  const [endpoint, region] = [configuration.text('endpoint'), configuration.text('region')];
  return await openStore(url, { clock: systemClock, endpoint, region, probe: false });
}
