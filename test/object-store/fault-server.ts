// A strict S3 server on loopback that makes single requests go wrong on demand. Node's own HTTP, so
// that the real SDK is what meets the faults. It knows one bucket, one access key and one region.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { S3Store, type S3StoreOptions } from '../../object-store/s3-store.ts';
import type { Fault, FaultAction, SeenRequest } from './fault.ts';
import {
  crc32Text,
  type Exchange,
  element,
  elementsOf,
  errorReply,
  header,
  pageReply,
  type Reply,
  send,
  withChecksum,
  xmlReply,
} from './fault-reply.ts';
import { type Habits, S3Error, S3Model, sliceOf } from './s3-model.ts';

export const faultServerBucket = 'fault-bucket';
export const faultServerCredentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };
/** They may read and list, and nothing else. */
export const readOnlyCredentials = { accessKeyId: 'reader-key', secretAccessKey: 'test-secret' };

export class FaultServer {
  readonly model: S3Model;
  /** Every request, in order of arrival. */
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #habits: Habits;
  #port = 0;
  #faults: { readonly fault: Fault; left: number }[] = [];
  /** Connections, open and closed, with how many requests they have carried. */
  readonly #carried = new Map<Socket, number>();

  private constructor(habits: Habits) {
    this.#habits = habits;
    this.model = new S3Model(habits);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(asError(error)));
    });
    // As patient with idle connections as some balancers are.
    this.#server.keepAliveTimeout = 60_000;
  }

  static async start(habits: Habits = {}): Promise<FaultServer> {
    const server = new FaultServer(habits);
    await new Promise<void>((resolve) => {
      server.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.#server.address();
    server.#port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return server;
  }

  /** Also when it is closed. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A store in its bucket, by default at the bucket's root. */
  store(options: Partial<S3StoreOptions> = {}): S3Store {
    return new S3Store({
      bucket: faultServerBucket,
      prefix: '',
      endpoint: this.endpoint,
      credentials: faultServerCredentials,
      ...options,
    });
  }

  /** Connections that are open now. */
  get connections(): number {
    return [...this.#carried.keys()].filter((socket) => !socket.destroyed).length;
  }

  /** Connections that there have been. */
  get connectionsMade(): number {
    return this.#carried.size;
  }

  inject(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Forgets faults and the log, not the objects. */
  reset(): void {
    this.#faults = [];
    this.seen.length = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, bucket = '', ...segments] = decodeURIComponent(url.pathname).split('/');
    const { method = '', headers } = request;
    const carried = this.#carried.get(request.socket) ?? 0;
    this.#carried.set(request.socket, carried + 1);
    const key = segments.join('/');
    const seen = { method, key, query: url.searchParams, headers, reused: carried > 0 };
    this.seen.push(seen);
    const action = this.#takeFault(seen);
    const body = await bodyOf(request);
    if (action?.do === 'stall') return;
    if (action?.do === 'kill') {
      request.socket.destroy();
      return;
    }
    const reply = this.#replyTo(bucket, { seen, body, action });
    if (action?.do === 'store-then-kill') request.socket.destroy();
    else {
      if (this.#habits.clockAheadMs !== undefined) response.setHeader('date', this.#date());
      send(response, reply, { seen, body, action });
    }
  }

  #date(): string {
    return new Date(Date.now() + (this.#habits.clockAheadMs ?? 0)).toUTCString();
  }

  #takeFault(seen: SeenRequest): FaultAction | undefined {
    const entry = this.#faults.find(({ fault, left }) => left > 0 && fault.when(seen));
    if (entry === undefined) return undefined;
    entry.left--;
    return entry.fault.action;
  }

  #replyTo(bucket: string, exchange: Exchange): Reply {
    const { seen, body, action } = exchange;
    try {
      if (action?.do === 'status') throw new S3Error(action.status, action.code, action.region);
      if (action?.do === 'page') return pageReply(action.status, action.type);
      if (action?.do === 'error-in-200') {
        return { ...errorReply(new S3Error(200, action.code)), status: 200 };
      }
      this.#checkAuthorization(seen);
      if (bucket !== faultServerBucket) throw new S3Error(404, 'NoSuchBucket');
      checkBody(seen, body);
      const reply = seen.key === '' ? this.#bucketCall(exchange) : this.#objectCall(exchange);
      if (action?.do !== 'store-then-error-in-200') return reply;
      return { ...errorReply(new S3Error(200, action.code)), status: 200 };
    } catch (error) {
      if (error instanceof S3Error) return errorReply(error);
      throw error;
    }
  }

  #bucketCall({ seen, body }: Exchange): Reply {
    const { method, query } = seen;
    if (method === 'GET' && query.get('list-type') === '2') return this.#list(query);
    if (method === 'GET' && query.has('versioning')) {
      const status = this.#habits.keepsVersions === true ? element('Status', 'Enabled') : '';
      return xmlReply('VersioningConfiguration', status);
    }
    if (method === 'POST' && query.has('delete')) {
      this.model.remove(elementsOf(body.toString(), 'Key'));
      return xmlReply('DeleteResult', '');
    }
    throw new S3Error(501, 'NotImplemented');
  }

  #list(query: URLSearchParams): Reply {
    const max = Math.min(Number(query.get('max-keys') ?? 1000), 1000);
    const token = query.get('continuation-token');
    const after = token === null ? (query.get('start-after') ?? '') : fromToken(token);
    const page = this.model.list({ prefix: query.get('prefix') ?? '', after, max });
    const contents = page.contents.map(({ key, bytes, etag, modified }) => {
      const date = new Date(Math.floor(modified / 1000) * 1000).toISOString();
      const fields = [element('Key', key), element('LastModified', date), element('ETag', etag)];
      return element('Contents', fields.join('') + element('Size', String(bytes)));
    });
    const last = page.contents.at(-1)?.key ?? '';
    const next = page.truncated ? element('NextContinuationToken', toToken(last)) : '';
    const truncated = element('IsTruncated', String(page.truncated));
    return xmlReply('ListBucketResult', `${truncated}${next}${contents.join('')}`);
  }

  #objectCall(exchange: Exchange): Reply {
    const { seen, body } = exchange;
    const { method, key, query } = seen;
    const uploadId = query.get('uploadId') ?? '';
    if (method === 'GET' || method === 'HEAD') return this.#get(exchange);
    if (method === 'PUT' && query.has('uploadId')) {
      const number = Number(query.get('partNumber'));
      const { etag } = this.model.putPart({ uploadId, key, number }, body);
      return { status: 200, headers: { etag }, body: Buffer.alloc(0) };
    }
    if (method === 'PUT') {
      const { etag } = this.model.put(key, body, header(seen, 'if-none-match'));
      return { status: 200, headers: { etag }, body: Buffer.alloc(0) };
    }
    if (method === 'POST' && query.has('uploads')) {
      const id = element('UploadId', this.model.createUpload(key));
      return xmlReply('InitiateMultipartUploadResult', id);
    }
    if (method === 'POST' && query.has('uploadId')) {
      return this.#complete({ uploadId, key }, exchange);
    }
    if (method === 'DELETE' && query.has('uploadId')) {
      this.model.abortUpload(uploadId, key);
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    throw new S3Error(501, 'NotImplemented');
  }

  #complete(target: { uploadId: string; key: string }, { seen, body }: Exchange): Reply {
    const numbers = elementsOf(body.toString(), 'PartNumber').map(Number);
    const etags = elementsOf(body.toString(), 'ETag').map((etag) => etag.replaceAll('&quot;', '"'));
    const parts = numbers.map((number, place) => ({ number, etag: etags[place] ?? '' }));
    const stored = this.model.completeUpload(target, parts, header(seen, 'if-none-match'));
    return xmlReply('CompleteMultipartUploadResult', element('ETag', stored.etag));
  }

  #get(exchange: Exchange): Reply {
    const { seen, action } = exchange;
    const stored = this.model.get(seen.key, header(seen, 'if-match'));
    const modified = new Date(stored.modified).toUTCString();
    const headers = { etag: stored.etag, 'last-modified': modified, 'accept-ranges': 'bytes' };
    const range = header(seen, 'range');
    if (range === undefined || action?.do === 'ignore-range') {
      return withChecksum({ status: 200, headers, body: stored.body }, stored.body, exchange);
    }
    const size = stored.body.length;
    const { start, end } = sliceOf(range, size);
    const last = action?.do === 'short-range' ? start + action.bytes : end;
    const contentRange = `bytes ${start}-${last - 1}/${size}`;
    const part = {
      status: 206,
      headers: { ...headers, 'content-range': contentRange },
      body: stored.body.subarray(start, last),
    };
    return withChecksum(part, stored.body, exchange);
  }

  #checkAuthorization(seen: SeenRequest): void {
    const { region = 'us-east-1', expiredTokens } = this.#habits;
    const authorization = header(seen, 'authorization') ?? '';
    const scope = /Credential=([^/]+)\/\d+\/([^/]+)\/s3\//.exec(authorization);
    if (scope === null) throw new S3Error(403, 'AccessDenied');
    const reads = scope[1] === readOnlyCredentials.accessKeyId;
    if (!reads && scope[1] !== faultServerCredentials.accessKeyId)
      throw new S3Error(403, 'InvalidAccessKeyId');
    if (scope[2] !== region) throw new S3Error(400, 'AuthorizationHeaderMalformed', region);
    if (expiredTokens?.has(header(seen, 'x-amz-security-token') ?? '') === true)
      throw new S3Error(400, 'ExpiredToken');
    const signed = signedAt(header(seen, 'x-amz-date') ?? '');
    if (Math.abs(Date.parse(this.#date()) - signed) > signatureAgeMsMax)
      throw new S3Error(403, 'RequestTimeTooSkewed');
    const isReading = seen.method === 'GET' || seen.method === 'HEAD';
    if (reads && (!isReading || seen.query.has('versioning')))
      throw new S3Error(403, 'AccessDenied');
  }
}

const signatureAgeMsMax = 15 * 60_000;

/** `20260131T235959Z` in ms. */
function signedAt(text: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const [year, month, day, ...time] = parts;
  return Date.parse(`${year}-${month}-${day}T${time.join(':')}Z`);
}

function checkBody(seen: SeenRequest, body: Buffer): void {
  const length = header(seen, 'content-length');
  if (length !== undefined && Number(length) !== body.length)
    throw new S3Error(400, 'IncompleteBody');
  const promised = header(seen, 'x-amz-checksum-crc32');
  if (promised === undefined) return;
  if (crc32Text(body) !== promised) throw new S3Error(400, 'BadDigest');
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function toToken(key: string): string {
  return Buffer.from(key).toString('base64');
}

function fromToken(token: string): string {
  return Buffer.from(token, 'base64').toString();
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
