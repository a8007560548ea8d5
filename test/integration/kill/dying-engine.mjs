// An engine over a store that counts its calls and kills its own process (SIGKILL) just before or just
// after one of them.

import { systemClock } from '../../../dist/base/clock.js';
import { openCatalog } from '../../../dist/catalog/catalog.js';
import { InProcessInvoker } from '../../../dist/engine/batch/in-process-invoker.js';
import { Engine } from '../../../dist/engine/engine.js';
import { createWorkerEnvironment } from '../../../dist/engine/worker/worker-environment.js';
import { openStore } from '../../../dist/object-store/open-store.js';

const storeCalls = ['read', 'create', 'put', 'writer', 'list', 'remove'];
const writerCalls = ['write', 'finish', 'abort'];

/**
 * `killAt`: from 1, over all calls, those of writers too; undefined: never. `calls()`: how many there have
 * been.
 */
export async function dyingEngine({ store: { url, endpoint }, killAt, moment }) {
  const opened = await openStore(url, { clock: systemClock, endpoint, probe: false });
  const { store, calls } = dyingStore(opened, { killAt, moment });
  const catalog = await openCatalog(store, { clock: systemClock });
  const invoker = new InProcessInvoker(createWorkerEnvironment(store));
  return { engine: new Engine({ catalog, store, invoker }), calls };
}

function dyingStore(store, { killAt, moment }) {
  let calls = 0;
  const counted = (inner, names) => {
    const outer = { id: inner.id };
    for (const name of names) {
      outer[name] = async (...args) => {
        const mine = ++calls;
        if (mine === killAt && moment === 'before') process.kill(process.pid, 'SIGKILL');
        const result = await inner[name](...args);
        if (mine === killAt && moment === 'after') process.kill(process.pid, 'SIGKILL');
        return name === 'writer' ? counted(result, writerCalls) : result;
      };
    }
    return outer;
  };
  return { store: counted(store, storeCalls), calls: () => calls };
}
