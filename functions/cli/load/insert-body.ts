// The bytes of an INSERT: a file's text with its header replaced, and lines counted as they pass.

import { isUtf8 } from 'node:buffer';
import type { InputPlan } from './input-plan.ts';
import type { Peekable } from './byte-source.ts';

const sampleBytes = 64 * 1024;
const lineFeed = 0x0a;

interface Sample {
  readonly sample: string;
  /** It is the whole text. */
  readonly whole: boolean;
  /** Latin-1 for bytes that are no UTF-8: then too each character is known to be so many bytes. */
  readonly encoding: 'utf8' | 'latin1';
}

/** The beginning, ending at a character's end. */
export async function sampleOf(bytes: Peekable): Promise<Sample> {
  const head = await bytes.peek(sampleBytes + 1);
  const whole = head.length <= sampleBytes;
  let end = whole ? head.length : sampleBytes;
  while (end > 0 && ((head[end] ?? 0) & 0xc0) === 0x80) end--;
  const encoding = isUtf8(head.subarray(0, end)) ? 'utf8' : 'latin1';
  return { sample: head.toString(encoding, 0, end), whole, encoding };
}

export async function* insertBody(
  bytes: AsyncIterable<Uint8Array>,
  plan: Pick<InputPlan, 'prefix' | 'replaced'> & Pick<Sample, 'sample' | 'encoding'>,
  passed: (chunk: { readonly bytes: number; readonly lines: number }) => void,
): AsyncGenerator<Uint8Array> {
  let skip = Buffer.byteLength(plan.sample.slice(0, plan.replaced), plan.encoding);
  if (plan.prefix !== '') yield Buffer.from(plan.prefix, 'utf8');
  for await (const chunk of bytes) {
    const rest = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - rest.length;
    passed({ bytes: chunk.length, lines: linesIn(rest) });
    if (rest.length > 0) yield rest;
  }
}

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}
