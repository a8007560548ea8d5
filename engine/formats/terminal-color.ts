// Escape sequences for terminals, in the colours that ClickHouse's formats for people use. Texts are
// byte strings.

export function bold(text: string): string {
  return `\x1b[1m${text}\x1b[0m`;
}

export function grey(text: string): string {
  return `\x1b[90m${text}\x1b[0m`;
}

export function red(text: string): string {
  return `\x1b[31;1m${text}\x1b[0m`;
}

interface Highlights {
  readonly highlightDigits: boolean;
  readonly highlightSpaces: boolean;
}

/** Digits of thousands, millions and so on of a number underlined; spaces at the end marked. */
export function highlighted(text: string, numeric: boolean, wanted: Highlights): string {
  const digits = numeric && wanted.highlightDigits ? digitGroups(text) : text;
  return wanted.highlightSpaces ? trailingSpaces(digits) : digits;
}

function digitGroups(text: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d*)(.*)$/s.exec(text) ?? [];
  if (whole.length < 4) return text;
  const marked = Array.from(whole, (digit, i) => {
    const place = whole.length - 1 - i;
    return place > 0 && place % 3 === 0 ? `\x1b[4m${digit}\x1b[0m` : digit;
  });
  return sign + marked.join('') + rest;
}

function trailingSpaces(text: string): string {
  const end = text.trimEnd().length;
  return end === text.length
    ? text
    : `${text.slice(0, end)}\x1b[31m\x1b[4m${text.slice(end)}\x1b[0m`;
}
