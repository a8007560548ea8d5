// The beginning of a CSV or TSV text, cut into records: enough to see what its columns are. The
// engine parses the whole; here nothing is refused.

export interface TextDialect {
  readonly kind: 'CSV' | 'TabSeparated';
  /** One character. */
  readonly delimiter: string;
}

/** The separator of CSV that the first line has most of, and a comma if it has none. */
export function csvDialect(sample: string): TextDialect {
  const line = withoutQuoted(sample.slice(0, endOfLine(sample, 0)));
  const counts = [',', ';', '|'].map((sign) => [line.split(sign).length, sign] as const);
  const [most] = counts.toSorted(([a], [b]) => b - a);
  return { kind: 'CSV', delimiter: most !== undefined && most[0] > 1 ? most[1] : ',' };
}

export const tabDialect: TextDialect = { kind: 'TabSeparated', delimiter: '\t' };

export interface TextRecord {
  readonly fields: readonly string[];
  /** Behind its line end. */
  readonly end: number;
}

/** The record at `from`; undefined when the sample doesn't hold its end. `whole`: nothing follows. */
export function recordAt(
  sample: string,
  from: number,
  options: { readonly dialect: TextDialect; readonly whole: boolean },
): TextRecord | undefined {
  const { dialect, whole } = options;
  const fields: string[] = [];
  for (let at = from; ; ) {
    const field =
      dialect.kind === 'CSV' && /["']/.test(sample[at] ?? '')
        ? quotedField(sample, at)
        : bareField(sample, at, dialect);
    if (field === undefined) return undefined;
    fields.push(field.text);
    const next = sample[field.end];
    if (next === dialect.delimiter) {
      at = field.end + 1;
      continue;
    }
    if (next === undefined)
      return whole && sample.length > from ? { fields, end: field.end } : undefined;
    // Lines that end so are refused by whoever reads the data; here they are seen to be lines.
    const isBareReturn = next === '\r' && sample[field.end + 1] !== '\n';
    return { fields, end: isBareReturn ? field.end + 1 : endOfLine(sample, field.end) + 1 };
  }
}

/** A header line of these names. */
export function headerLine(names: readonly string[], dialect: TextDialect): string {
  const cells = names.map((name) =>
    dialect.kind === 'CSV'
      ? `"${name.replaceAll('"', '""')}"`
      : name.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n'),
  );
  return `${cells.join(dialect.delimiter)}\n`;
}

interface Field {
  readonly text: string;
  readonly end: number;
}

function quotedField(sample: string, start: number): Field | undefined {
  const quote = sample[start] ?? '"';
  let text = '';
  for (let at = start + 1; ; ) {
    const close = sample.indexOf(quote, at);
    if (close === -1) return undefined;
    text += sample.slice(at, close);
    if (sample[close + 1] !== quote) return { text, end: close + 1 };
    text += quote;
    at = close + 2;
  }
}

function bareField(sample: string, start: number, dialect: TextDialect): Field {
  let end = start;
  while (
    end < sample.length &&
    sample[end] !== dialect.delimiter &&
    !/[\r\n]/.test(sample[end] ?? '')
  ) {
    end++;
  }
  const text = sample.slice(start, end);
  return { text: dialect.kind === 'CSV' ? text.trim() : unescaped(text), end };
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return text.replace(/\\([tnr\\])/g, (_, letter: string) => letters[letter] ?? letter);
}

/** Of the line feed, or of the text. */
function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

function withoutQuoted(line: string): string {
  return line.replace(/"[^"]*"/g, '');
}
