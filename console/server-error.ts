// What went wrong, as the server says it: `Code: 62. DB::Exception: message. (NAME) (version ...)`,
// as the whole answer or as the exception block at the end of one that broke off.

export class ServerError extends Error {
  override readonly name = 'ServerError';
  /** Of HTTP; 0: there was no answer. */
  readonly status: number;
  readonly code: number | undefined;
  /** ClickHouse's name, such as SYNTAX_ERROR. */
  readonly errorName: string;

  constructor(status: number, text: string) {
    const parts =
      /Code: (\d+)\. DB::Exception: ([^]*?)\.? \(([A-Z0-9_]+)\)(?: \(version .*\))?\s*$/.exec(text);
    super(parts?.[2] ?? (text.trim() || `The server answered HTTP ${status} and nothing more`));
    this.status = status;
    this.code = parts === null ? undefined : Number(parts[1]);
    this.errorName = parts?.[3] ?? '';
  }

  /** The server wants to know who asks; not: it knows, and this user may not do that (497). */
  get asksForUser(): boolean {
    const isRefusal = this.status === 403 && this.code !== undefined && this.code !== 497;
    return this.status === 401 || isRefusal || this.code === 516;
  }
}

/** The error at the end of an answer that began well, if there is one. */
export function brokenAnswer(text: string, tag: string | null): ServerError | undefined {
  if (tag === null || tag === '') return undefined;
  const mark = `\r\n__exception__\r\n${tag}\r\n`;
  const at = text.lastIndexOf(mark);
  if (at === -1) return undefined;
  const message = text.slice(at + mark.length).replace(/\n\d+ \S+\r\n__exception__\r\n$/, '');
  return new ServerError(200, message);
}
