// Lambda's Invoke endpoint, as strict as the real one where it matters here: 6 MB each way, throttling
// with its reasons, function errors that are HTTP 200, time-outs, lost and late replies. Its functions
// are our own worker handler, in this process. Signatures are not checked.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { workerHandler } from '../../../functions/lambda/worker-handler.ts';
import type { ObjectStore } from '../../../object-store/port.ts';
import { BreakableServer } from './breakable-server.ts';

export type LambdaFault =
  /** HTTP status, AWS's name of the exception, and what Retry-After says. */
  | {
      readonly fault: 'error';
      readonly status: number;
      readonly type: string;
      readonly message?: string;
      readonly retryAfter?: number;
    }
  /** HTTP 200 with FunctionError. */
  | { readonly fault: 'function error'; readonly type: string; readonly message: string }
  /** Runs the function, then breaks the socket. */
  | { readonly fault: 'lost reply' }
  /** Breaks the socket, and runs nothing. */
  | { readonly fault: 'reset' }
  /** Never answers. */
  | { readonly fault: 'stall' }
  /** Runs the function twice, as may happen to retried events. */
  | { readonly fault: 'runs twice' }
  /** Answers what the first call answered. */
  | { readonly fault: 'foreign' };

const payloadBytesMax = 6 * 1024 * 1024;
const path = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

type Handler = ReturnType<typeof workerHandler>;

interface FakeLambdaOptions {
  readonly functions?: readonly string[];
  readonly clock?: Clock;
}

export class FakeLambda extends BreakableServer<LambdaFault> {
  readonly #handlers: ReadonlyMap<string, Handler>;
  #first: string | undefined;
  #running = 0;
  /** Names of the functions that ran, in order. */
  readonly invoked: string[] = [];
  runningMax = 0;

  private constructor(store: ObjectStore, options: FakeLambdaOptions) {
    super();
    const { functions = ['worker'], clock = systemClock } = options;
    this.#handlers = new Map(
      functions.map((name) => {
        const identity = { name, memoryMb: 1769 };
        const worker = createWorkerEnvironment(store, { clock, identity });
        return [name, workerHandler({ open: async () => ({ worker }), clock, log: () => {} })];
      }),
    );
  }

  static async start(store: ObjectStore, options: FakeLambdaOptions = {}): Promise<FakeLambda> {
    const lambda = new FakeLambda(store, options);
    await lambda.listen();
    return lambda;
  }

  protected override async receive(
    request: IncomingMessage,
    response: ServerResponse,
    fault: LambdaFault | undefined,
  ): Promise<void> {
    if (fault?.fault === 'reset') return void request.socket.destroy();
    const chunks: Uint8Array[] = [];
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
    if (fault?.fault === 'stall') return;
    if (fault?.fault === 'error') return refuse(response, fault);
    if (fault?.fault === 'function error') return failed(response, fault);
    const name = decodeURIComponent(path.exec(request.url ?? '')?.[1] ?? '');
    const handler = this.#handlers.get(name);
    if (handler === undefined) {
      const message = `Function not found: arn:aws:lambda:us-east-1:0:function:${name}`;
      return refuse(response, { status: 404, type: 'ResourceNotFoundException', message });
    }
    const payload = Buffer.concat(chunks);
    if (payload.length > payloadBytesMax) {
      return refuse(response, { status: 413, type: 'RequestTooLargeException' });
    }
    const event: unknown = JSON.parse(payload.toString());
    if (fault?.fault === 'runs twice') await this.#run(name, handler, event);
    this.#answer(response, await this.#run(name, handler, event), fault);
  }

  #answer(response: ServerResponse, reply: string, fault: LambdaFault | undefined): void {
    this.#first ??= reply;
    if (fault?.fault === 'lost reply') return void response.socket?.destroy();
    if (reply.length > payloadBytesMax) {
      const message = `Response payload size exceeded maximum allowed payload size (${payloadBytesMax} bytes).`;
      return failed(response, { type: 'Function.ResponseSizeTooLarge', message });
    }
    response.end(fault?.fault === 'foreign' ? this.#first : reply);
  }

  async #run(name: string, handler: Handler, event: unknown): Promise<string> {
    this.invoked.push(name);
    this.#running++;
    this.runningMax = Math.max(this.runningMax, this.#running);
    try {
      const context = {
        awsRequestId: 'one',
        functionName: name,
        getRemainingTimeInMillis: () => 60_000,
      };
      return JSON.stringify(await handler(event, context));
    } finally {
      this.#running--;
    }
  }
}

function refuse(
  response: ServerResponse,
  error: {
    readonly status: number;
    readonly type: string;
    readonly message?: string;
    readonly retryAfter?: number;
  },
): void {
  const { status, type, message = type, retryAfter } = error;
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  response.setHeader('x-amzn-errortype', type);
  response.writeHead(status).end(JSON.stringify({ Type: 'User', message }));
}

function failed(
  response: ServerResponse,
  error: { readonly type: string; readonly message: string },
): void {
  response.setHeader('x-amz-function-error', 'Unhandled');
  response.end(JSON.stringify({ errorType: error.type, errorMessage: error.message }));
}
