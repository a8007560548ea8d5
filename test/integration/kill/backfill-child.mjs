// A process that loads the files of a directory into a table. Told to, it kills itself (SIGKILL) just
// before or just after its n-th store call; if it lives on, it prints how many calls there were.
//
// Usage: node backfill-child.mjs '{"store": {"url": ..., "endpoint": ...}, "folder": ..., "job": ..., "killAt": n, "moment": ...}'

import { systemClock } from '../../../dist/base/clock.js';
import { directorySource } from '../../../dist/engine/backfill/directory-source.js';
import { runBackfill } from '../../../dist/engine/backfill/run-backfill.js';
import { dyingEngine } from './dying-engine.mjs';

const task = JSON.parse(process.argv[2]);
const { engine, calls } = await dyingEngine(task);
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
