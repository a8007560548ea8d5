// The statement of a request and the data behind it: text of the URL, a line end, the body. Of an
// INSERT the text ends where the data begins; the data streams, and is never decoded as text.

import { isUtf8 } from 'node:buffer';
import { MusterError } from '../../base/errors.ts';
import { insertHead, isInsert, isUndecided } from './insert-head.ts';
import { readWhole, statementBytesMax, tooLarge } from './request-body.ts';

export interface Statement {
  readonly text: string;
  /** Of an INSERT with data. */
  readonly body?: AsyncIterable<Uint8Array>;
}

/** `query`: what the URL says of it. QUERY_IS_TOO_LARGE beyond `statementBytesMax`, data not counted. */
export async function readStatement(
  query: string,
  body: AsyncGenerator<Uint8Array>,
): Promise<Statement> {
  let bytes: Buffer = Buffer.from(query === '' ? '' : `${query}\n`, 'utf8');
  let last = false;
  // The body decides what the statement is only if the URL does not.
  while (!last && isUndecided(bytes)) {
    ({ bytes, last } = await grown(bytes, body));
    if (bytes.length > statementBytesMax && isUndecided(bytes)) throw tooLarge(statementBytesMax);
  }
  if (isInsert(bytes)) return readInsert(bytes, body, last);
  if (last) return { text: textOf(bytes) };
  if (bytes.length > statementBytesMax) throw tooLarge(statementBytesMax);
  const rest = await readWhole(body, statementBytesMax - bytes.length);
  return { text: textOf(Buffer.concat([bytes, rest])) };
}

async function readInsert(
  start: Buffer,
  body: AsyncGenerator<Uint8Array>,
  ended: boolean,
): Promise<Statement> {
  let bytes = start;
  let last = ended;
  for (;;) {
    const head = insertHead(bytes, last);
    if (head.kind === 'data') {
      return {
        text: textOf(bytes.subarray(0, head.textEnd)),
        body: dataFrom(bytes.subarray(head.dataAt), body),
      };
    }
    if (last) return { text: textOf(bytes) };
    if (bytes.length > statementBytesMax) throw tooLarge(statementBytesMax);
    ({ bytes, last } = await grown(bytes, body));
  }
}

/**
 * More of the statement, by an eighth at least: it is looked at from its beginning each time, and a
 * client may send it byte by byte.
 */
async function grown(
  bytes: Buffer,
  body: AsyncGenerator<Uint8Array>,
): Promise<{ readonly bytes: Buffer; readonly last: boolean }> {
  const chunks: Uint8Array[] = [bytes];
  let length = bytes.length;
  for (;;) {
    const next = await body.next();
    if (next.done === true) return { bytes: Buffer.concat(chunks, length), last: true };
    chunks.push(next.value);
    length += next.value.length;
    if (length > bytes.length * 1.125) break;
  }
  return { bytes: Buffer.concat(chunks, length), last: false };
}

async function* dataFrom(
  first: Buffer,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* rest;
}

/** Bytes that are no UTF-8 would become others on the way. NOT_IMPLEMENTED. */
function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new MusterError(
    'NOT_IMPLEMENTED',
    "The statement has bytes that are no UTF-8; in texts, write them as '\\xFF'",
  );
}
