// What functions are called with, and what they answer: our own events between root, workers and
// whoever invokes a function directly, told by `muster: 1`, and those of a Function URL (payload format
// 2.0). Bytes are base64 inside JSON, for that is all that Lambda carries.

import { batchFormat } from '../../engine/batch/batch.ts';
import { lambdaProtocol as protocol } from '../../engine/batch/lambda-event.ts';
import { musterVersion } from '../version.ts';

export type FunctionEvent =
  | { readonly kind: 'ping' }
  | { readonly kind: 'request'; readonly bytes: Uint8Array }
  | { readonly kind: 'insert'; readonly insert: InsertEvent }
  | { readonly kind: 'url'; readonly request: UrlEvent };

/** Rows come in the body, or lie in the store under inbox/, gzip if their key ends in .gz. */
export interface InsertEvent {
  readonly query: string;
  readonly data:
    | { readonly in: 'body'; readonly bytes: Uint8Array }
    | { readonly in: 'store'; readonly key: string };
}

/** The parts of Lambda's own event that count here. */
export interface UrlEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

/** Throws an Error that says what events there are. */
export function parseFunctionEvent(event: unknown): FunctionEvent {
  const fields = fieldsOf(event);
  if (fields['muster'] === undefined) return { kind: 'url', request: urlEvent(fields) };
  if (fields['muster'] !== protocol) {
    throw new Error(
      `Events of protocol ${JSON.stringify(fields['muster'])} are not spoken here: ${spoken}`,
    );
  }
  if (fields['ping'] === true) return { kind: 'ping' };
  if (typeof fields['request'] === 'string') {
    // Never from Node's pool: typed arrays become views of it.
    return { kind: 'request', bytes: new Uint8Array(Buffer.from(fields['request'], 'base64')) };
  }
  if (fields['insert'] !== undefined) {
    return { kind: 'insert', insert: insertEvent(fieldsOf(fields['insert'])) };
  }
  throw new Error(`The event is not understood: ${spoken}`);
}

export function pingReply() {
  return { muster: protocol, version: musterVersion, batchFormat };
}

export function requestReply(reply: Uint8Array) {
  const { buffer, byteOffset, length } = reply;
  const text = Buffer.from(buffer, byteOffset, length).toString('base64');
  return { muster: protocol, reply: text };
}

const spoken =
  'expected {"muster": 1} with "ping": true, "request": base64, or ' +
  '"insert": {"query", "body" or "key"}; or the event of a Function URL';

function insertEvent(fields: Fields): InsertEvent {
  const { query, body, key } = fields;
  if (typeof query !== 'string') throw new Error(`"insert" has no "query": ${spoken}`);
  if (typeof body === 'string') {
    return { query, data: { in: 'body', bytes: Buffer.from(body, 'base64') } };
  }
  if (typeof key === 'string') return { query, data: { in: 'store', key } };
  throw new Error(`"insert" has neither "body" nor "key": ${spoken}`);
}

function urlEvent(fields: Fields): UrlEvent {
  const http = fieldsOf(fieldsOf(fields['requestContext'])['http']);
  const { body, headers, rawPath, rawQueryString } = fields;
  const isUrlEvent =
    fields['version'] === '2.0' &&
    typeof http['method'] === 'string' &&
    typeof rawPath === 'string' &&
    typeof (rawQueryString ?? '') === 'string' &&
    typeof (body ?? '') === 'string' &&
    Object.values(fieldsOf(headers)).every((value) => typeof value === 'string');
  if (isUrlEvent) return { ...(fields as unknown as UrlEvent), headers: headersOf(headers) };
  throw new Error(`The event is not understood: ${spoken}`);
}

function headersOf(headers: unknown): UrlEvent['headers'] {
  return fieldsOf(headers) as UrlEvent['headers'];
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
