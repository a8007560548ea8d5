// `muster sql`: one statement, the statements of a file or a pipe, or a conversation.

import { readFileSync } from 'node:fs';
import { openConnection } from '../connection/open-connection.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { interruptible } from '../interruption.ts';
import type { Call } from '../subcommands.ts';
import { runScript } from './script.ts';
import { Session } from './session.ts';

export async function sql(call: Call): Promise<number> {
  const { configuration, operands } = call;
  const [statement] = operands;
  const file = configuration.text('file');
  if (statement !== undefined && file !== undefined) {
    throw new UsageError('A statement and --file are two things to run: give one of them.');
  }
  const source = file === undefined ? undefined : { name: file, text: readStatements(file) };
  const connection = await openConnection(configuration);
  try {
    const session = new Session(connection, configuration.text('database') ?? 'default');
    const format = configuration.text('format');
    const isConversation = statement === undefined && file === undefined && process.stdin.isTTY;
    if (isConversation) {
      const { converse } = await import('./conversation.ts');
      return await converse(session, format);
    }
    await interruptible((signal) => runGiven(session, { statement, source, format, signal }));
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

interface Given {
  readonly statement: string | undefined;
  readonly source: { readonly name: string; readonly text: string } | undefined;
  readonly format: string | undefined;
  readonly signal: AbortSignal;
}

async function runGiven(session: Session, given: Given): Promise<void> {
  const { statement, source, signal } = given;
  const format = given.format ?? (process.stdout.isTTY ? 'PrettyCompact' : 'TabSeparated');
  if (statement !== undefined) {
    const data = process.stdin.isTTY ? {} : { data: process.stdin as AsyncIterable<Uint8Array> };
    await runScript(session, statement, { format, signal, ...data });
    return;
  }
  const { name, text } = source ?? { name: 'stdin', text: await readInput() };
  await runScript(session, text, { format, signal, source: name });
}

function readStatements(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it is not there' : message;
    throw new UsageError(`The file ${file} can't be read: ${why}.`);
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
