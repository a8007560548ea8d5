// `muster sql` at a terminal: statements over several lines, history, completion, and Ctrl-C, which
// stops the statement that runs and never the conversation.

import { createInterface, type Interface } from 'node:readline';
import { systemClock } from '../../../base/clock.ts';
import { exitCodes } from '../exit-codes.ts';
import { coloured, print, say, shown } from '../terminal.ts';
import { answerLine } from './answer-line.ts';
import { commands, complete, type Names, noNames, readNames } from './completion.ts';
import { errorReport } from './error-report.ts';
import { HistoryFile } from './history-file.ts';
import type { Session } from './session.ts';
import { type SplitStatement, splitStatements } from './statement-splitter.ts';

const help = `Statements end with ; and may go over several lines; \\G in its place asks for one value
a line. Data of INSERT ... FORMAT end with a line that holds ; alone.
  .tables [DATABASE]   tables
  .format [NAME]       format of answers
  .timing              more, or less, about how an answer came to be
  .help                this
  .exit                ends, as Ctrl-D does
Ctrl-C stops the statement that runs, or drops the one being written. Tab completes names.
`;

/** Resolves to the exit code when the person leaves. Throws when nobody answers at the beginning. */
export async function converse(session: Session, format: string | undefined): Promise<number> {
  const never = new AbortController().signal;
  await session.execute({ text: 'SELECT 1', format: 'TabSeparated', signal: never });
  say(`${coloured(session.connection.place, 'bold', process.stderr)}: statements end with ;`);
  say(` and .help tells more.\n`);
  const answers = process.stdout.isTTY ? 'PrettyCompact' : 'TabSeparated';
  await new Conversation(session, format ?? answers).run();
  return exitCodes.ok;
}

class Conversation {
  readonly #session: Session;
  readonly #history = new HistoryFile();
  readonly #lines: string[] = [];
  #format: string;
  #timing = false;
  #names: Names = noNames;
  /** Of the statement being written. */
  #pending: string[] = [];
  #running: AbortController | undefined;
  #working = false;
  #closed = false;

  constructor(session: Session, format: string) {
    this.#session = session;
    this.#format = format;
  }

  async run(): Promise<void> {
    // Prompts are for the person, also when answers go into a file.
    const output = process.stdout.isTTY ? process.stdout : process.stderr;
    const console = createInterface({
      input: process.stdin,
      output,
      terminal: true,
      history: this.#history.read(),
      historySize: 1000,
      completer: (line: string) => complete(line, this.#names, this.#session.database),
    });
    let recent: string[] = [];
    console.on('history', (history) => (recent = history));
    console.on('SIGINT', () => this.#interrupt(console));
    console.on('line', (line) => {
      this.#lines.push(line);
      void this.#work(console, () => recent);
    });
    this.#learn();
    this.#prompt(console);
    await new Promise<void>((resolve) => console.once('close', resolve));
    this.#closed = true;
    this.#running?.abort();
    output.write('\n');
  }

  /** Lines that were written, or pasted, one after another, also those that came meanwhile. */
  async #work(console: Interface, recent: () => string[]): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      await this.#take(line, console, recent());
    }
    this.#working = false;
    this.#prompt(console);
  }

