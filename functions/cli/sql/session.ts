// A conversation's state over a connection that has none: USE and SET hold for the statements that
// follow. The server checks both; only what it took is kept.

import type { Answer, Connection } from '../connection/connection.ts';

interface Question {
  readonly text: string;
  readonly format: string;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** For this statement alone. */
  readonly settings?: ReadonlyMap<string, string>;
}

export class Session {
  readonly connection: Connection;
  #database: string;
  readonly #settings = new Map<string, string>();

  constructor(connection: Connection, database: string) {
    this.connection = connection;
    this.#database = database;
  }

  /** What SET said so far. */
  get settings(): ReadonlyMap<string, string> {
    return this.#settings;
  }

  get database(): string {
    return this.#database;
  }

  /** As Connection.execute. */
  async execute(question: Question): Promise<Answer> {
    const database = this.#database;
    const settings = new Map([...this.#settings, ...(question.settings ?? [])]);
    const answer = await this.connection.execute({ ...question, database, settings });
    if (/^\s*(USE|SET)\b/i.test(question.text)) await this.#remember(question.text);
    return answer;
  }

  async #remember(text: string): Promise<void> {
    // The parser is large, and most conversations do without it here.
    const { parseStatement } = await import('../../../engine/sql/statement-parser.ts');
    const statement = parseStatement(text, { identifier: (name) => name });
    if (statement.kind === 'use') this.#database = statement.database;
    if (statement.kind !== 'set') return;
    for (const { name, value } of statement.settings) {
      const written = value.kind === 'null' ? '' : value.value;
      this.#settings.set(name, value.kind === 'bool' ? String(Number(written)) : String(written));
    }
  }
}
