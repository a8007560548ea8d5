// A window of input bytes and a place in it. Row readers walk over the window; when they come to
// its end before the row's end and more input may follow, they throw `needMore`: the driver
// (read-input.ts) then reads more, steps back to the row's beginning and calls them again.

/** Not an error: the row goes on behind the window. Thrown at most once per window. */
class NeedMore extends Error {
  override readonly name = 'NeedMore';
}

export const needMore = new NeedMore('the row goes on behind the window');

export class InputCursor {
  bytes: Buffer = Buffer.alloc(0);
  pos = 0;
  /** Bytes from here on are not input. */
  end = 0;
  /** True when nothing follows `end`. */
  last = false;
  /** What is being read, for error messages: position in the insert and where its text began. */
  column = -1;
  fieldAt = 0;

  mark(column: number): void {
    this.column = column;
    this.fieldAt = this.pos;
  }

  /** The byte at `pos`, or -1 at the end of all input. */
  peek(): number {
    if (this.pos < this.end) return this.bytes[this.pos] as number;
    return this.endOfWindow();
  }

  /** The byte `ahead` of `pos`, or -1 behind the end of all input. */
  peekAt(ahead: number): number {
    const at = this.pos + ahead;
    return at < this.end ? (this.bytes[at] as number) : this.endOfWindow();
  }

  /** -1 if the input ends here, else throws `needMore`. */
  endOfWindow(): -1 {
    if (!this.last) throw needMore;
    return -1;
  }

  /** Steps over `byte` if it comes next. */
  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.pos++;
    return true;
  }

  /** Steps over spaces, tabs and line ends. */
  skipWhitespace(): void {
    for (;;) {
      const byte = this.peek();
      if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return;
      this.pos++;
    }
  }

  /** To the first byte of the next line, or the end of input. */
  skipLine(): void {
    const at = this.bytes.subarray(0, this.end).indexOf(0x0a, this.pos);
    this.pos = at < 0 ? this.end : at + 1;
    if (at < 0) this.endOfWindow();
  }

  /** The next `length` bytes; false when the input ends before. */
  has(length: number): boolean {
    if (this.pos + length <= this.end) return true;
    if (!this.last) throw needMore;
    return false;
  }

  /** Up to 40 bytes from `at`, as text for a message. */
  excerpt(at: number): string {
    const text = this.bytes.toString('utf8', at, Math.min(this.end, at + 40));
    return printable(this.end > at + 40 ? `${text}...` : text);
  }
}

/** Text of a message: line ends and tabs as escapes. */
export function printable(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll('\0', '\\0');
}
