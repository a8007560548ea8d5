// One query over HTTP, from the request's first byte to the answer's last: reads what is asked,
// lets the engine execute it, formats the answer. A client that goes away aborts the engine's work.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { formatResult, outputFormat } from '../../engine/formats/output.ts';
import type { QueryResult } from '../../engine/query.ts';
import type { QueryEngine } from '../query-engine.ts';
import { chooseEncoding } from './answer-encoding.ts';
import { multipartBoundary, parseMultipart } from './multipart.ts';
import {
  checkUser,
  header,
  type QueryParameters,
  readQueryParameters,
} from './query-parameters.ts';
import { type Answer, QueryResponder } from './query-responder.ts';
import { readWhole, requestBody, statementBytesMax } from './request-body.ts';
import { readStatement, type Statement } from './statement.ts';

export interface HandlerOptions {
  readonly engine: QueryEngine;
  readonly clock: Pick<Clock, 'randomId'>;
  /** One for each query that runs; a server that stops aborts them. */
  readonly running: Set<AbortController>;
}

interface Request {
  readonly head: { readonly url: string; readonly headers: IncomingMessage['headers'] };
  readonly parameters: QueryParameters;
  readonly statement: Statement;
  readonly readOnly: boolean;
}

/** Never rejects: whatever goes wrong is the answer. */
export async function handleQuery(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HandlerOptions,
): Promise<void> {
  const gone = new AbortController();
  options.running.add(gone);
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(clientGone());
  });
  const head = { url: incoming.url ?? '/', headers: incoming.headers };
  let responder = responderFor(outgoing, head, options);
  try {
    checkUser(head);
    const request = await readRequest(incoming, head);
    responder = responderFor(outgoing, head, options, request.parameters);
    const run = { signal: gone.signal, queryId: responder.queryId };
    const result = await execute(request, options, run);
    await responder.answer(answerOf(result, request.parameters));
  } catch (error) {
    await responder.error(error);
  } finally {
    options.running.delete(gone);
  }
  // What is left of a body that failed half-way must not stand before the next request.
  if (!incoming.readableEnded) incoming.resume();
}

async function readRequest(incoming: IncomingMessage, head: Request['head']): Promise<Request> {
  const readOnly = incoming.method === 'GET';
  const body = requestBody(incoming);
  const boundary = multipartBoundary(incoming.headers['content-type']);
  if (boundary === undefined) {
    const parameters = readQueryParameters(head);
    const statement = await readStatement(parameters.query, body);
    return { head, parameters, statement, readOnly };
  }
  const fields = parseMultipart(await readWhole(body, statementBytesMax), boundary);
  const parameters = readQueryParameters(head, fields);
  const statement = await readStatement(parameters.query, nothing());
  return { head, parameters, statement, readOnly };
}

function execute(
  request: Request,
  options: HandlerOptions,
  run: { readonly signal: AbortSignal; readonly queryId: string },
): Promise<QueryResult> {
  const { parameters, statement, readOnly } = request;
  if (statement.text.trim() === '') {
    throw new MusterError('SYNTAX_ERROR', 'Syntax error: empty query');
  }
  return options.engine.execute({
    queryId: run.queryId,
    text: statement.text,
    database: parameters.database,
    parameters: parameters.parameters,
    settings: parameters.settings,
    signal: run.signal,
    readOnly,
    ...(statement.body === undefined ? {} : { body: statement.body }),
  });
}

function answerOf(result: QueryResult, parameters: QueryParameters): Answer {
  const { statistics } = result;
  if (result.kind === 'done') {
    const { name, contentType } = outputFormat('TabSeparated');
    return { format: name, contentType, chunks: [], statistics };
  }
  const { name, contentType } = outputFormat(result.format ?? parameters.defaultFormat);
  const { rowsBeforeLimit } = result;
  const settings = new Map([...parameters.settings, ...(result.settings ?? [])]);
  const chunks = formatResult(name, result, {
    settings,
    statistics,
    ...(rowsBeforeLimit === undefined ? {} : { rowsBeforeLimit }),
  });
  return { format: name, contentType, chunks, statistics };
}

function responderFor(
  outgoing: ServerResponse,
  head: Request['head'],
  options: HandlerOptions,
  parameters?: QueryParameters,
): QueryResponder {
  const accepted = header(head, 'accept-encoding');
  return new QueryResponder(outgoing, {
    queryId: parameters?.queryId || newQueryId(options.clock),
    exceptionTag: options.clock.randomId().slice(0, 16),
    encoding: chooseEncoding(parameters?.enableCompression ?? false, accepted),
    waitForEnd: parameters?.waitEndOfQuery ?? false,
  });
}

/** A UUID, as ClickHouse makes them. */
function newQueryId(clock: Pick<Clock, 'randomId'>): string {
  const digits = clock.randomId();
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
  return [...parts, `a${digits.slice(17, 20)}`, digits.slice(20)].join('-');
}

function clientGone(): MusterError {
  return new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled: the client is gone');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
