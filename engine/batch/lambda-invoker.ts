// Work done by AWS Lambda functions. Lambda itself finds or starts an environment for each invocation;
// with several functions the affinity key chooses one, so that what an environment has cached is met
// again more often than by chance.
//
// Lambda runs an invocation to its end whatever becomes of its caller: cancelling ends the waiting, and
// the deadline inside the request ends the work.

import { type Clock, systemClock } from '../../base/clock.ts';
import { cancelled } from '../worker/pacer.ts';
import type { InvokeOptions, Invoker } from './invoker.ts';
import { failureOf, type LambdaClientOptions, LambdaRequests } from './lambda-client.ts';
import { encodeRequestEvent, lambdaBytesMax } from './lambda-event.ts';
import { outcomeOfError, outcomeOfReply } from './lambda-outcome.ts';
import { type Outcome, untilReply } from './remote-attempts.ts';
import { rankedFor } from './rendezvous.ts';

interface LambdaInvokerOptions extends Omit<LambdaClientOptions, 'socketsMax'> {
  /** Names or ARNs. */
  readonly functions: readonly string[];
  /** Of inner nodes; absent: no tree. */
  readonly branchFunction?: string | undefined;
  /** Invocations side by side, over all functions. */
  readonly concurrency: number;
  /** As in Invoker. */
  readonly invocationMsMin?: number;
  readonly clock?: Clock;
}

/** Functions that are called alike, over one client. */
class FunctionPool implements Invoker {
  readonly isRemote = true;
  readonly requestBytesMax = lambdaBytesMax;
  readonly replyBytesMax = lambdaBytesMax;
  readonly parallelism: number;
  readonly #functions: readonly string[];
  readonly #requests: LambdaRequests;
  readonly #clock: Clock;
  #turn = 0;

  constructor(
    functions: readonly string[],
    way: {
      readonly parallelism: number;
      readonly requests: LambdaRequests;
      readonly clock: Clock;
    },
  ) {
    this.parallelism = way.parallelism;
    this.#functions = functions;
    this.#requests = way.requests;
    this.#clock = way.clock;
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    const event = encodeRequestEvent(request);
    const ranked = rankedFor(options.affinity ?? `${this.#turn++}`, this.#functions);
    return await untilReply(
      async (number, signal) => {
        const name = this.#functions[ranked[number % ranked.length] as number] as string;
        return await this.#send(name, event, signal);
      },
      options,
      this.#clock,
    );
  }

  async close(): Promise<void> {}

  async #send(name: string, event: Uint8Array, signal: AbortSignal | undefined): Promise<Outcome> {
    try {
      return outcomeOfReply(name, await this.#requests.invoke(name, event, signal));
    } catch (error) {
      if (signal?.aborted === true) throw cancelled(signal);
      if (isReset(error)) this.#requests.dropIdleSockets();
      return outcomeOfError(name, error);
    }
  }
}

export class LambdaInvoker implements Invoker {
  readonly isRemote = true;
  readonly requestBytesMax = lambdaBytesMax;
  readonly replyBytesMax = lambdaBytesMax;
  readonly parallelism: number;
  readonly slots: number;
  readonly invocationMsMin: number;
  readonly branch?: Invoker;
  readonly #requests: LambdaRequests;
  readonly #workers: FunctionPool;

  constructor({ functions, branchFunction, concurrency, ...options }: LambdaInvokerOptions) {
    const { clock = systemClock } = options;
    this.parallelism = concurrency;
    this.slots = concurrency;
    this.invocationMsMin = options.invocationMsMin ?? 0;
    const requests = new LambdaRequests({ ...options, socketsMax: concurrency });
    const way = { parallelism: concurrency, requests, clock };
    this.#requests = requests;
    this.#workers = new FunctionPool(functions, way);
    if (branchFunction !== undefined) this.branch = new FunctionPool([branchFunction], way);
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    return await this.#workers.invoke(request, options);
  }

  async close(): Promise<void> {
    this.#requests.close();
  }
}

function isReset(error: unknown): boolean {
  const { name } = failureOf(error);
  return name === 'ECONNRESET' || name === 'EPIPE';
}
