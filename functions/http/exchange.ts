// One request with its reply, as the HTTP edge sees it. Adapters stand below: Node's server
// (node-exchange.ts), and events of functions. Everything above it (routes, queries, answers) is the
// same code wherever a request comes from, and knows no sockets.

/** Lower-case names. A header that came twice is joined by its adapter, as HTTP says. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
export type ReplyHeaders = Readonly<Record<string, string | number>>;

export interface Exchange {
  /** In capitals. */
  readonly method: string;
  /** Path and search, still encoded. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Who asks: an address for the log, or ''. */
  readonly client: string;
  readonly interface: 'http' | 'https' | 'lambda';
  readonly reply: Reply;
  /** Aborted, with a MusterError, when the client leaves before it has the whole reply. */
  readonly gone: AbortSignal;
  /**
   * The body as it arrives, still compressed; may be read once. QUERY_WAS_CANCELLED (394) when it
   * was cut off. Who leaves the loop early can still reply.
   */
  body(): AsyncGenerator<Uint8Array>;
}

/** `head`, then chunks, then `end` or `breakOff`. Nothing here rejects when the client is gone. */
export interface Reply {
  /** The head is out: another one is impossible. */
  readonly begun: boolean;
  /** Nobody is there any more, or it was ended: writing is in vain. */
  readonly closed: boolean;
  head(status: number, headers: ReplyHeaders): void;
  /** Resolves when there is room for more, or nobody to take it. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all is handed on, or nobody is there to take it. */
  end(chunk?: Uint8Array): Promise<void>;
  /** Hands on what was written and ends in a way that no client takes for an end. */
  breakOff(): Promise<void>;
}

/** The first value of a header. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The path of a request, decoded no further. */
export function pathOf(url: string): string {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  // Proxies may send the absolute form.
  if (!/^https?:\/\//i.test(path)) return path;
  return URL.canParse(path) ? new URL(path).pathname : path;
}

export function searchOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

/** A whole reply; to HEAD its head alone. */
export async function replyWhole(
  exchange: Exchange,
  status: number,
  content: { readonly type: string; readonly body: string; readonly headers?: ReplyHeaders },
): Promise<void> {
  const bytes = Buffer.from(content.body, 'utf8');
  exchange.reply.head(status, {
    ...content.headers,
    'Content-Type': content.type,
    'Content-Length': bytes.length,
  });
  await exchange.reply.end(exchange.method === 'HEAD' ? undefined : bytes);
}

export async function replyText(exchange: Exchange, status: number, body: string): Promise<void> {
  await replyWhole(exchange, status, { type: 'text/plain; charset=UTF-8', body });
}
