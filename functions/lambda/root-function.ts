// The root function's entry: ClickHouse's HTTP behind a Function URL, sets evaluated by workers.

import { systemClock } from '../../base/clock.ts';
import { readEnvironment } from '../environment.ts';
import { openRoot } from './function-wiring.ts';
import { httpHandler } from './http-handler.ts';
import { streamingRuntime } from './response-stream.ts';

const environment = readEnvironment();

export const handler = httpHandler({
  open: () => openRoot(environment),
  clock: systemClock,
  log: (line) => process.stderr.write(`${line}\n`),
  streaming: streamingRuntime(environment),
});
