// Exchanges over Node's HTTP server. A client that takes nothing of a reply, or sends nothing of its
// body, for too long is cut off: it would hold a query's place, and its memory, for ever.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { MusterError } from '../../base/errors.ts';
import type { Exchange, Reply, ReplyHeaders } from './exchange.ts';

interface NodeExchangeOptions {
  /** How long a client may take nothing of an answer, or send nothing of its body. */
  readonly stallMs: number;
  /** The server stops: replies say that their connection is the last one's. */
  readonly draining: () => boolean;
}

export function nodeExchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: NodeExchangeOptions,
): Exchange {
  const { stallMs } = options;
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(clientGone());
  });
  // Node sets it for the time of a wait; without a listener it would cut off in silence as well.
  outgoing.on('timeout', () => outgoing.socket?.destroy());
  return {
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    headers: incoming.headers,
    client: (incoming.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    interface: (incoming.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
    reply: new NodeReply(outgoing, options),
    gone: gone.signal,
    body: () => bodyOf(incoming, outgoing, stallMs),
  };
}

class NodeReply implements Reply {
  readonly #outgoing: ServerResponse;
  readonly #options: NodeExchangeOptions;

  constructor(outgoing: ServerResponse, options: NodeExchangeOptions) {
    this.#outgoing = outgoing;
    this.#options = options;
  }

  get begun(): boolean {
    return this.#outgoing.headersSent;
  }

  get closed(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.writableEnded;
  }

  head(status: number, headers: ReplyHeaders): void {
    if (this.closed) return;
    if (this.#options.draining()) this.#outgoing.shouldKeepAlive = false;
    this.#outgoing.writeHead(status, headers);
  }

  async write(chunk: Uint8Array): Promise<void> {
    // Node forgets the callbacks of writes that a closing connection leaves behind.
    await this.#taken((done) => this.#outgoing.write(chunk, done));
  }

  async end(chunk?: Uint8Array): Promise<void> {
    await this.#taken((done) => {
      if (chunk === undefined) this.#outgoing.end(done);
      else this.#outgoing.end(chunk, done);
    });
  }

  async breakOff(): Promise<void> {
    // Without the last chunk, but with all that was written.
    this.#outgoing.socket?.destroySoon();
  }

  #taken(write: (done: () => void) => void): Promise<void> {
    const outgoing = this.#outgoing;
    if (this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        outgoing.off('close', done);
        outgoing.setTimeout(0);
        resolve();
      };
      outgoing.once('close', done);
      outgoing.setTimeout(this.#options.stallMs);
      write(done);
    });
  }
}

async function* bodyOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stallMs: number,
): AsyncGenerator<Uint8Array> {
  // Destroying the message would close the connection before the answer is out.
  const chunks = incoming.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      outgoing.setTimeout(stallMs);
      const next = await chunks.next();
      outgoing.setTimeout(0);
      if (next.done === true) break;
      yield next.value as Uint8Array;
    }
  } catch (cause) {
    const message = 'The client closed the connection in the body';
    throw new MusterError('QUERY_WAS_CANCELLED', message, { cause });
  } finally {
    await chunks.return?.();
  }
  if (!incoming.complete) {
    throw new MusterError('QUERY_WAS_CANCELLED', 'The body ended before its length');
  }
}

function clientGone(): MusterError {
  return new MusterError('QUERY_WAS_CANCELLED', 'Query was cancelled: the client is gone');
}
