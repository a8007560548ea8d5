// What the command line writes, and to whom: a person at a terminal, or a pipe. Pipes get no colours
// and no moving lines; a reader that goes away ends the command without a word.

import { once } from 'node:events';
import { readEnvironment } from '../environment.ts';
import { exitCodes } from './exit-codes.ts';
import { harmlessChunks, harmlessText } from './harmless-text.ts';

type Stream = NodeJS.WriteStream;

/** Waits while the reader is slower. */
export async function print(chunk: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}

/** To standard error: for the person, never for the next program of a pipe. */
export function say(text: string): void {
  process.stderr.write(harmlessText(text));
}

/** An answer as it is, or at a terminal without what would command it. */
export function shown(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return process.stdout.isTTY ? harmlessChunks(chunks) : chunks;
}

/** `muster sql ... | head`: nobody reads on, and that is no failure. */
export function endWithReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      // To standard error nothing more can be said.
      if (stream === process.stdout)
        say(`muster: The answer can't be written: ${error.message}.\n`);
      process.exit(exitCodes.failed);
    });
  }
}

/** Whether somebody can be asked, and sees the question. */
export function isConversation(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** https://no-color.org, and terminals that say they can't. */
function hasColours(stream: Stream): boolean {
  const environment = readEnvironment();
  const refused = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return stream.isTTY && !refused;
}

const codes = { red: 31, green: 32, cyan: 36, grey: 90, bold: 1 } as const;

export function coloured(text: string, colour: keyof typeof codes, stream: Stream): string {
  return hasColours(stream) ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}
