// An exchange without a connection: what an adapter for functions does, in its shortest form.

import type { Exchange, Reply, ReplyHeaders } from '../../../functions/http/exchange.ts';

class MemoryReply implements Reply {
  status = 0;
  headers: ReplyHeaders = {};
  closed = false;
  broken = false;
  readonly #chunks: Uint8Array[] = [];

  get begun(): boolean {
    return this.status !== 0;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  head(status: number, headers: ReplyHeaders): void {
    if (this.begun) throw new Error('A second head');
    this.status = status;
    this.headers = headers;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.begun || this.closed) throw new Error('A chunk outside of the reply');
    this.#chunks.push(chunk);
  }

  async end(chunk?: Uint8Array): Promise<void> {
    if (chunk !== undefined) await this.write(chunk);
    this.closed = true;
  }

  async breakOff(): Promise<void> {
    this.closed = true;
    this.broken = true;
  }
}

export function memoryExchange(
  method: string,
  url: string,
  more: Partial<Pick<Exchange, 'headers' | 'gone'>> & { readonly body?: string } = {},
): Exchange & { readonly reply: MemoryReply } {
  const { headers = {}, gone = new AbortController().signal, body = '' } = more;
  return {
    method,
    url,
    headers,
    client: '192.0.2.7',
    interface: 'http',
    reply: new MemoryReply(),
    gone,
    async *body() {
      if (body !== '') yield Buffer.from(body, 'utf8');
    },
  };
}
