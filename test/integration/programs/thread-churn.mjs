// Starts, uses and closes worker threads over and over, in a process of its own, for what goes wrong here
// ends a process without a word. Arguments: store, rounds, and `kept` to end with threads alive.

import { fileURLToPath } from 'node:url';
import { literalBatch } from '../../../dist/bench/literal-batch.js';
import { dispatch } from '../../../dist/engine/batch/dispatch.js';
import { slicesOf } from '../../../dist/engine/batch/slices.js';
import { ThreadInvoker } from '../../../dist/engine/batch/thread-invoker.js';

const [store, rounds, ending] = process.argv.slice(2);
const path = fileURLToPath(
  new URL('../../../dist/functions/worker-thread-main.js', import.meta.url),
);

// Literal sets alone: bitmaps are made and dropped by the thousand, and nothing is read.
const batch = literalBatch(3000);
const slices = slicesOf(batch);
let invoker;
for (let round = 0; round < Number(rounds); round++) {
  invoker = new ThreadInvoker({ threads: 2, program: { path, data: { store } } });
  const { answers } = await dispatch(batch, slices, invoker);
  if (answers[0].counts[0] !== 400) throw new Error(`${answers[0].counts[0]} members`);
  // In the middle of work as often as not.
  const asked = dispatch(batch, slices, invoker).catch(() => {});
  if (round % 2 === 0) await asked;
  if (ending !== 'kept' || round < Number(rounds) - 1) await invoker.close();
  await asked;
}
console.log('done');
if (ending === 'kept') process.exit(0);
