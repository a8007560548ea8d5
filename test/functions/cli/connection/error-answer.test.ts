import { expect, test } from 'vitest';
import {
  parseErrorText,
  withoutException,
} from '../../../../functions/cli/connection/error-answer.ts';
import { describeError } from '../../../../functions/http/error-text.ts';
import { MusterError } from '../../../../base/errors.ts';

test('errors as our server writes them, and as ClickHouse does', () => {
  const { text } = describeError(new MusterError('SYNTAX_ERROR', 'Syntax (error). Twice'));
  expect(parseErrorText(text)).toMatchObject({
    code: 62,
    errorName: 'SYNTAX_ERROR',
    message: 'Syntax (error). Twice',
  });
  const theirs =
    "Code: 60. DB::Exception: Unknown table 'x'. (UNKNOWN_TABLE) (version 26.7 (official build))\n";
  expect(parseErrorText(theirs)).toMatchObject({ code: 60, message: "Unknown table 'x'" });
  expect(parseErrorText('<html>not found</html>')).toBeUndefined();
});

const tag = '0123456789abcdef';
const message = 'Code: 159. DB::Exception: Too late. (TIMEOUT_EXCEEDED) (version 1)\n';
const block = `\r\n__exception__\r\n${tag}\r\n${message}${message.length} ${tag}\r\n__exception__\r\n`;

async function read(chunks: readonly string[], broken: boolean) {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk);
    if (broken) throw new Error('aborted');
  }
  let text = '';
  const failure = await (async () => {
    for await (const chunk of withoutException(source(), tag))
      text += Buffer.from(chunk).toString();
  })().catch((error: unknown) => error);
  return { text, failure };
}

test('an answer that breaks gives its rows and its error, however it is cut', async () => {
  const whole = `1\n2\n${block}`;
  for (let at = 0; at <= whole.length; at++) {
    const { text, failure } = await read([whole.slice(0, at), whole.slice(at)], true);
    expect(text).toBe('1\n2\n');
    expect(failure).toMatchObject({ code: 159, message: 'Too late' });
  }
});

test('an answer that is whole passes; a broken one without a block stays broken', async () => {
  const rows = '1\n'.repeat(500);
  expect(await read([rows, '\r\n__exception__\r\n', 'x'], false)).toEqual({
    text: `${rows}\r\n__exception__\r\nx`,
    failure: undefined,
  });
  expect((await read([rows], true)).failure).toMatchObject({ message: 'aborted' });
});
