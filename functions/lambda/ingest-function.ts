// The ingest function's entry: INSERT alone, behind a Function URL of its own or by Invoke.

import { systemClock } from '../../base/clock.ts';
import { readEnvironment } from '../environment.ts';
import { openIngest } from './function-wiring.ts';
import { httpHandler } from './http-handler.ts';
import { streamingRuntime } from './response-stream.ts';

const environment = readEnvironment();

export const handler = httpHandler({
  open: () => openIngest(environment),
  clock: systemClock,
  log: (line) => process.stderr.write(`${line}\n`),
  streaming: streamingRuntime(environment),
});
