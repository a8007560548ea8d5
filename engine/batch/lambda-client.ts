// The only door to AWS Lambda's SDK in the engine: one Invoke, one attempt. The SDK's own retries are
// switched off, since they know neither deadlines nor what may be sent twice; sockets are as many as
// invocations fly at once (the SDK's default of 50 would hold the others back without a word).

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { NodeHttpHandler } from '@smithy/node-http-handler';

export interface LambdaClientOptions {
  /** Absent: where AWS's own tools look. */
  readonly region?: string | undefined;
  /** Instead of AWS's. */
  readonly endpoint?: string | undefined;
  readonly credentials?: LambdaCredentials | undefined;
  readonly socketsMax: number;
}

interface LambdaCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface LambdaReply {
  /** Of a function that failed; the payload says how. */
  readonly functionError: string | undefined;
  readonly payload: Uint8Array;
}

/** What Lambda itself, or the way there, raised. */
export interface LambdaFailure {
  /** AWS's name of the exception, or Node's code of a socket's error. */
  readonly name: string;
  readonly message: string;
  /** Absent where there was no answer. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
}

const connectionMsMax = 5000;

export class LambdaRequests {
  readonly #client: LambdaClient;
  readonly #agents: readonly (HttpAgent | HttpsAgent)[];

  constructor({ region, endpoint, credentials, socketsMax }: LambdaClientOptions) {
    const pool = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: socketsMax };
    const [httpAgent, httpsAgent] = [new HttpAgent(pool), new HttpsAgent(pool)];
    this.#agents = [httpAgent, httpsAgent];
    this.#client = new LambdaClient({
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler({
        httpAgent,
        httpsAgent,
        connectionTimeout: connectionMsMax,
        // The queries' own deadlines end waiting for replies.
        requestTimeout: 0,
      }),
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
    });
  }

  /** `payload`: JSON. Rejects as the SDK does: see `failureOf`. */
  async invoke(
    functionName: string,
    payload: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<LambdaReply> {
    const command = new InvokeCommand({ FunctionName: functionName, Payload: payload });
    const options = signal === undefined ? {} : { abortSignal: signal };
    const reply = await this.#client.send(command, options);
    return {
      functionError: reply.FunctionError,
      payload: reply.Payload ?? new Uint8Array(0),
    };
  }

  /** After a freeze all that were idle may be closed at the other end, and none of them says so. */
  dropIdleSockets(): void {
    for (const agent of this.#agents) {
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    }
  }

  close(): void {
    this.#client.destroy();
  }
}

export function failureOf(error: unknown): LambdaFailure {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: String(error), status: undefined, retryAfterMs: undefined };
  }
  const fields = error as Error & {
    readonly code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly retryAfterSeconds?: string;
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  };
  const retryAfter = fields.retryAfterSeconds ?? fields.$response?.headers?.['retry-after'];
  const seconds = Number(retryAfter ?? Number.NaN);
  return {
    name: fields.code ?? error.name,
    message: error.message,
    status: fields.$metadata?.httpStatusCode,
    retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined,
  };
}
