// Where the statement of an INSERT ends and its data begins, found in bytes: data may be binary and
// endless, so neither may be decoded with the statement nor waited for. The grammar is the parser's
// business; here only quotes, comments, brackets and the words FORMAT and VALUES count.

type InsertHead =
  /** `dataAt` is behind the FORMAT clause with its line end, or behind the word VALUES. */
  | { readonly kind: 'data'; readonly textEnd: number; readonly dataAt: number }
  /** The statement goes on behind these bytes, as far as one can tell. */
  | { readonly kind: 'open' };

interface Word {
  readonly text: string;
  readonly end: number;
}

/** Words that may follow a column named `format`, and name no format. */
export const noFormatNames: ReadonlySet<string> = new Set([
  'FROM',
  'AS',
  'WHERE',
  'GROUP',
  'ORDER',
  'LIMIT',
  'UNION',
  'HAVING',
  'AND',
  'OR',
  'IN',
  'SETTINGS',
  'ASC',
  'DESC',
]);

/** Whether the statement begins with the word INSERT. */
export function isInsert(bytes: Buffer): boolean {
  const at = skipBlank(bytes, 0);
  return at !== -1 && wordAt(bytes, at)?.text.toUpperCase() === 'INSERT';
}

/** True while the bytes could still be the beginning of anything. */
export function isUndecided(bytes: Buffer): boolean {
  const at = skipBlank(bytes, 0);
  return at === -1 || at + 'INSERT '.length > bytes.length;
}

/** `last`: no more bytes follow. */
export function insertHead(bytes: Buffer, last: boolean): InsertHead {
  let depth = 0;
  let selects = false;
  let at = 0;
  while (at < bytes.length) {
    const next = skipToken(bytes, at);
    if (next === -1) return { kind: 'open' };
    const byte = bytes[at] as number;
    if (byte === 0x28) depth++;
    else if (byte === 0x29) depth--;
    else if (depth === 0 && isWordByte(byte)) {
      const word = bytes.toString('latin1', at, next).toUpperCase();
      selects ||= word === 'SELECT' || word === 'WITH';
      const found = dataAfter(bytes, { word, selects, end: next });
      if (found === 'short' && !last) return { kind: 'open' };
      if (found !== undefined && found !== 'short') return found;
    }
    at = next;
  }
  return { kind: 'open' };
}

/** `values` of a query is a table function or a column. */
function dataAfter(
  bytes: Buffer,
  found: { readonly word: string; readonly selects: boolean; readonly end: number },
): InsertHead | 'short' | undefined {
  const { word, selects, end } = found;
  if (word !== 'FORMAT' && (word !== 'VALUES' || selects)) return undefined;
  if (end === bytes.length && word === 'FORMAT') return 'short';
  if (word === 'VALUES') return { kind: 'data', textEnd: end, dataAt: end };
  const nameAt = skipBlank(bytes, end);
  if (nameAt === -1) return 'short';
  const name = wordAt(bytes, nameAt);
  if (name === undefined || noFormatNames.has(name.text.toUpperCase())) return undefined;
  const next = skipBlank(bytes, name.end);
  // `format` may be a column: its name is followed by an operator, a comma or a bracket.
  if (next !== -1 && next === name.end && !isDataStart(bytes[next] as number)) return undefined;
  if (name.end >= bytes.length) return 'short';
  if (name.text.toUpperCase() === 'VALUES') {
    return { kind: 'data', textEnd: name.end, dataAt: name.end };
  }
  const dataAt = lineEnd(bytes, name.end);
  return dataAt === -1 ? 'short' : { kind: 'data', textEnd: name.end, dataAt };
}

function isDataStart(byte: number): boolean {
  return byte === 0x3b || byte === 0x28 || byte === 0x7b || byte === 0x5b;
}

/** Behind the blanks of the line and its end; -1: not there yet. */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  if (bytes[at] === 0x3b) at++;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  if (bytes[at] === 0x0d) at++;
  if (at >= bytes.length) return -1;
  return bytes[at] === 0x0a ? at + 1 : at;
}

/** The end of the token at `at`; -1: cut off. */
function skipToken(bytes: Buffer, at: number): number {
  const byte = bytes[at] as number;
  if (byte === 0x27 || byte === 0x22 || byte === 0x60) return skipQuoted(bytes, at);
  if (isComment(bytes, at)) return skipComment(bytes, at);
  if (!isWordByte(byte)) return at + 1;
  let end = at;
  while (end < bytes.length && isWordByte(bytes[end] as number)) end++;
  return end;
}

function skipQuoted(bytes: Buffer, at: number): number {
  const quote = bytes[at];
  for (let i = at + 1; i < bytes.length; i++) {
    if (bytes[i] === 0x5c) i++;
    else if (bytes[i] === quote) return i + 1;
  }
  return -1;
}

function isComment(bytes: Buffer, at: number): boolean {
  const pair = bytes.toString('latin1', at, at + 2);
  return pair === '--' || pair === '/*' || pair === '#!' || pair === '# ';
}

function skipComment(bytes: Buffer, at: number): number {
  const isBlock = bytes[at] === 0x2f;
  const end = isBlock ? bytes.indexOf('*/', at + 2) : bytes.indexOf(0x0a, at);
  if (end === -1) return -1;
  return isBlock ? end + 2 : end + 1;
}

/** The next byte that is neither blank nor comment; -1: none. */
function skipBlank(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    if ((bytes[at] as number) <= 0x20) at++;
    else if (isComment(bytes, at)) {
      at = skipComment(bytes, at);
      if (at === -1) return -1;
    } else return at;
  }
  return -1;
}

function wordAt(bytes: Buffer, at: number): Word | undefined {
  let end = at;
  while (end < bytes.length && isWordByte(bytes[end] as number)) end++;
  return end === at ? undefined : { text: bytes.toString('latin1', at, end), end };
}

function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x5f
  );
}
