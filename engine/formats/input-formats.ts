// Names of input formats, with ClickHouse's aliases, and what reads them.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { csvDialect } from './csv-fields.ts';
import { DelimitedReader } from './delimited-input.ts';
import type { InputSettings } from './input-settings.ts';
import { JsonObjectReader, JsonRowReader } from './json-input.ts';
import { RowBinaryReader } from './row-binary-input.ts';
import type { RowReader, RowReaderOptions, Target } from './row-reader.ts';
import { tabDialect } from './tab-fields.ts';
import { ValuesReader } from './values-input.ts';

type Make = (options: RowReaderOptions) => RowReader;

const families: Readonly<Record<string, Make>> = {
  CSV: (options) => new DelimitedReader(csvDialect(options.settings.csvDelimiter), options),
  TabSeparated: (options) => new DelimitedReader(tabDialect({ raw: false }), options),
  TabSeparatedRaw: (options) => new DelimitedReader(tabDialect({ raw: true }), options),
  JSONCompactEachRow: (options) => new JsonRowReader(options),
  RowBinary: (options) => new RowBinaryReader(options),
};

const single: Readonly<Record<string, Make>> = {
  JSONEachRow: (options) => new JsonObjectReader(options),
  Values: (options) => new ValuesReader(options),
};

const aliases: Readonly<Record<string, string>> = {
  TSV: 'TabSeparated',
  TSVRaw: 'TabSeparatedRaw',
  Raw: 'TabSeparatedRaw',
  JSONLines: 'JSONEachRow',
  NDJSON: 'JSONEachRow',
};

const headers = { WithNamesAndTypes: 'names-and-types', WithNames: 'names', '': 'none' } as const;

/** Names that INSERT ... FORMAT takes. */
export function inputFormatNames(): readonly string[] {
  const withHeaders = Object.keys(families).flatMap((family) =>
    Object.keys(headers).map((suffix) => family + suffix),
  );
  return [...withHeaders, ...Object.keys(single), ...Object.keys(aliases)];
}

export function rowReader(
  format: string,
  targets: readonly Target[],
  settings: InputSettings,
): RowReader {
  for (const [suffix, header] of Object.entries(headers)) {
    if (!format.endsWith(suffix)) continue;
    const base = format.slice(0, format.length - suffix.length);
    const name = lookUp(aliases, base) ?? base;
    const make = lookUp(families, name) ?? (suffix === '' ? lookUp(single, name) : undefined);
    if (make !== undefined) return make({ targets, settings, header });
  }
  throw new MusterError(
    'UNKNOWN_FORMAT',
    `Unknown format ${format}${suggestion(format, inputFormatNames())}`,
  );
}

function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
