// A process that runs scripted inserts over a store and prints a line for each that was
// acknowledged. Told to, it kills itself (SIGKILL) just before or just after its n-th store call.
//
// Usage: node insert-child.mjs '{"store": {"url": ..., "endpoint": ...}, "inserts": [sql, ...], "killAt": n, "moment": ...}'

import { dyingEngine } from './dying-engine.mjs';

const task = JSON.parse(process.argv[2]);
const { engine, calls } = await dyingEngine(task);
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
