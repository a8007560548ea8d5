// A server over HTTP: Muster's, or ClickHouse's own. Aborting a statement breaks its connection,
// which tells the server to stop.

import { once } from 'node:events';
import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { UnreachableError, UsageError } from '../exit-codes.ts';
import {
  type Answer,
  type Ask,
  type Connection,
  StatementError,
  type Summary,
} from './connection.ts';
import { parseErrorText, withoutException } from './error-answer.ts';

interface HttpConnectionOptions {
  /** May hold user and password, which win over the ones here. */
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

type Protocol = Pick<typeof http, 'request' | 'Agent'>;

const authenticationFailed = 516;
const errorBytesMax = 64 * 1024;

export class HttpConnection implements Connection {
  /** Without user, password and parameters. */
  readonly place: string;
  readonly #url: URL;
  readonly #authorization: string | undefined;
  readonly #agent: Agent;
  readonly #request: typeof http.request;

  private constructor(url: URL, options: HttpConnectionOptions, protocol: Protocol) {
    const user = decoded(url.username) || options.user;
    const password = decoded(url.password) || options.password;
    if (user !== undefined || password !== undefined) {
      const pair = `${user ?? 'default'}:${password ?? ''}`;
      this.#authorization = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
    }
    url.username = '';
    url.password = '';
    this.#url = url;
    // What follows may be a password, too.
    this.place = `${url.origin}${url.pathname}`.replace(/\/$/, '');
    this.#agent = new protocol.Agent({ keepAlive: true });
    this.#request = protocol.request;
  }

  /** Throws UsageError for a URL that is none. Asks nothing yet. */
  static async open(options: HttpConnectionOptions): Promise<HttpConnection> {
    const url = parseUrl(options.url);
    // Encryption takes a while to load, and most servers are on this machine.
    const protocol = url.protocol === 'https:' ? await import('node:https') : http;
    return new HttpConnection(url, options, protocol);
  }

