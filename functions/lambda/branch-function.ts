// The branch function's entry: an inner node of fan-outs that are too large for the root alone.

import { systemClock } from '../../base/clock.ts';
import { readEnvironment } from '../environment.ts';
import { openBranch } from './function-wiring.ts';
import { workerHandler } from './worker-handler.ts';

const environment = readEnvironment();

export const handler = workerHandler({
  open: () => openBranch(environment),
  clock: systemClock,
  log: (line) => process.stderr.write(`${line}\n`),
});
