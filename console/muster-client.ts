// Asks the server that the page came from, over ClickHouse's HTTP interface. Who asks is sent as
// ClickHouse's headers and kept for the browser's session.

import { type Result, parseResult } from './result.ts';
import type { ReplyTimes } from './measures.ts';
import { brokenAnswer, ServerError } from './server-error.ts';

interface Credentials {
  readonly user: string;
  readonly password: string;
}

export interface Reply {
  readonly text: string;
  readonly format: string;
  readonly queryId: string;
  readonly summary: string | null;
  readonly cost: string | null;
  readonly times: ReplyTimes;
}

interface Ask {
  readonly signal?: AbortSignal;
  /** Of answers to statements that name none. */
  readonly format?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const itemName = 'muster-credentials';
const exactNumbers = {
  output_format_json_quote_64bit_integers: '1',
  output_format_json_quote_denormals: '1',
};

export class MusterClient {
  readonly #session: Storage;
  #credentials: Credentials | undefined;

  constructor(session: Storage) {
    this.#session = session;
    this.#credentials = readCredentials(session);
  }

  get user(): string | undefined {
    return this.#credentials?.user;
  }

  signIn(credentials: Credentials | undefined): void {
    this.#credentials = credentials;
    try {
      if (credentials === undefined) this.#session.removeItem(itemName);
      else this.#session.setItem(itemName, JSON.stringify(credentials));
    } catch {
      // Asked again at the next visit.
    }
  }

  /** Throws ServerError, or the signal's AbortError. */
  async ask(statement: string, options: Ask = {}): Promise<Reply> {
    const { signal, format = 'JSONCompact', settings = {} } = options;
    const parameters = new URLSearchParams({
      default_format: format,
      ...exactNumbers,
      ...settings,
    });
    const started = performance.now();
    // Relative: the server may stand behind a path of a proxy.
    const response = await fetch(`./?${parameters}`, {
      method: 'POST',
      body: statement,
      headers: { 'Content-Type': 'text/plain; charset=UTF-8', ...this.#headers() },
      // A browser that answers 401 by itself would show its own window.
      credentials: 'omit',
      cache: 'no-store',
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw signal?.aborted === true ? error : unreachable();
    });
    const waitedMs = performance.now() - started;
    const { headers, status, ok } = response;
    const { text, isWhole } = await readText(response, signal);
    if (!ok) throw new ServerError(status, text);
    const broken = brokenAnswer(text, headers.get('x-clickhouse-exception-tag'));
    if (broken !== undefined) throw broken;
    if (!isWhole) throw new ServerError(0, 'The connection broke before the answer was whole');
    return {
      text,
      format: headers.get('x-clickhouse-format') ?? '',
      queryId: headers.get('x-clickhouse-query-id') ?? '',
      summary: headers.get('x-clickhouse-summary'),
      cost: headers.get('x-muster-cost'),
      times: { waitedMs, totalMs: performance.now() - started },
    };
  }

  async rows(statement: string): Promise<Result> {
    return parseResult((await this.ask(statement)).text);
  }

  #headers(): Record<string, string> {
    if (this.#credentials === undefined) return {};
    const { user, password } = this.#credentials;
    return { 'X-ClickHouse-User': byteString(user), 'X-ClickHouse-Key': byteString(password) };
  }
}

/** What came, also of an answer that breaks off. */
async function readText(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = '';
  if (reader === undefined) return { text, isWhole: true };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isWhole: true };
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { text: text + decoder.decode(), isWhole: false };
  }
}

function unreachable(): ServerError {
  return new ServerError(0, `The server at ${location.host} can't be reached: is it running?`);
}

/** UTF-8 as characters 0..255, as headers carry it. */
function byteString(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

function readCredentials(session: Storage): Credentials | undefined {
  try {
    const found = JSON.parse(session.getItem(itemName) ?? 'null') as Credentials | null;
    return found ?? undefined;
  } catch {
    return undefined;
  }
}
