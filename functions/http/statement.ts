// The statement of a request and the data behind it: text of the URL, a line end, the body. Of an
// INSERT the text ends where the data begins; the data streams, and is never decoded as text.

import { insertHead, isInsert, isUndecided } from './insert-head.ts';
import { readWhole, statementBytesMax, tooLarge } from './request-body.ts';

export interface Statement {
  readonly text: string;
  /** Of an INSERT with data. */
  readonly body?: AsyncIterable<Uint8Array>;
}

export async function readStatement(
  query: string,
  body: AsyncGenerator<Uint8Array>,
): Promise<Statement> {
  let bytes = Buffer.from(query === '' ? '' : `${query}\n`, 'utf8');
  let last = false;
  // The body decides what the statement is only if the URL does not.
  while (!last && isUndecided(bytes)) {
    const next = await body.next();
    if (next.done === true) last = true;
    else bytes = Buffer.concat([bytes, next.value]);
    if (bytes.length > statementBytesMax && isUndecided(bytes)) throw tooLarge(statementBytesMax);
  }
  if (isInsert(bytes)) return readInsert(bytes, body, last);
  if (last) return { text: bytes.toString('utf8') };
  if (bytes.length > statementBytesMax) throw tooLarge(statementBytesMax);
  const rest = await readWhole(body, statementBytesMax - bytes.length);
  return { text: Buffer.concat([bytes, rest]).toString('utf8') };
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
        text: bytes.toString('utf8', 0, head.textEnd),
        body: dataFrom(bytes.subarray(head.dataAt), body),
      };
    }
    if (last) return { text: bytes.toString('utf8') };
    if (bytes.length > statementBytesMax) throw tooLarge(statementBytesMax);
    const next = await body.next();
    if (next.done === true) last = true;
    else bytes = Buffer.concat([bytes, next.value]);
  }
}

async function* dataFrom(
  first: Buffer,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* rest;
}
