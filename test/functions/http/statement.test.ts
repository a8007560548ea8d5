import { expect, test } from 'vitest';
import { readStatement } from '../../../functions/http/statement.ts';

async function* byteByByte(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text, 'utf8')) yield Uint8Array.of(byte);
}

async function split(query: string, body: string): Promise<readonly [string, string]> {
  const statement = await readStatement(query, byteByByte(body));
  const data: Uint8Array[] = [];
  for await (const chunk of statement.body ?? []) data.push(chunk);
  return [statement.text, Buffer.concat(data).toString('utf8')];
}

test('a statement that comes byte by byte is cut where its data begins', async () => {
  const columns = Array.from({ length: 40 }, (_, i) => `column_${i}`).join(', ');
  const text = `INSERT INTO t (${columns}) FORMAT CSV`;
  expect(await split('', `${text}\n1,2\n`)).toEqual([text, '1,2\n']);
  expect(await split(text, '1,2\n')).toEqual([text, '1,2\n']);
  expect(await split('', '-- a word\nSELECT 1')).toEqual(['-- a word\nSELECT 1', '']);
});

test('a long statement byte by byte costs a few times its length, not its square', async () => {
  const bytes = 200_000;
  const insert = `INSERT INTO t (a,${' '.repeat(bytes)}`;
  const blank = ' '.repeat(bytes);
  const started = process.cpuUsage();
  await split('', insert);
  await split('', blank);
  const { user, system } = process.cpuUsage(started);
  // The square takes minutes.
  expect((user + system) / 1e6).toBeLessThan(10);
});

test('bytes of a statement that are no UTF-8 are refused, those of data are not', async () => {
  const text = Buffer.concat([Buffer.from("SELECT '"), Uint8Array.of(0xff), Buffer.from("'")]);
  async function* body(before: string): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([Buffer.from(before), text]);
  }
  await expect(readStatement('', body(''))).rejects.toMatchObject({ code: 48 });
  await expect(readStatement('', body('INSERT INTO t '))).rejects.toMatchObject({ code: 48 });
  const { body: data } = await readStatement('', body('INSERT INTO t FORMAT CSV '));
  const chunks: Uint8Array[] = [];
  for await (const chunk of data ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).includes(0xff)).toBe(true);
});
