// What `FaultServer` sends: S3's replies in XML and bytes, and what a fault does to them on their way.

import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import type { FaultAction, SeenRequest } from './fault.ts';
import { S3Error } from './s3-model.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export interface Exchange {
  readonly seen: SeenRequest;
  readonly body: Buffer;
  readonly action: FaultAction | undefined;
}

/** For whole objects when it is asked for; for ranges as the fault wants it. */
export function withChecksum(reply: Reply, whole: Buffer, { seen, action }: Exchange): Reply {
  const asked = header(seen, 'x-amz-checksum-mode') === 'ENABLED';
  const isDamage = action?.do === 'damage' || action?.do === 'damaged-and-cut';
  const isWrong = action?.do === 'checksum' || isDamage;
  if (seen.method !== 'GET' || (!isWrong && (!asked || reply.status === 206))) return reply;
  const ofNothing = action?.do === 'checksum' && action.of === 'nothing';
  const told = isDamage ? reply.body : whole;
  const headers = {
    ...reply.headers,
    'x-amz-checksum-crc32': ofNothing ? 'AAAAAA==' : crc32Text(told),
    'x-amz-checksum-type': 'FULL_OBJECT',
  };
  if (!isDamage) return { ...reply, headers };
  const body = Buffer.from(reply.body);
  body.writeUInt8(body.readUInt8(3) ^ 1, 3);
  return { ...reply, headers, body };
}

function sentFraction(action: FaultAction | undefined): number {
  if (action?.do === 'cut-body' || action?.do === 'stall-body') return action.fraction;
  return action?.do === 'damaged-and-cut' || action?.do === 'slow-body' ? 0.5 : 1;
}

export function pageReply(status: number, type = 'text/html; charset=utf-8'): Reply {
  const isHtml = type.startsWith('text/html');
  const text = isHtml ? '<html><head><title>Sign in</title></head></html>' : 'no route to host';
  const headers = { 'content-type': type, server: 'squid/6.6' };
  return { status, headers, body: Buffer.from(text) };
}

export function send(response: ServerResponse, reply: Reply, { seen, action }: Exchange): void {
  response.sendDate = action?.do !== 'date';
  if (action?.do === 'date' && action.date !== undefined) response.setHeader('date', action.date);
  const length = String(reply.body.length);
  const headers = { 'x-amz-request-id': 'FAULT0SERVER', 'content-length': length };
  response.writeHead(reply.status, { ...headers, ...reply.headers });
  const fraction = sentFraction(action);
  if (seen.method === 'HEAD' || fraction === 1) {
    response.end(seen.method === 'HEAD' ? undefined : reply.body);
    return;
  }
  const sent = Math.floor(reply.body.length * fraction);
  response.write(reply.body.subarray(0, sent), () => {
    if (action?.do === 'slow-body') {
      setTimeout(() => response.end(reply.body.subarray(sent)), action.ms);
    } else if (action?.do !== 'stall-body') response.destroy();
  });
}

export function crc32Text(bytes: Buffer): string {
  const actual = Buffer.alloc(4);
  actual.writeUInt32BE(crc32(bytes));
  return actual.toString('base64');
}

export function header(seen: SeenRequest, name: string): string | undefined {
  const value = seen.headers[name];
  return Array.isArray(value) ? value.join() : value;
}

export function errorReply({ status, code, region }: S3Error): Reply {
  const where = region === undefined ? '' : element('Region', region);
  const text = element('Code', code) + element('Message', code) + where;
  const reply = xmlReply('Error', text);
  if (region === undefined) return { ...reply, status };
  return { ...reply, headers: { ...reply.headers, 'x-amz-bucket-region': region }, status };
}

export function xmlReply(root: string, content: string): Reply {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content)}`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) };
}

export function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(
    (one) => one[1] ?? '',
  );
}
