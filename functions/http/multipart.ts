// multipart/form-data as clients send it for long parameters: parts named `query`, `param_x` and
// so on, small enough to be held. Files (external tables) are not supported.

import { MusterError } from '../../base/errors.ts';

/** The boundary of a Content-Type, or undefined if it is not multipart. */
export function multipartBoundary(contentType: string | undefined): string | undefined {
  const match = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '');
  return match?.[1] ?? match?.[2];
}

/** Names and values of the parts. INCORRECT_DATA for what is no such body. */
export function parseMultipart(
  body: Buffer,
  boundary: string,
): readonly (readonly [string, string])[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: (readonly [string, string])[] = [];
  let at = body.indexOf(delimiter);
  if (at === -1) throw malformed();
  for (;;) {
    at += delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    const headEnd = body.indexOf('\r\n\r\n', at);
    const next = body.indexOf(delimiter, at);
    if (headEnd === -1 || next === -1 || headEnd > next) throw malformed();
    const head = body.toString('utf8', at, headEnd);
    const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) throw malformed();
    if (/;\s*filename=/i.test(head) && name !== 'query' && !name.startsWith('param_')) {
      throw new MusterError('NOT_IMPLEMENTED', `External tables are not supported: part '${name}'`);
    }
    parts.push([name, body.toString('utf8', headEnd + 4, next - 2)]);
    at = next;
  }
}

function malformed(): MusterError {
  return new MusterError('INCORRECT_DATA', 'The multipart body is damaged or cut off');
}
