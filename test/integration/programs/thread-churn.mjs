// Starts, uses and closes worker threads over and over, in a process of its own, for what goes wrong here
// ends a process without a word. Arguments: store, rounds, and `kept` to end with threads alive.

import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../dist/base/clock.js';
import { batchFormat } from '../../../dist/engine/batch/batch.js';
import { dispatch } from '../../../dist/engine/batch/dispatch.js';
import { slicesOf } from '../../../dist/engine/batch/slices.js';
import { ThreadInvoker } from '../../../dist/engine/batch/thread-invoker.js';

const [store, rounds, ending] = process.argv.slice(2);
const path = fileURLToPath(
  new URL('../../../dist/functions/worker-thread-main.js', import.meta.url),
);

/** Literal sets alone: bitmaps are made and dropped by the thousand, and nothing is read. */
function batchOf(rows) {
  const codes = Uint32Array.from({ length: 200 }, (_, i) => i);
  const ids = {
    keys: { domain: 'integer', values: BigUint64Array.from(codes, (code) => BigInt(code) * 977n) },
    offsets: Uint32Array.of(0, 120, 200),
    ordinals: codes,
  };
  return {
    format: batchFormat,
    namespace: 0,
    queryId: 'churn',
    deadline: systemClock.now() + 60_000,
    sources: [],
    dictionaries: [
      { dictionary: 0, domain: 'integer', groups: 2, nextCodes: [0, 0], segments: [] },
    ],
    sets: [
      { op: 'raw', dictionary: 0, ids },
      {
        op: 'fold',
        how: 'xor',
        of: 0,
        offsets: Uint32Array.from({ length: rows + 1 }, (_, i) => i * 2),
        index: Int32Array.from({ length: rows * 2 }, (_, i) => i % 2),
      },
    ],
    fragments: [],
    asks: [{ ask: 'card', of: 1 }],
  };
}

const batch = batchOf(3000);
const slices = slicesOf(batch);
let invoker;
for (let round = 0; round < Number(rounds); round++) {
  invoker = new ThreadInvoker({ threads: 2, program: { path, data: { store } } });
  const { answers } = await dispatch(batch, slices, invoker);
  if (answers[0].counts[0] !== 200) throw new Error(`${answers[0].counts[0]} members`);
  // In the middle of work as often as not.
  const asked = dispatch(batch, slices, invoker).catch(() => {});
  if (round % 2 === 0) await asked;
  if (ending !== 'kept' || round < Number(rounds) - 1) await invoker.close();
  await asked;
}
console.log('done');
if (ending === 'kept') process.exit(0);
