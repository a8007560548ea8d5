// A function that speaks ClickHouse's HTTP behind a Function URL: the root, and the one for ingest. The
// edge is the same as `muster serve`'s; here events become exchanges. What can't be opened is told in
// the answer, and tried again by the next call.

import type { Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { HttpEdge } from '../http/edge.ts';
import { describeError } from '../http/error-text.ts';
import { type Reply, replyText } from '../http/exchange.ts';
import { handleRequest } from '../http/router.ts';
import { type CallNotes, FunctionCalls, type FunctionContext } from './function-call.ts';
import {
  type FunctionEvent,
  type InsertEvent,
  parseFunctionEvent,
  pingReply,
  type UrlEvent,
} from './function-event.ts';
import { Lifetime } from './lifetime.ts';
import { StreamedReply, type StreamingRuntime } from './response-stream.ts';
import type { TimeLimit } from './time-limit.ts';
import { GatheredReply, type UrlReply, urlExchange } from './url-exchange.ts';

export interface OpenFunction {
  readonly edge: HttpEdge;
  /** Told of each call's time. */
  readonly limit?: TimeLimit;
  /** Of a function that takes INSERTs by Invoke. */
  readonly insert?: (insert: InsertEvent, signal: AbortSignal) => Promise<object>;
}

interface HttpHandlerOptions {
  readonly open: () => Promise<OpenFunction>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Replies are streamed by it; absent: gathered. */
  readonly streaming?: StreamingRuntime | undefined;
}

/** Lambda's handler, of the kind that `streaming` asks for. Opening begins at once. */
export function httpHandler(options: HttpHandlerOptions): unknown {
  const lifetime = new Lifetime(options.open);
  const calls = new FunctionCalls(options);
  const { streaming } = options;
  if (streaming === undefined) {
    return async (event: unknown, context: FunctionContext) =>
      await calls.run(context, async (signal, notes) => {
        const parsed = parse(event, notes);
        const call = { lifetime, context, signal, notes };
        if (parsed.kind !== 'url') return await answerDirectly(parsed, call);
        return await gathered(parsed.request, call);
      });
  }
  return streaming.streamifyResponse(
    async (event: unknown, stream: Writable, context: FunctionContext) =>
      await calls.run(context, async (signal, notes) => {
        const parsed = parse(event, notes);
        if (parsed.kind === 'url') {
          const reply = new StreamedReply(streaming, stream);
          await answerUrl(parsed.request, { reply, gone: signal, lifetime, context });
        } else {
          const call = { lifetime, context, signal, notes };
          stream.end(JSON.stringify(await answerDirectly(parsed, call)));
        }
      }),
  );
}

function parse(event: unknown, notes: CallNotes): FunctionEvent {
  const parsed = parseFunctionEvent(event);
  notes['event'] = parsed.kind;
  return parsed;
}

interface Call {
  readonly lifetime: Lifetime<OpenFunction>;
  readonly context: FunctionContext;
  readonly signal: AbortSignal;
  readonly notes: CallNotes;
}

async function gathered(event: UrlEvent, call: Call): Promise<UrlReply> {
  const { lifetime, context, signal, notes } = call;
  const tooLong = new AbortController();
  const reply = new GatheredReply((error) => tooLong.abort(error));
  const gone = AbortSignal.any([signal, tooLong.signal]);
  await answerUrl(event, { reply, gone, lifetime, context });
  const { whole } = reply;
  notes['status'] = whole.statusCode;
  notes['replyBytes'] = whole.body.length;
  return whole;
}

async function answerDirectly(
  parsed: Exclude<FunctionEvent, { readonly kind: 'url' }>,
  call: Call,
): Promise<object> {
  if (parsed.kind === 'ping') return pingReply();
  const { insert, limit } = await call.lifetime.get(call.signal);
  limit?.begin(call.context.getRemainingTimeInMillis());
  if (parsed.kind === 'insert' && insert !== undefined) {
    return await insert(parsed.insert, call.signal);
  }
  const other = parsed.kind === 'insert' ? 'ingest' : 'worker';
  throw new Error(
    `This function takes requests of its URL, and no ${parsed.kind}: call the ${other} function`,
  );
}

interface UrlAnswer {
  readonly reply: Reply;
  readonly gone: AbortSignal;
  readonly lifetime: Lifetime<OpenFunction>;
  readonly context: FunctionContext;
}

async function answerUrl(event: UrlEvent, answer: UrlAnswer): Promise<void> {
  const exchange = urlExchange(event, answer.reply, answer.gone);
  let opened: OpenFunction;
  try {
    opened = await answer.lifetime.get(answer.gone);
  } catch (error) {
    const { http, text } = describeError(error);
    await replyText(exchange, http, text);
    return;
  }
  opened.limit?.begin(answer.context.getRemainingTimeInMillis());
  await handleRequest(exchange, opened.edge);
}
