// A process that loads the files of a directory into a table. Told to, it kills itself (SIGKILL) just
// before or just after its n-th store call; if it lives on, it prints how many calls there were.
//
// Usage: node backfill-child.mjs '{"store": {"url": ..., "endpoint": ...}, "folder": ..., "job": ..., "killAt": n, "moment": ...}'

import { systemClock } from '../../../dist/base/clock.js';
import { openCatalog } from '../../../dist/catalog/catalog.js';
import { directorySource } from '../../../dist/engine/backfill/directory-source.js';
import { runBackfill } from '../../../dist/engine/backfill/run-backfill.js';
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
await runBackfill({
  engine,
  source: directorySource(task.folder),
  job: task.job,
  clock: systemClock,
  signal: new AbortController().signal,
  share: { index: 0, of: 1 },
  onEvent: () => {},
});
// Merges go on behind the commits: their calls are counted too.
await engine.idle();
console.log(`calls ${calls()}`);
