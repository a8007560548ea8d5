// Who answers statements: a server over HTTP, or an engine in this process. One port for both, so
// that `sql`, `load` and the demo don't know the difference. Like HTTP, it has no sessions: the
// caller says with each statement which database and settings hold.

export interface Ask {
  readonly text: string;
  /** Of an answer whose statement names none. */
  readonly format: string;
  readonly database: string;
  readonly settings?: ReadonlyMap<string, string>;
  /** INSERT data that follows the text; read only as fast as it is taken. */
  readonly body?: AsyncIterable<Uint8Array>;
  /** Aborted: the statement stops, wherever it runs, and `execute` throws. */
  readonly signal: AbortSignal;
}

export interface Summary {
  readonly resultRows: number;
  readonly readRows: number;
  readonly readBytes: number;
  readonly writtenRows: number;
  /** As the one who answered measured it. */
  readonly elapsedMs: number;
}

export interface Answer {
  /** The format's full name; empty: the statement has no rows to give. */
  readonly format: string;
  /** To be read once, to the end; throws as `execute` does when the answer breaks. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly summary: Summary;
}

export interface Connection {
  /** Where answers come from, for people. */
  readonly place: string;
  /** Throws StatementError, or UnreachableError when nobody is there. */
  execute(ask: Ask): Promise<Answer>;
  close(): Promise<void>;
}

/** The one who answers refuses the statement, or fails at it. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly code: number;
  /** ClickHouse's, such as SYNTAX_ERROR. */
  readonly errorName: string;

  constructor(error: {
    readonly code: number;
    readonly errorName: string;
    readonly message: string;
  }) {
    super(error.message);
    this.code = error.code;
    this.errorName = error.errorName;
  }
}

/** The whole answer as text. */
export async function textOf(answer: Answer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