  async #take(line: string, console: Interface, recent: string[]): Promise<void> {
    const word = line.trim().replace(/;$/, '');
    if (this.#pending.length === 0) {
      if (/^(\.exit|\.quit|exit|quit|\\q)$/i.test(word)) {
        this.#closed = true;
        return console.close();
      }
      if (/^(\.|\\d|help$)/i.test(word)) {
        this.#history.add(line);
        return await this.#command(word);
      }
      if (word === '') return;
    }
    this.#pending.push(line);
    const { statements, rest } = splitStatements(this.#pending.join('\n'));
    if (statements.length === 0) return;
    this.#remember(this.#pending, recent);
    this.#pending = rest === undefined ? [] : rest.text.split('\n');
    for (const statement of statements) if (!(await this.#ask(statement))) break;
  }

  /** The lines of a statement become one entry, where that is the same statement. */
  #remember(lines: readonly string[], recent: string[]): void {
    const written = lines.filter((line) => line.trim() !== '');
    if (written.length > 1 && written.every(isJoinable)) {
      const newestFirst = written.toReversed();
      if (newestFirst.every((line, i) => recent[i] === line)) {
        recent.splice(0, written.length, written.map((line) => line.trim()).join(' '));
        this.#history.add(recent[0] ?? '');
        return;
      }
    }
    for (const line of written) this.#history.add(line);
  }

  /** False: it failed or was stopped. */
  async #ask(statement: SplitStatement): Promise<boolean> {
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    const { text, vertical } = statement;
    const began = systemClock.monotonic();
    try {
      const format = vertical ? 'Vertical' : this.#format;
      const answer = await this.#session.execute({ text, format, signal });
      for await (const chunk of shown(answer.chunks)) {
        await print(chunk);
        // Lets the keyboard be heard between the pieces of a long answer.
        await systemClock.sleep(0);
        if (signal.aborted) break;
      }
      if (signal.aborted) throw signal.reason;
      const tookMs = systemClock.monotonic() - began;
      say(
        coloured(
          answerLine(text, answer, { tookMs, details: this.#timing }),
          'grey',
          process.stderr,
        ),
      );
      if (/^\s*(CREATE|DROP|USE)\b/i.test(text)) this.#learn();
      return true;
    } catch (error) {
      say(signal.aborted ? 'Stopped.\n' : errorReport(error, text));
      return false;
    } finally {
      this.#running = undefined;
    }
  }

  async #command(line: string): Promise<void> {
    const [command = '', argument] = line.split(/\s+/);
    const ask = (text: string): Promise<boolean> =>
      this.#ask({ text, line: 1, vertical: false, wantsData: false });
    switch (command.toLowerCase()) {
      case '.help':
      case 'help':
        say(help);
        return;
      case '.tables':
      case '\\dt':
      case '\\d':
        await ask(`SHOW TABLES${argument === undefined ? '' : ` FROM ${argument}`}`);
        return;
      case '.timing':
        this.#timing = argument === undefined ? !this.#timing : argument === 'on';
        say(`Timing is ${this.#timing ? 'on' : 'off'}.\n`);
        return;
      case '.format':
        this.#format = argument ?? this.#format;
        say(`Answers come as ${this.#format}.\n`);
        return;
      default:
        say(`There is no command ${command}: there are ${commands.join(', ')}.\n`);
    }
  }

  #interrupt(console: Interface): void {
    if (this.#running !== undefined) {
      this.#running.abort();
      this.#lines.length = 0;
      return;
    }
    const wrote = this.#pending.length > 0 || console.line !== '';
    this.#pending = [];
    // Dropped without being redrawn: what was written stays to be seen, whole.
    console.write(null, { ctrl: true, name: 'e' });
    Object.assign(console, { line: '', cursor: 0 });
    say(wrote ? '^C\n' : '^C\nCtrl-D or .exit ends.\n');
    this.#prompt(console);
  }

  #prompt(console: Interface): void {
    if (this.#closed) return;
    const { database } = this.#session;
    const name = database === 'default' ? 'muster> ' : `muster ${database}> `;
    console.setPrompt(this.#pending.length === 0 ? name : '-> '.padStart(name.length));
    console.prompt();
  }

  /** In the background: completion may come late. */
  #learn(): void {
    const none = new AbortController().signal;
    readNames(this.#session, none).then(
      (names) => (this.#names = names),
      () => undefined,
    );
  }
}

/** No comment to the line's end, no string that goes on, no end of data. */
function isJoinable(line: string): boolean {
  return !/--|#|^\s*;/.test(line) && line.split("'").length % 2 === 1;
}
