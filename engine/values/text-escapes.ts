// Backslash escapes of ClickHouse's text forms, over byte strings: how a string looks in a quoted
// literal (inside arrays and tuples) and in a TabSeparated field, and how both are read back.

/** `it's` -> `'it\'s'`. */
export function quoteText(text: string): string {
  return `'${escapeText(text)}'`;
}

/** A TabSeparated field: control characters, backslash and the single quote escaped. */
export function escapeText(text: string): string {
  return needsEscape.test(text) ? text.replace(escaped, escapeOne) : text;
}

/** Undoes `escapeText`; an unknown escape stands for the character after the backslash. */
export function unescapeText(text: string): string {
  return text.includes('\\') ? text.replace(escapeSequence, unescapeOne) : text;
}

// oxlint-disable-next-line no-control-regex -- control characters are what is escaped
const needsEscape = /[\b\f\n\r\t\0\\']/;
// oxlint-disable-next-line no-control-regex -- control characters are what is escaped
const escaped = /[\b\f\n\r\t\0\\']/g;
const escapeSequence = /\\(x[0-9a-fA-F]{2}|[\s\S])/g;

const letters: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\0': '0',
};

const meanings: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  a: '\x07',
  v: '\v',
  e: '\x1b',
};

function escapeOne(character: string): string {
  return `\\${letters[character] ?? character}`;
}

function unescapeOne(_: string, sequence: string): string {
  if (sequence.length === 3) return String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
  return meanings[sequence] ?? sequence;
}
