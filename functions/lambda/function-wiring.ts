// Functions, wired: from the environment that Lambda gives them to what they work with. Variables are
// those of `muster serve`, users come in muster.json beside the code. The store was probed by who
// deployed them.

import { systemClock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { runBranch } from '../../engine/batch/fan-out/branch.ts';
import { InProcessInvoker } from '../../engine/batch/in-process-invoker.ts';
import type { Invoker } from '../../engine/batch/invoker.ts';
import { Engine } from '../../engine/engine.ts';
import { createWorkerEnvironment } from '../../engine/worker/worker-environment.ts';
import { openStore } from '../../object-store/open-store.ts';
import type { ObjectStore } from '../../object-store/port.ts';
import { Configuration } from '../cli/configuration.ts';
import { logLevelOf, usersOf, workerPoolOf } from '../cli/serve-configuration.ts';
import type { Environment } from '../environment.ts';
import { consolePage } from '../http/console-page.ts';
import { HttpEdge } from '../http/edge.ts';
import { probeOf } from '../http/health.ts';
import { openLog } from '../log.ts';
import { functionFileServices } from '../file-services.ts';
import type { QueryEngine } from '../query-engine.ts';
import { openServedCatalog } from '../served-catalog.ts';
import { openInvoker } from '../worker-pool.ts';
import { insertDirectly } from './direct-insert.ts';
import { cacheBytesOf, functionSizeOf, identityOf } from './function-environment.ts';
import type { OpenFunction } from './http-handler.ts';
import { insertOnly } from './insert-only.ts';
import { TimeLimit } from './time-limit.ts';
import type { OpenWorker } from './worker-handler.ts';

const clock = systemClock;

export async function openWorker(environment: Environment): Promise<OpenWorker> {
  const store = await openFunctionStore(Configuration.read({}, environment));
  const cacheBytesMax = cacheBytesOf(environment);
  const identity = identityOf(environment, process.pid);
  return { worker: createWorkerEnvironment(store, { cacheBytesMax, identity }) };
}

/** An inner node of large fan-outs: it asks workers, and merges what they reply. */
export async function openBranch(environment: Environment): Promise<OpenWorker> {
  const configuration = Configuration.read({}, environment);
  const { worker } = await openWorker(environment);
  const { store } = worker;
  const invoker = await invokerOf(configuration, environment, store);
  return {
    worker,
    branch: async (request, batch, signal) =>
      await runBranch(request, batch, { invoker, clock, store, signal }),
  };
}

/** Any statement, its sets evaluated by worker functions where there are some. */
export async function openRoot(environment: Environment): Promise<OpenFunction> {
  const { edge, limit } = await openEdge(environment, (engine) => engine);
  return { edge, limit };
}

/** INSERT alone: by HTTP, and by Invoke. */
export async function openIngest(environment: Environment): Promise<OpenFunction> {
  const { edge, limit, store } = await openEdge(environment, insertOnly);
  return {
    edge,
    limit,
    insert: async (event, signal) =>
      await insertDirectly(event, {
        engine: edge.engine,
        store,
        queryId: clock.randomId(),
        signal,
      }),
  };
}

async function openEdge(environment: Environment, restrict: (engine: QueryEngine) => QueryEngine) {
  const configuration = Configuration.read({}, environment);
  const store = await openFunctionStore(configuration);
  const catalog = await openServedCatalog(store, clock);
  const invoker = await invokerOf(configuration, environment, store);
  const cacheBytesMax = Math.floor(cacheBytesOf(environment) / 2);
  const functionSize = functionSizeOf(environment, process.arch);
  const { endpoint, region } = storeAddress(configuration);
  const files = functionFileServices({ clock, endpoint, region });
  const engine = new Engine({
    catalog,
    store,
    invoker,
    clock,
    cacheBytesMax,
    functionSize,
    files,
  });
  // Written at once: what waits when the answer is out waits until the next question.
  const log = openLog({ level: logLevelOf(configuration, 'info'), destination: process.stderr });
  const limit = new TimeLimit(clock);
  const edge = new HttpEdge({
    engine: limit.over(restrict(engine)),
    clock,
    users: usersOf(configuration),
    observers: [(record) => log.query(record)],
    probe: probeOf(store),
    page: consolePage,
  });
  return { edge, limit, store };
}

/** Without worker functions the function works alone: in its own time, which is counted already. */
async function invokerOf(
  configuration: Configuration,
  environment: Environment,
  store: ObjectStore,
): Promise<Invoker> {
  if (configuration.get('lambdaFunctions') === undefined) {
    const cacheBytesMax = Math.floor(cacheBytesOf(environment) / 2);
    const identity = { ...identityOf(environment, process.pid), memoryMb: 0 };
    return new InProcessInvoker(createWorkerEnvironment(store, { cacheBytesMax, identity }));
  }
  return await openInvoker(workerPoolOf(configuration), store, storeAddress(configuration));
}

/** BAD_ARGUMENTS where none is named. */
async function openFunctionStore(configuration: Configuration): Promise<ObjectStore> {
  const { store: url, endpoint, region } = storeAddress(configuration);
  return await openStore(url, { clock, endpoint, region, probe: false });
}

function storeAddress(configuration: Configuration) {
  const store = configuration.text('store');
  if (store === undefined) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'This function has no MUSTER_STORE: deploy it with --store s3://bucket/prefix',
    );
  }
  const [endpoint, region] = [configuration.text('endpoint'), configuration.text('region')];
  return { store, endpoint, region };
}
