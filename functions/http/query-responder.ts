// Writes the answer of one query to the connection: headers, small answers whole and with their
// length, long ones in chunks as the client takes them. When an answer breaks after its first bytes
// are out, it ends with ClickHouse's exception block and a broken connection, never as if whole.

import { MusterError } from '../../base/errors.ts';
import { costJson, type QueryCost } from '../../engine/cost/query-cost.ts';
import type { QueryStatistics } from '../../engine/query.ts';
import { displayName } from '../version.ts';
import { type AnswerEncoding, compressedReply, compressedWhole } from './answer-encoding.ts';
import { describeError } from './error-text.ts';
import type { Reply, ReplyHeaders } from './exchange.ts';

/** Answers up to here are sent whole. */
const bufferBytesMax = 1024 * 1024;
/** And up to here if the client asked to wait for the end. */
const waitingBytesMax = 512 * 1024 * 1024;
const exceptionBytesMax = 16 * 1024;
const retryAfterSeconds = 1;

interface ResponderOptions {
  readonly queryId: string;
  /** 16 characters that no answer holds by chance. */
  readonly exceptionTag: string;
  readonly encoding: AnswerEncoding;
  /** Whatever its size, send nothing before the end. */
  readonly waitForEnd: boolean;
  /** Of every answer, besides its own. */
  readonly headers: ReplyHeaders;
}

export interface Answer {
  readonly format: string;
  readonly contentType: string;
  readonly chunks: Iterable<Uint8Array>;
  readonly statistics: QueryStatistics;
  readonly cost: QueryCost;
}

export class QueryResponder {
  readonly #options: ResponderOptions;
  #reply: Reply;

  constructor(reply: Reply, options: ResponderOptions) {
    this.#reply = reply;
    this.#options = options;
  }

  get queryId(): string {
    return this.#options.queryId;
  }

  /** Resolves when the answer is out or the client is gone. */
  async answer(answer: Answer): Promise<void> {
    const chunks = answer.chunks[Symbol.iterator]();
    const gathered: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const next = chunks.next();
      if (next.done === true) {
        await this.#whole(answer, Buffer.concat(gathered, length));
        return;
      }
      gathered.push(next.value);
      length += next.value.length;
      if (length > waitingBytesMax) throw tooLong();
      if (length > bufferBytesMax && !this.#options.waitForEnd) break;
    }
    await this.#stream(answer, gathered, chunks);
  }

  /** After the first byte of an answer only the exception block is left. */
  async error(error: unknown): Promise<void> {
    const reply = this.#reply;
    if (reply.closed) return;
    if (reply.begun) {
      await this.#breakOff(error);
      return;
    }
    const { http, code, text } = describeError(error);
    const body = Buffer.from(text, 'utf8');
    reply.head(http, {
      ...this.#headers(),
      'Content-Type': 'text/plain; charset=UTF-8',
      'X-ClickHouse-Exception-Code': code,
      ...(http === 429 || http === 503 ? { 'Retry-After': retryAfterSeconds } : {}),
      'Content-Length': body.length,
    });
    await reply.end(body);
  }

  async #whole(answer: Answer, body: Buffer): Promise<void> {
    const { encoding } = this.#options;
    const bytes = encoding === 'identity' ? body : compressedWhole(body, encoding);
    this.#reply.head(200, {
      ...this.#answerHeaders(answer, body.length),
      'Content-Length': bytes.length,
    });
    await this.#reply.end(bytes);
  }

  async #stream(
    answer: Answer,
    first: readonly Uint8Array[],
    rest: Iterator<Uint8Array>,
  ): Promise<void> {
    this.#reply.head(200, this.#answerHeaders(answer, 0));
    const { encoding } = this.#options;
    if (encoding !== 'identity') this.#reply = compressedReply(encoding, this.#reply);
    const reply = this.#reply;
    for (const chunk of first) await reply.write(chunk);
    for (;;) {
      const next = rest.next();
      if (reply.closed) return;
      if (next.done === true) break;
      await reply.write(next.value);
    }
    await reply.end();
  }

  async #breakOff(error: unknown): Promise<void> {
    const { exceptionTag } = this.#options;
    const text = describeError(error).text.slice(0, exceptionBytesMax - 1);
    const message = text.endsWith('\n') ? text : `${text}\n`;
    const length = Buffer.byteLength(message);
    const block =
      `\r\n__exception__\r\n${exceptionTag}\r\n${message}` +
      `${length} ${exceptionTag}\r\n__exception__\r\n`;
    await this.#reply.write(Buffer.from(block, 'utf8'));
    await this.#reply.breakOff();
  }

  #answerHeaders(answer: Answer, resultBytes: number): ReplyHeaders {
    const { encoding } = this.#options;
    return {
      ...this.#headers(),
      'Content-Type': answer.contentType,
      'X-ClickHouse-Format': answer.format,
      'X-ClickHouse-Summary': summary(answer.statistics, resultBytes),
      'X-Muster-Cost': costJson(answer.cost),
      ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
    };
  }

  #headers(): ReplyHeaders {
    return {
      ...this.#options.headers,
      'X-ClickHouse-Server-Display-Name': displayName,
      'X-ClickHouse-Query-Id': headerValue(this.#options.queryId),
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Exception-Tag': this.#options.exceptionTag,
    };
  }
}

/** The same where a header can hold it; else its odd characters are escaped. */
function headerValue(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  // By way of bytes, for half a surrogate pair can't be escaped.
  return encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'));
}

function tooLong(): MusterError {
  return new MusterError(
    'TOO_MANY_ROWS_OR_BYTES',
    `The answer is longer than ${waitingBytesMax} bytes: ask without wait_end_of_query`,
  );
}

function summary(statistics: QueryStatistics, resultBytes: number): string {
  return JSON.stringify({
    read_rows: String(statistics.readRows),
    read_bytes: String(statistics.readBytes),
    written_rows: String(statistics.writtenRows),
    written_bytes: String(statistics.writtenBytes),
    total_rows_to_read: String(statistics.readRows),
    result_rows: String(statistics.resultRows),
    result_bytes: String(resultBytes),
    elapsed_ns: String(Math.round(statistics.elapsedNs)),
  });
}
