// What a newcomer sees of the demo: a progress bar while it is loaded, which happens once, and at
// each start three questions with their answers.

import type { Connection } from '../cli/connection/connection.ts';
import { EmbeddedConnection } from '../cli/connection/embedded-connection.ts';
import { grouped } from '../cli/quantities.ts';
import type { StoreOptions } from '../cli/serve-configuration.ts';
import { demoState, loadDemo } from './demo-database.ts';
import { answerText, exampleQuestions, nextLine } from './example-questions.ts';
import { ProgressBar } from './progress-bar.ts';

interface PresentOptions extends StoreOptions {
  readonly people: number;
  readonly signal: AbortSignal;
}

/**
 * What to show of the demo. It is loaded if it isn't there: when `how` says so, and also when an
 * earlier load was cut off, which somebody had asked for. Undefined: there is nothing to show.
 * `command` is how the server is asked.
 */
export async function presentDemo(
  how: 'load' | 'look',
  command: string,
  options: PresentOptions,
): Promise<string | undefined> {
  const { signal } = options;
  const connection = await EmbeddedConnection.open(options);
  try {
    const state = await demoState(connection, signal);
    if (state.kind === 'none' && how === 'look') return undefined;
    const people = state.kind === 'whole' ? state.people : await loaded(connection, options);
    const parts = [
      `The demo: ${grouped(people)} people with sparse 64-bit ids, in the database demo.\n`,
    ];
    for (const question of exampleQuestions) {
      parts.push(await answerText(connection, question, signal));
    }
    return [...parts, `Paste this next, in another terminal:\n\n  ${nextLine(command)}\n`].join(
      '\n',
    );
  } finally {
    await connection.close();
  }
}

async function loaded(connection: Connection, options: PresentOptions): Promise<number> {
  const { people, signal } = options;
  const bar = new ProgressBar(`Loading ${grouped(people)} people`, process.stderr);
  try {
    await loadDemo(connection, { people, signal, progress: (share) => bar.at(share) });
  } catch (error) {
    bar.clear();
    throw error;
  }
  bar.end();
  return people;
}