  async execute(ask: Ask): Promise<Answer> {
    const call = this.#open(ask);
    // Once the answer has begun, its reader hears of what goes wrong.
    call.on('error', () => undefined);
    const response = await this.#responseOf(call, ask);
    if (response.statusCode !== 200) throw await this.#refusal(response);
    const tag = header(response, 'x-clickhouse-exception-tag');
    const chunks = this.#chunksOf(response, ask);
    return {
      format: header(response, 'x-clickhouse-format') ?? '',
      chunks: tag === undefined ? chunks : withoutException(chunks, tag),
      summary: parseSummary(header(response, 'x-clickhouse-summary')),
    };
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  #open(ask: Ask): ClientRequest {
    const url = new URL(this.#url);
    url.searchParams.set('database', ask.database);
    url.searchParams.set('default_format', ask.format);
    for (const [name, value] of ask.settings ?? []) url.searchParams.set(name, value);
    const authorization = this.#authorization;
    return this.#request(url, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'Content-Type': 'application/octet-stream',
        ...(authorization === undefined ? {} : { Authorization: authorization }),
      },
    });
  }

  /** Sends the statement, and its data until the server answers, which it may do early. */
  async #responseOf(call: ClientRequest, ask: Ask): Promise<IncomingMessage> {
    const { signal } = ask;
    const abort = (): void => void call.destroy(interruption());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    let answered = false;
    const arrived = once(call, 'response') as Promise<[IncomingMessage]>;
    const watched = arrived.then(
      ([response]) => {
        answered = true;
        return response;
      },
      (error: unknown) => {
        answered = true;
        throw signal.aborted ? interruption() : this.#unreachable(error);
      },
    );
    watched.catch(() => undefined);
    try {
      await send(call, ask, () => answered);
    } catch (error) {
      // The source of the data failed: the server must not take what came for all.
      call.destroy();
      await watched.catch(() => undefined);
      throw error;
    }
    return await watched.finally(() => signal.removeEventListener('abort', abort));
  }

  async *#chunksOf(response: IncomingMessage, ask: Ask): AsyncGenerator<Uint8Array> {
    const abort = (): void => void response.destroy(interruption());
    ask.signal.addEventListener('abort', abort, { once: true });
    try {
      for await (const chunk of response) yield chunk as Uint8Array;
    } catch (cause) {
      if (ask.signal.aborted) throw interruption();
      throw new UnreachableError(`The connection to ${this.place} broke in the answer.`, { cause });
    } finally {
      ask.signal.removeEventListener('abort', abort);
    }
  }

  async #refusal(response: IncomingMessage): Promise<Error> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response) {
      length += (chunk as Buffer).length;
      if (length <= errorBytesMax) chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    const known = parseErrorText(text);
    if (known?.code === authenticationFailed) return withWayIn(known);
    if (known !== undefined) return known;
    const said = `HTTP ${response.statusCode}: ${text.trim().split('\n')[0] ?? ''}`.slice(0, 200);
    const code = Number(header(response, 'x-clickhouse-exception-code') ?? 0);
    if (code > 0) return new StatementError({ code, errorName: 'UNKNOWN', message: said });
    return new UnreachableError(
      `What answers at ${this.place} is no Muster or ClickHouse server (${said}).`,
    );
  }

  #unreachable(cause: unknown): UnreachableError {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const why = message === '' ? code : message;
    if (/CERT|SELF_SIGNED|ALTNAME/.test(code)) {
      return new UnreachableError(
        `The certificate of ${this.place} isn't trusted (${why}): set NODE_EXTRA_CA_CERTS to the ` +
          'file of the certificate that signed it, or use the host name that it is for.',
        { cause },
      );
    }
    if (code === 'ECONNRESET' && this.#url.protocol === 'http:') {
      const secure = this.place.replace('http:', 'https:');
      return new UnreachableError(
        `The server at ${this.place} hung up (${why}): it was stopped, or speaks HTTPS and ` +
          `wants to be asked as ${secure}.`,
        { cause },
      );
    }
    const waysOut =
      'start one with `muster serve` or name it with --url, ' +
      'or ask a directory without a server with --data DIR.';
    const said =
      code === 'ECONNREFUSED' || code === 'ENOTFOUND'
        ? `No server answers at ${this.place}: ${waysOut}`
        : `The server at ${this.place} can't be reached (${why}): ${waysOut}`;
    return new UnreachableError(said, { cause });
  }
}

/** Says at this end how one says who asks. */
function withWayIn({ code, errorName, message }: StatementError): StatementError {
  const how = 'MUSTER_USER (or --user) and MUSTER_PASSWORD say who asks';
  return new StatementError({ code, errorName, message: `${message}; ${how}` });
}

/** What an aborted statement ends with. */
function interruption(): StatementError {
  const message = 'Query was cancelled';
  return new StatementError({ code: 394, errorName: 'QUERY_WAS_CANCELLED', message });
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError("The server's URL is http://host:port or https://host:port.");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError("The user or password in the server's URL is not percent-encoded.");
  }
}

async function send(call: ClientRequest, ask: Ask, answered: () => boolean): Promise<void> {
  if (ask.body === undefined) {
    call.end(ask.text);
    return;
  }
  call.write(`${ask.text}\n`);
  const unwanted = settled(call);
  for await (const chunk of ask.body) {
    if (answered() || call.destroyed) return;
    if (!call.write(chunk)) await Promise.race([drained(call), unwanted]);
  }
  call.end();
}

function drained(call: ClientRequest): Promise<void> {
  return new Promise((resolve) => call.once('drain', resolve));
}

/** Resolves when no more data is wanted, whyever. */
function settled(call: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    call.once('response', () => resolve());
    call.once('close', () => resolve());
    call.once('error', () => resolve());
  });
}

function parseSummary(text: string | undefined): Summary {
  const values = JSON.parse(text ?? '{}') as Readonly<Record<string, string | undefined>>;
  const count = (name: string): number => Number(values[name] ?? 0);
  return {
    resultRows: count('result_rows'),
    readRows: count('read_rows'),
    readBytes: count('read_bytes'),
    writtenRows: count('written_rows'),
    elapsedMs: count('elapsed_ns') / 1e6,
  };
}

function header(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
