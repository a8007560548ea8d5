// Whether a server that starts shall have the demo: because it was asked for, because the person at
// the terminal wants it when the store is empty, or because it is there already.

import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';

interface OfferOptions {
  readonly store: string;
  /** Undefined: ask, if there is somebody. */
  readonly wanted: boolean | undefined;
  readonly isConversation: boolean;
}

/**
 * 'look': show the demo if it is there. To be asked before the server starts, which writes into an
 * empty store.
 */
export async function offerDemo(options: OfferOptions): Promise<'load' | 'look' | 'no'> {
  const { wanted, store, isConversation } = options;
  if (wanted === true) return 'load';
  if (wanted === false || !isConversation || store.startsWith('s3:')) return 'no';
  if (!(await isEmptyDirectory(store))) return 'look';
  const question =
    `${store} is empty. Load the demo, a million people to ask about? ` +
    'It takes about 20 s. [Y/n] ';
  return (await isYes(question)) ? 'load' : 'no';
}

async function isEmptyDirectory(path: string): Promise<boolean> {
  try {
    return (await readdir(path.replace(/^dir:/, ''))).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Ctrl-D is no; Ctrl-C ends the process, as it does everywhere. */
async function isYes(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('no')));
  terminal.once('SIGINT', () => {
    terminal.close();
    process.kill(process.pid, 'SIGINT');
  });
  const answer = await Promise.race([terminal.question(question), closed]);
  terminal.close();
  return /^\s*(y|yes)?\s*$/i.test(answer);
}
