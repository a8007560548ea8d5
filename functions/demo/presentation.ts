// What a newcomer sees of the demo: a progress bar while it is loaded, which happens once, and at
// each start three questions with their answers.

import type { Connection } from '../cli/connection/connection.ts';
import { EmbeddedConnection } from '../cli/connection/embedded-connection.ts';
import { grouped } from '../cli/quantities.ts';
import type { StoreOptions } from '../cli/serve-configuration.ts';
import { demoPeople, loadDemo } from './demo-database.ts';
import { answerText, exampleQuestions, nextLine } from './example-questions.ts';
import { ProgressBar } from './progress-bar.ts';

interface PresentOptions extends StoreOptions {
  readonly people: number;
  readonly signal: AbortSignal;
}

/** Loads the demo if it isn't there whole and `load` says so; what to show of it, or nothing. */
export async function presentDemo(
  how: 'load' | 'look',
  url: string,
  options: PresentOptions,
): Promise<string | undefined> {
  const { signal } = options;
  const connection = await EmbeddedConnection.open(options);
  try {
    const people =
      (await demoPeople(connection, signal)) ?? (await loaded(how, connection, options));
    if (people === undefined) return undefined;
    const parts = [
      `The demo: ${grouped(people)} people with sparse 64-bit ids, in the database demo.\n`,
    ];
    for (const question of exampleQuestions) {
      parts.push(await answerText(connection, question, signal));
    }
    return [...parts, `Paste this next, in another terminal:\n\n  ${nextLine(url)}\n`].join('\n');
  } finally {
    await connection.close();
  }
}

async function loaded(
  how: 'load' | 'look',
  connection: Connection,
  { people, signal }: PresentOptions,
): Promise<number | undefined> {
  if (how === 'look') return undefined;
  const bar = new ProgressBar(`Loading ${grouped(people)} people`, process.stderr);
  await loadDemo(connection, { people, signal, progress: (share) => bar.at(share) });
  bar.end();
  return people;
}
