// One query over HTTP, from the request's first byte to the answer's last: reads what is asked,
// lets the engine execute it, formats the answer. A client that goes away aborts the engine's work.

import type { Clock } from '../../base/clock.ts';
import { MusterError } from '../../base/errors.ts';
import { formatResult, outputFormat } from '../../engine/formats/output.ts';
import type { QueryResult } from '../../engine/query.ts';
import type { QueryEngine } from '../query-engine.ts';
import { chooseEncoding } from './answer-encoding.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { multipartBoundary, parseMultipart } from './multipart.ts';
import { checkUser, type QueryParameters, readQueryParameters } from './query-parameters.ts';
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
  readonly parameters: QueryParameters;
  readonly statement: Statement;
  readonly readOnly: boolean;
}

/** Never rejects: whatever goes wrong is the answer. */
export async function handleQuery(exchange: Exchange, options: HandlerOptions): Promise<void> {
  const stop = new AbortController();
  options.running.add(stop);
  const signal = AbortSignal.any([exchange.gone, stop.signal]);
  let responder = responderFor(exchange, options);
  try {
    checkUser(exchange);
    const request = await readRequest(exchange);
    responder = responderFor(exchange, options, request.parameters);
    const result = await execute(request, options, { signal, queryId: responder.queryId });
    await responder.answer(answerOf(result, request.parameters));
  } catch (error) {
    await responder.error(error);
  } finally {
    options.running.delete(stop);
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
  exchange: Exchange,
  options: HandlerOptions,
  parameters?: QueryParameters,
): QueryResponder {
  const accepted = headerOf(exchange.headers, 'accept-encoding');
  return new QueryResponder(exchange.reply, {
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

async function* nothing(): AsyncGenerator<Uint8Array> {}
