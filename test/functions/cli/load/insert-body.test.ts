import { expect, test } from 'vitest';
import { Peekable } from '../../../../functions/cli/load/byte-source.ts';
import { insertBody, sampleOf } from '../../../../functions/cli/load/insert-body.ts';

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 2, 3, 7, 100])('the header is replaced, in pieces of %d bytes', async (size) => {
  const text = '\ufeffdäy,x\n1,ü\n2,b\n';
  let lines = 0;
  let bytes = 0;
  const plan = {
    sample: text,
    replaced: text.indexOf('\n') + 1,
    prefix: '"day","x"\n',
    encoding: 'utf8',
  } as const;
  const body: Uint8Array[] = [];
  for await (const chunk of insertBody(cut(text, size), plan, (passed) => {
    lines += passed.lines;
    bytes += passed.bytes;
  })) {
    body.push(chunk);
  }
  expect(Buffer.concat(body).toString()).toBe('"day","x"\n1,ü\n2,b\n');
  expect({ lines, bytes }).toEqual({ lines: 2, bytes: Buffer.byteLength(text) });
});

test('a sample ends where a character ends', async () => {
  const { sample, whole } = await sampleOf(new Peekable(cut('ü'.repeat(40_000), 999)));
  expect(whole).toBe(false);
  expect(/^ü+$/.test(sample)).toBe(true);
  const odd = await sampleOf(new Peekable(cut(`a${'ü'.repeat(40_000)}`, 999)));
  expect(/^aü+$/.test(odd.sample)).toBe(true);
  expect(await sampleOf(new Peekable(cut('a,b\n', 1)))).toEqual({
    sample: 'a,b\n',
    whole: true,
    encoding: 'utf8',
  });
});

test('of a text that is no UTF-8 the header alone is replaced', async () => {
  const text = Buffer.from('name,größe,age\nann,1,2\n', 'latin1');
  const one = async function* () {
    yield text;
  };
  const { sample, encoding } = await sampleOf(new Peekable(one()));
  expect(sample).toBe('name,größe,age\nann,1,2\n');
  const plan = { sample, encoding, replaced: sample.indexOf('\n') + 1, prefix: 'n\n' };
  const body: Uint8Array[] = [];
  for await (const chunk of insertBody(one(), plan, () => {})) body.push(chunk);
  expect(Buffer.concat(body).toString('latin1')).toBe('n\nann,1,2\n');
});
