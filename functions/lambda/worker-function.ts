// The worker function's entry: what Lambda gives it, and the handler that Lambda calls.

import { systemClock } from '../../base/clock.ts';
import { readEnvironment } from '../environment.ts';
import { openWorker } from './function-wiring.ts';
import { workerHandler } from './worker-handler.ts';

const environment = readEnvironment();

export const handler = workerHandler({
  open: () => openWorker(environment),
  clock: systemClock,
  log: (line) => process.stderr.write(`${line}\n`),
});
