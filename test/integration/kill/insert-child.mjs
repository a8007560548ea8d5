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

const task = JSON.parse(process.argv[2]);
let calls = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
}

/** A store, or a writer of one, that counts its calls and dies at the chosen one. */
function counted(inner, names) {
  const outer = { id: inner.id };
  for (const name of names) {
    outer[name] = async (...args) => {
      const mine = ++calls;
      if (mine === task.killAt && task.moment === 'before') die();
      const result = await inner[name](...args);
      if (mine === task.killAt && task.moment === 'after') die();
      return name === 'writer' ? counted(result, ['write', 'finish', 'abort']) : result;
    };
  }
  return outer;
}

const { url, endpoint } = task.store;
const opened = await openStore(url, { clock: systemClock, endpoint, probe: false });
const store = counted(opened, ['read', 'create', 'put', 'writer', 'list', 'remove']);
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
console.log(`calls ${calls}`);
