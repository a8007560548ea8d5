// What the raw replies of a store say beside what the SDK makes of them: their date, the bucket's
// region, and whether a store answered at all. A proxy's web page parses as an empty listing or a
// finished upload, so it is refused before the SDK sees it.

import { assert } from '../base/assert.ts';
import { S3Failure, s3FailureOf } from './s3-failure.ts';

export interface S3Body extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/** On Node a body is a Readable, which the SDK's types don't promise. */
export function asBody(body: unknown): S3Body {
  assert(isBody(body), 'the SDK gives bodies that can be iterated and destroyed');
  return body;
}

/** A reply that nobody waits for any more must not keep its socket. */
export function discardBody(output: object): void {
  const body = property(output, 'Body');
  if (isBody(body)) body.destroy();
}

function isBody(body: unknown): body is S3Body {
  return typeof property(body, 'destroy') === 'function';
}

/** The Date header, ms since the epoch; undefined without one that can be read. */
export function replyDate(response: unknown): number | undefined {
  const date = Date.parse(headerOf(response, 'date') ?? '');
  return Number.isNaN(date) ? undefined : date;
}

/** The bucket's region, where a reply that refuses another one tells it. */
function regionTold(error: unknown): string | undefined {
  const inHeader = headerOf(property(error, '$response'), 'x-amz-bucket-region');
  const told = inHeader ?? property(error, 'Region');
  return typeof told === 'string' && /^[a-z0-9-]{1,40}$/.test(told) ? told : undefined;
}

/** A web page in the place of a store's answer. */
class ForeignReply extends Error {
  readonly status: number;

  constructor(status: number, server: string | undefined) {
    const who = server === undefined ? '' : ` from ${server.slice(0, 60)}`;
    super(`a web page${who} instead of an answer`);
    this.status = status;
  }
}

/**
 * Throws on a web page, whatever its status, and on a refusal in plain text: S3's are XML. To be
 * called before anything reads the body.
 */
export function refuseForeignReply(response: unknown): void {
  const type = headerOf(response, 'content-type') ?? '';
  const status = Number(property(response, 'statusCode'));
  if (!/^text\/html\b/i.test(type) && !(status >= 300 && /^text\/plain\b/i.test(type))) return;
  const body = property(response, 'body');
  if (isBody(body)) body.destroy();
  const server = headerOf(response, 'server') ?? headerOf(response, 'via');
  throw new ForeignReply(status, server);
}

/** Any error of the SDK's as a failure of `request`. */
export function replyFailure(error: unknown, request: string): S3Failure {
  if (!(error instanceof ForeignReply)) {
    const date = replyDate(property(error, '$response'));
    return s3FailureOf(error, request, { date, region: regionTold(error) });
  }
  const { status, message } = error;
  const code = 'ForeignReply';
  return new S3Failure({ kind: foreignKind(status), request, status, code, detail: message });
}

/** A gateway's error may pass; a page instead of data, or a refusal, needs somebody to act. */
function foreignKind(status: number) {
  if (status >= 500 || status === 429) return 'transient';
  return status >= 400 ? 'refused' : 'malformed';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function headerOf(response: unknown, name: string): string | undefined {
  const text = property(property(response, 'headers'), name);
  return typeof text === 'string' ? text : undefined;
}
