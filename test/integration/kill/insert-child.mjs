// A process that runs scripted inserts over a store and prints a line for each that was
// acknowledged. Told to, it kills itself (SIGKILL) just before or just after its n-th store call.
//
// Usage: node insert-child.mjs '{"store": {"url": ..., "endpoint": ...}, "inserts": [sql, ...], "killAt": n, "moment": ...}'

import { systemClock } from '../../../dist/base/clock.js';
import { openCatalog } from '../../../dist/catalog/catalog.js';
import { InProcessInvoker } from '../../../dist/engine/batch/in-process-invoker.js';
import { Engine } from '../../../dist/engine/engine.js';
import { createWorkerEnvironment } from '../../../dist/engine/worker/worker-environment.js';
import { openStore } from '../../../dist/object-store/open-store.js';
import { dyingStore } from './dying-store.mjs';

const task = JSON.parse(process.argv[2]);
const { url, endpoint } = task.store;
const opened = await openStore(url, { clock: systemClock, endpoint, probe: false });
const { store, calls } = dyingStore(opened, task);
const catalog = await openCatalog(store, { clock: systemClock });
const invoker = new InProcessInvoker(createWorkerEnvironment(store));
const engine = new Engine({ catalog, store, invoker });
console.log('ready');
for (const [i, text] of task.inserts.entries()) {
  await engine.execute({
    queryId: `insert-${i}`,
    text,
    database: 'kill',
    parameters: new Map(),
    settings: new Map(),
  });
  console.log(`acknowledged ${i}`);
}
// Merges of segments go on behind the inserts: their calls are counted too.
await engine.idle();
console.log(`calls ${calls()}`);
