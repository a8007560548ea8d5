// ClickHouse's errors over HTTP, read back: `Code: 62. DB::Exception: ... (SYNTAX_ERROR) (version 1)`
// as a whole answer, or at the end of one that broke after it had begun.

import { StatementError } from './connection.ts';

const form =
  /^Code: (\d+)\. DB::Exception: ([\s\S]*?)\.? \(([A-Z0-9_]{3,})\)(?: \(version [^\n]*\))?\s*$/;

/** Undefined: not an error as ClickHouse's and Muster's servers write it. */
export function parseErrorText(text: string): StatementError | undefined {
  const [, code, message, errorName] = form.exec(text) ?? [];
  if (code === undefined || message === undefined || errorName === undefined) return undefined;
  return new StatementError({ code: Number(code), errorName, message });
}

/**
 * The chunks up to the exception block, `\r\n__exception__\r\n<tag>\r\n<message>\n...`, which is
 * thrown; all of them when there is none. Holds back as many bytes as the mark is long.
 */
export async function* withoutException(
  chunks: AsyncIterable<Uint8Array>,
  tag: string,
): AsyncGenerator<Uint8Array> {
  const mark = Buffer.from(`\r\n__exception__\r\n${tag}\r\n`);
  let held = Buffer.alloc(0);
  let failed = false;
  try {
    for await (const chunk of chunks) {
      held = Buffer.concat([held, chunk]);
      failed ||= held.includes(mark);
      // What follows the mark is short: the message, then the end of the connection.
      if (failed || held.length < mark.length) continue;
      const end = held.length - mark.length + 1;
      yield held.subarray(0, end);
      held = held.subarray(end);
    }
  } catch (error) {
    if (!failed) throw error;
  }
  const at = held.indexOf(mark);
  if (at === -1) {
    if (held.length > 0) yield held;
    return;
  }
  if (at > 0) yield held.subarray(0, at);
  const rest = held.subarray(at + mark.length).toString('utf8');
  const message = rest.replace(/\n\d+ [0-9a-z]+\r\n__exception__[\s\S]*$/, '\n');
  throw (
    parseErrorText(message) ??
    new StatementError({ code: 0, errorName: 'UNKNOWN', message: message.trim() })
  );
}
