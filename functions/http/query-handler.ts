// One query over HTTP, from the request's first byte to the answer's last: reads what is asked,
// lets the engine execute it, formats the answer. A client that goes away aborts the engine's work.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { outputFormat } from '../../engine/formats/output.ts';
import type { QueryEnd, QueryResult } from '../../engine/query.ts';
import { formattedRows } from '../formatted-rows.ts';
import { kindOf, type QueryRecord } from '../query-record.ts';
import { chooseEncoding } from './answer-encoding.ts';
import { readCredentials } from './credentials.ts';
import { answerHeaders } from './cross-origin.ts';
import type { HttpEdge } from './edge.ts';
import { knownError } from './error-text.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { multipartBoundary, parseMultipart } from './multipart.ts';
import { type QueryParameters, readQueryParameters } from './query-parameters.ts';
import { type Answer, QueryResponder } from './query-responder.ts';
import { readWhole, requestBody, statementBytesMax } from './request-body.ts';
import { readStatement, type Statement } from './statement.ts';

interface Request {
  readonly parameters: QueryParameters;
  readonly statement: Statement;
  readonly readOnly: boolean;
}

/** What is known of a query so far; becomes its record. */
interface Progress {
  user: string;
  waitedMs: number;
  request: Request | undefined;
  end: QueryEnd | undefined;
  failure: unknown;
}

/** Never rejects: whatever goes wrong is the answer. Who observes the edge is told at the end. */
export async function handleQuery(exchange: Exchange, edge: HttpEdge): Promise<void> {
  const started = edge.clock.monotonic();
  const { signal, end } = edge.begin(exchange.gone);
  const progress: Progress = {
    user: '',
    waitedMs: 0,
    request: undefined,
    end: undefined,
    failure: undefined,
  };
  const ids = { queryId: newQueryId(edge.clock), exceptionTag: newExceptionTag(edge.clock) };
  let responder = responderFor(exchange, edge, ids);
  try {
    if (edge.draining) throw stopping();
    progress.user = edge.users.authenticate(readCredentials(exchange));
    const request = await readRequest(exchange);
    progress.request = request;
    responder = responderFor(exchange, edge, ids, request.parameters);
    await admitted(edge, { signal, request, progress }, async () => {
      const result = await execute(request, edge, { signal, responder, progress });
      await responder.answer(answerOf(result, request.parameters));
    });
    if (exchange.gone.aborted) progress.failure = exchange.gone.reason;
  } catch (error) {
    progress.failure = error;
    await responder.error(error);
  } finally {
    end();
    const elapsedMs = edge.clock.monotonic() - started;
    edge.observe(recordOf(exchange, progress, { queryId: responder.queryId, elapsedMs }));
  }
}

async function admitted(
  edge: HttpEdge,
  query: {
    readonly signal: AbortSignal;
    readonly request: Request;
    readonly progress: Progress;
  },
  run: () => Promise<void>,
): Promise<void> {
  const { signal, request, progress } = query;
  const asked = edge.clock.monotonic();
  const seconds = Number(request.parameters.settings.get('max_execution_time') ?? 0);
  const leave = await edge.admission.enter(signal, seconds > 0 ? seconds * 1000 : undefined);
  progress.waitedMs = edge.clock.monotonic() - asked;
  try {
    await run();
  } finally {
    leave();
  }
}

async function readRequest(exchange: Exchange): Promise<Request> {
  const readOnly = exchange.method === 'GET';
  const body = requestBody(exchange);
  const boundary = multipartBoundary(headerOf(exchange.headers, 'content-type'));
  if (boundary === undefined) {
    const parameters = readQueryParameters(exchange);
    const statement = await readStatement(parameters.query, body);
    return { parameters, statement, readOnly };
  }
  const fields = parseMultipart(await readWhole(body, statementBytesMax), boundary);
  const parameters = readQueryParameters(exchange, fields);
  const statement = await readStatement(parameters.query, nothing());
  return { parameters, statement, readOnly };
}

function execute(
  request: Request,
  edge: HttpEdge,
  run: {
    readonly signal: AbortSignal;
    readonly responder: QueryResponder;
    readonly progress: Progress;
  },
): Promise<QueryResult> {
  const { parameters, statement, readOnly } = request;
  const { signal, responder, progress } = run;
  if (statement.text.trim() === '') {
    throw new MusterError('SYNTAX_ERROR', 'Syntax error: empty query');
  }
  return edge.engine.execute({
    queryId: responder.queryId,
    user: progress.user,
    text: statement.text,
    database: parameters.database,
    parameters: parameters.parameters,
    settings: parameters.settings,
    defaultFormat: parameters.defaultFormat,
    signal,
    readOnly,
    onEnd: (end) => {
      progress.end = end;
    },
    ...(statement.body === undefined ? {} : { body: statement.body }),
  });
}

function answerOf(result: QueryResult, parameters: QueryParameters): Answer {
  const { statistics, cost } = result;
  if (result.kind === 'done') {
    const { name, contentType } = outputFormat('TabSeparated');
    return { format: name, contentType, chunks: [], statistics, cost };
  }
  const { defaultFormat: format, settings } = parameters;
  return { ...formattedRows(result, { format, settings }), statistics, cost };
}

function responderFor(
  exchange: Exchange,
  edge: HttpEdge,
  ids: { readonly queryId: string; readonly exceptionTag: string },
  parameters?: QueryParameters,
): QueryResponder {
  const accepted = headerOf(exchange.headers, 'accept-encoding');
  return new QueryResponder(exchange.reply, {
    ...ids,
    queryId: parameters?.queryId || ids.queryId,
    encoding: chooseEncoding(parameters?.enableCompression ?? false, accepted),
    waitForEnd: parameters?.waitEndOfQuery ?? false,
    headers: answerHeaders(exchange, edge.users),
  });
}

function recordOf(
  exchange: Exchange,
  progress: Progress,
  end: { readonly queryId: string; readonly elapsedMs: number },
): QueryRecord {
  const { request, failure } = progress;
  const text = request?.statement.text ?? '';
  return {
    ...end,
    user: progress.user,
    database: request?.parameters.database ?? '',
    text,
    kind: kindOf(text),
    waitedMs: progress.waitedMs,
    statistics: progress.end?.statistics,
    cost: progress.end?.cost,
    error: failure === undefined ? undefined : knownError(failure),
    client: exchange.client,
    interface: exchange.interface,
  };
}

/** 16 characters that no answer holds by chance. */
function newExceptionTag(clock: Pick<Clock, 'randomId'>): string {
  return clock.randomId().slice(0, 16);
}

/** A UUID, as ClickHouse makes them. */
function newQueryId(clock: Pick<Clock, 'randomId'>): string {
  const digits = clock.randomId();
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
  return [...parts, `a${digits.slice(17, 20)}`, digits.slice(20)].join('-');
}

function stopping(): MusterError {
  return new MusterError('NETWORK_ERROR', 'The server stops: send the query again, or elsewhere');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
