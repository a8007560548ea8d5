// A worker, or an inner node of the tree, as a function: requests of a root in, replies out, by Invoke
// alone. Failures of the work are replies; what is thrown here is a wrong event or a store that can't be
// opened.

import type { Clock } from '../../base/clock.ts';
import { encodeFailure } from '../../engine/batch/batch-codec.ts';
import { lambdaBytesMax } from '../../engine/batch/lambda-event.ts';
import { type ServiceOptions, serveInvocation } from '../../engine/worker/invocation-service.ts';
import type { WorkerEnvironment } from '../../engine/worker/worker-environment.ts';
import { FunctionCalls, type FunctionContext } from './function-call.ts';
import { parseFunctionEvent, pingReply, requestReply } from './function-event.ts';
import { Lifetime } from './lifetime.ts';

export interface OpenWorker {
  readonly worker: WorkerEnvironment;
  /** Of an inner node. */
  readonly branch?: ServiceOptions['branch'];
}

interface WorkerHandlerOptions {
  readonly open: () => Promise<OpenWorker>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Lambda's handler. Opening begins at once. */
export function workerHandler(options: WorkerHandlerOptions) {
  const lifetime = new Lifetime(options.open);
  const calls = new FunctionCalls(options);
  return async (event: unknown, context: FunctionContext) =>
    await calls.run(context, async (signal, notes) => {
      const parsed = parseFunctionEvent(event);
      notes['event'] = parsed.kind;
      if (parsed.kind === 'ping') return pingReply();
      if (parsed.kind !== 'request') {
        throw new Error(`This is a worker: it takes requests of a root, and no ${parsed.kind}`);
      }
      const reply = await answer(parsed.bytes, lifetime, signal);
      notes['requestBytes'] = parsed.bytes.length;
      notes['replyBytes'] = reply.length;
      return requestReply(reply);
    });
}

async function answer(
  request: Uint8Array,
  lifetime: Lifetime<OpenWorker>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const { worker, branch } = await lifetime.get(signal);
    const options = { signal, replyBytesMax: lambdaBytesMax };
    return await serveInvocation(
      request,
      worker,
      branch === undefined ? options : { ...options, branch },
    );
  } catch (error) {
    // As a reply it keeps its kind on the way: of what is thrown Lambda passes on the text alone.
    return encodeFailure(error);
  }
}
