// Output formats: an answer becomes bytes, in chunks of about 64 KiB. Byte for byte what ClickHouse
// writes, except for what is measured (elapsed time, rows and bytes read).

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import type { ResultBlock } from '../query.ts';
import { arrowBytes } from './arrow-output.ts';
import { jsonDocument } from './json-documents.ts';
import {
  csvLines,
  jsonCompactLines,
  jsonLines,
  rowBinary,
  tabLines,
  tskvLines,
  valuesText,
} from './line-outputs.ts';
import type { Header, OutputInput, OutputOptions } from './output-input.ts';
import { readOutputSettings } from './output-settings.ts';
import { parquetBytes } from './parquet/parquet-output.ts';
import { type PrettyStyle, prettyText } from './pretty-output.ts';
import { markdownText, verticalText } from './vertical-output.ts';

interface OutputFormat {
  /** ClickHouse's full name: what X-ClickHouse-Format says. */
  readonly name: string;
  readonly contentType: string;
  readonly header: Header;
  /** Byte strings, or bytes where a format has them. */
  readonly write: (input: OutputInput) => Iterable<string> | Iterable<Uint8Array>;
}

const chunkChars = 64 * 1024;

/** UNKNOWN_FORMAT (73) with the nearest name. */
export function outputFormat(name: string): OutputFormat {
  const format = formats.get(name);
  if (format !== undefined) return format;
  throw new MusterError(
    'UNKNOWN_FORMAT',
    `Unknown format ${name}${suggestion(name, formats.keys())}`,
  );
}

/** Throws before the first chunk if format or settings are wrong. */
export function formatResult(
  name: string,
  result: { readonly columns: readonly NamedType[]; readonly block: ResultBlock },
  options: OutputOptions,
): Iterable<Uint8Array> {
  const format = outputFormat(name);
  const settings = readOutputSettings(options.settings);
  return inChunks(format.write({ ...result, settings, options, header: format.header }));
}

/** JavaScript holds no text beyond half a gigabyte. */
function* inChunks(pieces: Iterable<string> | Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* joined(pieces);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new MusterError(
      'TOO_MANY_ROWS_OR_BYTES',
      'A row of the answer is too long to be written: ask for its ids one a row with arrayJoin',
      { cause },
    );
  }
}

function* joined(pieces: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let texts: string[] = [];
  let length = 0;
  const flushTexts = (): void => {
    if (texts.length > 0) gathered.push(Buffer.from(texts.join(''), 'latin1'));
    texts = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') texts.push(piece);
    else gathered.push(piece);
    length += piece.length;
    if (length < chunkChars) continue;
    flushTexts();
    yield gathered.length === 1 ? (gathered[0] as Uint8Array) : Buffer.concat(gathered);
    gathered = [];
    length = 0;
  }
  flushTexts();
  if (length > 0) yield Buffer.concat(gathered);
}

/** Sets are printed as their sizes: nobody need ask for their bytes. */
export function printsSetSizes(format: string): boolean {
  return format === 'Vertical' || format.startsWith('Pretty');
}

const tabType = 'text/tab-separated-values; charset=UTF-8';
const csvType = (header: Header) =>
  `text/csv; charset=UTF-8; header=${header === 'none' ? 'absent' : 'present'}`;
const binaryType = 'application/octet-stream';
const jsonType = 'application/json; charset=UTF-8';
const linesType = 'application/x-ndjson; charset=UTF-8';
const plainType = 'text/plain; charset=UTF-8';

type Family = readonly [
  name: string,
  contentType: (header: Header) => string,
  write: OutputFormat['write'],
  aliases: readonly string[],
];

const families: readonly Family[] = [
  ['TabSeparated', () => tabType, (input) => tabLines(input, false), ['TSV']],
  ['TabSeparatedRaw', () => tabType, (input) => tabLines(input, true), ['TSVRaw', 'Raw']],
  ['CSV', csvType, csvLines, []],
  ['JSONCompactEachRow', () => linesType, jsonCompactLines, []],
  ['RowBinary', () => binaryType, rowBinary, []],
];

const single: readonly Family[] = [
  ['JSON', () => jsonType, (input) => jsonDocument(input, 'objects'), []],
  ['JSONCompact', () => jsonType, (input) => jsonDocument(input, 'arrays'), []],
  ['JSONEachRow', () => linesType, jsonLines, ['JSONLines', 'NDJSON']],
  ['TSKV', () => tabType, tskvLines, []],
  ['Values', () => plainType, valuesText, []],
  ['Vertical', () => plainType, verticalText, []],
  ['Markdown', () => plainType, markdownText, ['MD']],
  ['ArrowStream', () => binaryType, (input) => arrowBytes(input, 'stream'), []],
  ['Arrow', () => binaryType, (input) => arrowBytes(input, 'file'), []],
  ['Parquet', () => binaryType, parquetBytes, []],
  ['Null', () => plainType, () => [], []],
];

const suffixes: readonly (readonly [string, Header])[] = [
  ['', 'none'],
  ['WithNames', 'names'],
  ['WithNamesAndTypes', 'names-and-types'],
];

const styles: readonly (readonly [name: string, style: PrettyStyle])[] = [
  ['Pretty', 'full'],
  ['PrettyCompact', 'compact'],
  ['PrettySpace', 'space'],
];

const pretty: readonly Family[] = styles.flatMap(([name, style]) =>
  [true, false].flatMap((escapes) =>
    ['', 'MonoBlock'].map((block): Family => {
      const full = `${name}${escapes ? '' : 'NoEscapes'}${block}`;
      return [full, () => plainType, (input) => prettyText(input, { style, escapes }), []];
    }),
  ),
);

const formats: ReadonlyMap<string, OutputFormat> = new Map([
  ...families.flatMap((family) => suffixes.flatMap((suffix) => entries(family, suffix))),
  ...[...single, ...pretty].flatMap((family) => entries(family, ['', 'none'])),
]);

function entries(
  [name, contentType, write, aliases]: Family,
  [suffix, header]: readonly [string, Header],
): [string, OutputFormat][] {
  const format = { name: name + suffix, contentType: contentType(header), header, write };
  return [name, ...aliases].map((alias) => [alias + suffix, format]);
}
