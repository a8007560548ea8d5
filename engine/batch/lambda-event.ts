// What an invocation is as a Lambda event: bytes as base64 inside JSON, for that is all that Lambda
// carries. The functions' end is functions/lambda/function-event.ts.

import { MusterError } from '../../base/errors.ts';

export const lambdaProtocol = 1;

/** Lambda's limit for a synchronous call, each way. */
const payloadBytesMax = 6 * 1024 * 1024;
/** Of the JSON around. */
const wrappingBytes = 16 * 1024;

/** Of request and reply, before they become base64. */
export const lambdaBytesMax = Math.floor(((payloadBytesMax - wrappingBytes) * 3) / 4);

export function encodeRequestEvent(request: Uint8Array): Uint8Array {
  const text = Buffer.from(request.buffer, request.byteOffset, request.length).toString('base64');
  return Buffer.from(`{"muster":${lambdaProtocol},"request":"${text}"}`, 'latin1');
}

/** NETWORK_ERROR where it isn't what a worker function answers. */
export function decodeReplyEvent(functionName: string, payload: Uint8Array): Uint8Array {
  const { muster, reply } = fieldsOf(payload);
  if (muster !== lambdaProtocol || typeof reply !== 'string') throw foreign(functionName);
  // Never from Node's pool: typed arrays become views of it.
  return new Uint8Array(Buffer.from(reply, 'base64'));
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(payload: Uint8Array): Fields {
  const { buffer, byteOffset, length } = payload;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(buffer, byteOffset, length).toString());
    return typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : {};
  } catch {
    return {};
  }
}

function foreign(functionName: string): MusterError {
  return new MusterError(
    'NETWORK_ERROR',
    `Lambda function '${functionName}' does not answer as a worker of Muster: ` +
      'name the functions that were deployed as workers',
  );
}
